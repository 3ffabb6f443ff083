/** Hosts besides its own origin to which a page may connect. */
export type PageHosts = {
  /** Hosts that the owner's head HTML names. */
  named: readonly string[];
  /** URL of the library's advertisements; null for none. */
  vastTagUrl: string | null;
  /** The URL of the page requests Cast. */
  offersCast: boolean;
};

/** The only host of Google's Cast sender. */
const CAST_HOST = 'https://www.gstatic.com';

/**
 * Allows connections only to our own origin, and to hosts that an owner needs for head HTML, advertisements or Cast.
 * Any page may frame the player. Files and counters of advertisements can be on any host, because their response names
 * them.
 */
export function playerHeaders(nonce: string, { named, vastTagUrl, offersCast }: PageHosts): Record<string, string> {
  const list = (hosts: readonly string[]) => hosts.map((host) => ` ${host}`).join('');
  const ads = vastTagUrl === null ? '' : ` https: ${new URL(vastTagUrl).origin}`;
  const scripts = list(offersCast ? [...named, CAST_HOST] : named);
  const also = list(named);
  // `ws:` also allows `wss:`; a host without a scheme does not.
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
