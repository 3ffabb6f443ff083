/** Parts of an owner's head HTML that the page's policy has to allow. */
export type HeadHtml = { html: string; hosts: readonly string[] };

/** Far more than an owner needs. Each lengthens the policy in every response. */
const MAX_HOSTS = 20;
/** An unclosed part extends to the end: every match succeeds at once, whatever the HTML contains. */
const ATTRIBUTES = `(?=[\\s/>]|$)(?:"[^"]*"?|'[^']*'?|[^"'>])*`;
/**
 * Comments, and elements that need a nonce; scripts and styles up to their end, because their content is not markup.
 */
const PART = new RegExp(
  `<!--[^]*?(?:-->|$)|<(script|style)${ATTRIBUTES}(?:>|$)[^]*?(?:</\\1|$)|<link${ATTRIBUTES}`,
  'gi',
);
const OPENING = new RegExp(`^<\\w+${ATTRIBUTES}`);
const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"[^"]*"?|'[^']*'?|[^\s"'>]*))?/g;
const ADDRESS = /((?:https?|wss?):)?\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?)(?=[/"'`\s)?#<>]|$)/gi;
/** Without a scheme, one word after two slashes may be a comment in a script. */
const PLAIN_HOST = /\.|^localhost\b/i;

/**
 * Prepares the `CustomHTML` of a library for the head of its pages. Its scripts and styles get the page's nonce, and
 * the page may connect only to the hosts named in it.
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

/** In the start tag only, replacing its own: an element with two nonces has none (CSP 3, "Is element nonceable?"). */
function withNonce(element: string, nonce: string): string {
  return element.replace(OPENING, (opening) =>
    opening
      .replace(ATTRIBUTE, (attribute, name: string) => (name.toLowerCase() === 'nonce' ? '' : attribute))
      .replace(/^<\w+/, `$& nonce="${nonce}"`),
  );
}
