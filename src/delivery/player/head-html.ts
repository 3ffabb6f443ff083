/** What of an owner's head HTML the page's policy has to let in. */
export type HeadHtml = { html: string; hosts: readonly string[] };

/** Far more than an owner needs; each lengthens the policy in every answer. */
const MAX_HOSTS = 20;
/** What is never closed goes on to the end: every match succeeds at once, whatever is in the HTML. */
const ATTRIBUTES = `(?=[\\s/>]|$)(?:"[^"]*"?|'[^']*'?|[^"'>])*`;
/** Comments, and what needs a nonce; scripts and styles up to their end, since what stands in them is no tag. */
const PART = new RegExp(
  `<!--[^]*?(?:-->|$)|<(script|style)${ATTRIBUTES}(?:>|$)[^]*?(?:</\\1|$)|<link${ATTRIBUTES}`,
  'gi',
);
const OPENING = new RegExp(`^<\\w+${ATTRIBUTES}`);
const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"[^"]*"?|'[^']*'?|[^\s"'>]*))?/g;
const ADDRESS = /((?:https?|wss?):)?\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?)(?=[/"'`\s)?#<>]|$)/gi;
/** Without a scheme, one word after two slashes may be the comment of a script. */
const PLAIN_HOST = /\.|^localhost\b/i;

/**
 * Prepares the `CustomHTML` of a library for the head of its pages: its scripts and styles get the page's nonce, and
 * the hosts that it names, and only those, may be spoken to from that page.
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

/** In the start tag only, instead of its own: an element with two has none (CSP 3, "Is element nonceable?"). */
function withNonce(element: string, nonce: string): string {
  return element.replace(OPENING, (opening) =>
    opening
      .replace(ATTRIBUTE, (attribute, name: string) => (name.toLowerCase() === 'nonce' ? '' : attribute))
      .replace(/^<\w+/, `$& nonce="${nonce}"`),
  );
}
