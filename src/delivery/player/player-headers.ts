/** Hosts other than its own origin to which a page may connect. */
export type PageHosts = {
  /** Hosts that occur in the owner's head HTML. */
  named: readonly string[];
  /** URL of the library's advertisements, or null without advertisements. */
  vastTagUrl: string | null;
  /** Whether the page's URL enables Cast. */
  offersCast: boolean;
};

/** The only host of the Google Cast sender script. */
const CAST_HOST = 'https://www.gstatic.com';

/**
 * Returns headers that allow connections only to the edge's own origin and to hosts needed for head HTML,
 * advertisements or Cast. Any page may frame the player. Advertisements may load files and counters from any host,
 * because the ad response specifies them.
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
