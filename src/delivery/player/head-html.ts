/** What of an owner's head HTML the page's policy has to let in. */
export type HeadHtml = { html: string; hosts: readonly string[] };

/** Far more than an owner needs; each lengthens the policy in every answer. */
const MAX_HOSTS = 20;
const OPENING = /<(script|style|link)\b(?![^>]*\snonce=)/gi;
const ADDRESS = /(?:https?:)?\/\/((?:[a-z0-9-]+\.)+[a-z0-9-]+(?::\d{1,5})?|localhost(?::\d{1,5})?)(?=[/"'\s)?#<>]|$)/gi;

/**
 * Prepares the `CustomHTML` of a library for the head of its pages: its scripts and styles get the page's nonce, and
 * the hosts that it names, and only those, may be spoken to from that page.
 */
export function prepareHeadHtml(html: string | null, nonce: string): HeadHtml {
  if (html === null || html.trim() === '') return { html: '', hosts: [] };
  const hosts = [...html.matchAll(ADDRESS)].map(([, host]) => host ?? '');
  return {
    html: html.replaceAll(OPENING, (_, name: string) => `<${name} nonce="${nonce}"`),
    hosts: [...new Set(hosts)].slice(0, MAX_HOSTS),
  };
}
