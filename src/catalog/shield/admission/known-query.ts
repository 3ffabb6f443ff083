/** Parameters that players and signers send, in small letters. */
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
  ...['loop', 'playsinline', 'showspeed', 'rememberposition', 'compactcontrols', 'responsive', 'count', 'ticket'],
]);
/** Those whose values are encoded texts of their own grammar. */
const ENCODED = new Set(['cmcd', 'token_path', 'token_countries', 'token_countries_blocked']);
const PLAIN_VALUE = /^[\w.~:,/=-]*$/;

/** Whether a query has nothing but what players and signers send; anything else is looked at by the firewall. */
export function isKnownQuery(query: string): boolean {
  if (query === '') return true;
  return query.split('&').every((pair) => {
    const at = pair.indexOf('=');
    const name = (at === -1 ? pair : pair.slice(0, at)).toLowerCase();
    return NAMES.has(name) && (ENCODED.has(name) || PLAIN_VALUE.test(at === -1 ? '' : pair.slice(at + 1)));
  });
}
