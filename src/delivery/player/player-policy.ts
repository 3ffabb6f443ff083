/** What of other hosts a page may speak to, beside its own origin. */
export type PageHosts = {
  /** Those that the owner's head HTML names. */
  named: readonly string[];
  /** Where the library's advertisements are to be had; null for none. */
  vastTagUrl: string | null;
  /** The address of the page asks for Cast. */
  offersCast: boolean;
};

/** Google's Cast sender comes from this host alone. */
const CAST_HOST = 'https://www.gstatic.com';

/**
 * Only our own origin is spoken to, and what an owner asks for by head HTML, advertisements or Cast; any page may frame
 * the player. Files and counters of advertisements lie anywhere: their response names them.
 */
export function playerHeaders(nonce: string, { named, vastTagUrl, offersCast }: PageHosts): Record<string, string> {
  const list = (hosts: readonly string[]) => hosts.map((host) => ` ${host}`).join('');
  const ads = vastTagUrl === null ? '' : ` https: ${new URL(vastTagUrl).origin}`;
  const scripts = list(offersCast ? [...named, CAST_HOST] : named);
  const also = list(named);
  // `ws:` lets `wss:` in, too; a host alone does not.
  const sockets = list(named.map((host) => `ws://${host}`));
  const alone = also === '' ? " 'none'" : also;
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'${scripts}`,
    `style-src 'self' 'nonce-${nonce}'${also}`,
    `img-src 'self' data:${also}${ads}`,
    `font-src 'self'${also}`,
    `media-src 'self' blob:${also}${ads}`,
    `connect-src 'self'${also}${sockets}${ads}`,
    `frame-src${alone}`,
    "worker-src 'self' blob:",
    "base-uri 'none'",
    `form-action${alone}`,
    'frame-ancestors *',
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  };
}
