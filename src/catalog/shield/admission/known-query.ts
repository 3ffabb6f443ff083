/** Parameters that players and signers send, in lower case. */
const NAMES = new Set([
  ...['token', 'expires', 'token_path', 'token_countries', 'token_countries_blocked', 'token_ignore_params', 'limit'],
  ...['cmcd', 'ver', 'v', 'download', 'drm', '_hls_msn', '_hls_part', '_hls_skip', 'contentid', 'videoid'],
  ...['from', 'to'],
  ...[
    'autoplay',
    'captions',
    'preload',
    't',
    'chromecast',
    'disableairplay',
    'disableiosplayer',
    'showheatmap',
    'muted',
  ],
  ...[
    'loop',
    'playsinline',
    'showspeed',
    'rememberposition',
    'compactcontrols',
    'responsive',
    'count',
    'ticket',
    'share',
    'viewer',
    'video',
  ],
]);
/** Parameters whose values are encoded texts with their own grammar. */
const ENCODED = new Set(['cmcd', 'token_path', 'token_countries', 'token_countries_blocked']);
const PLAIN_VALUE = /^[\w.~:,/=-]*$/;

/** Returns whether a query contains only what players and signers send. The firewall inspects any other. */
export function isKnownQuery(query: string): boolean {
  if (query === '') return true;
  return query.split('&').every((pair) => {
    const index = pair.indexOf('=');
    const name = (index === -1 ? pair : pair.slice(0, index)).toLowerCase();
    return NAMES.has(name) && (ENCODED.has(name) || PLAIN_VALUE.test(index === -1 ? '' : pair.slice(index + 1)));
  });
}
