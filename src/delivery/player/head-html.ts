/** Head HTML of a library's owner, and the hosts that the page's policy has to allow for it. */
export type HeadHtml = { html: string; hosts: readonly string[] };

/** Maximum number of allowed hosts, far more than an owner needs. Each host lengthens the policy in every response. */
const MAX_HOSTS = 20;
/** An unclosed part extends to the end of the text, so a match never backtracks, whatever the HTML contains. */
const ATTRIBUTES = `(?=[\\s/>]|$)(?:"[^"]*"?|'[^']*'?|[^"'>])*`;
/**
 * Matches comments and elements that need a nonce. Scripts and styles match up to their end tag, because their content
 * is not markup.
 */
const PART = new RegExp(
  `<!--[^]*?(?:-->|$)|<(script|style)${ATTRIBUTES}(?:>|$)[^]*?(?:</\\1|$)|<link${ATTRIBUTES}`,
  'gi',
);
const OPENING = new RegExp(`^<\\w+${ATTRIBUTES}`);
const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"[^"]*"?|'[^']*'?|[^\s"'>]*))?/g;
const ADDRESS = /((?:https?|wss?):)?\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?)(?=[/"'`\s)?#<>]|$)/gi;
/** Matches hosts accepted without a scheme. A single word after `//` may be a comment in a script. */
const PLAIN_HOST = /\.|^localhost\b/i;

/**
 * Prepares a library's `CustomHTML` for the head of its pages. Adds the page's nonce to scripts and styles, and returns
 * the hosts that occur in the HTML. The page may connect to no other hosts.
 */
export function prepareHeadHtml(html: string | null, nonce: string): HeadHtml {
  if (html === null || html.trim() === '') return { html: '', hosts: [] };
  const used = html.replaceAll(PART, (part) => (isComment(part) ? '' : part));
  const hosts = [...used.matchAll(ADDRESS)].flatMap(([, scheme, host = '']) =>
    scheme !== undefined || PLAIN_HOST.test(host) ? [host] : [],
  );
  return {
    html: html.replaceAll(PART, (part) => (isComment(part) ? part : withNonce(part, nonce))),
    hosts: [...new Set(hosts)].slice(0, MAX_HOSTS),
  };
}

function isComment(part: string): boolean {
  return part.startsWith('<!--');
}

/**
 * Replaces any nonce in the start tag. An element with two nonces counts as having none (CSP 3, "Is element
 * nonceable?").
 */
function withNonce(element: string, nonce: string): string {
  return element.replace(OPENING, (opening) =>
    opening
      .replace(ATTRIBUTE, (attribute, name: string) => (name.toLowerCase() === 'nonce' ? '' : attribute))
      .replace(/^<\w+/, `$& nonce="${nonce}"`),
  );
}
