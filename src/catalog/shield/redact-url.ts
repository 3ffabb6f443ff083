/** Query parameters (in lower case) whose values grant access or allow a client to write viewing statistics. */
const SECRETS = new Set([
  'token',
  'bcdn_token',
  'accesskey',
  'access_key',
  'key',
  'signature',
  'authorization',
  'apikey',
  'ticket',
  // Token of a viewer, from the owner's site.
  'viewer',
  // Authorization code of a sign-in (RFC 6749 section 4.1.2).
  'code',
]);
/** The folder of share pages. The segment after it is their link, which a mistyped one still reveals. */
const SHARES = 'share';
/** Path segment of a play session or its key. Content keys have ids instead, which are not secret. */
const SESSION = /^[A-Za-z0-9_-]{43}$/;
/** The link of a share page in a query, such as that of an oEmbed request. */
const SHARE_LINK = /(share(?:%2F|\/))(?:(?!%2F)[^&/?#])+/gi;
const MASK = '***';
const MAX_CHARS = 1_000;

/** Returns a request's URL for logs: path tokens, sessions and secret parameters are masked, the rest is kept. */
export function redactUrl(url: string): string {
  const [path = '', query] = splitOnce(url.slice(0, MAX_CHARS), '?');
  const parts = path.split('/').map(redactSegment);
  return query === undefined ? parts.join('/') : `${parts.join('/')}?${redactQuery(query)}`;
}

function redactSegment(segment: string, at: number, all: readonly string[]): string {
  const raw = decodeName(segment);
  if (segment !== '' && decodeName(all[at - 1] ?? '') === SHARES) return MASK;
  if (/bcdn_token/i.test(raw)) return redactQuery(segment);
  return SESSION.test(raw) ? MASK : segment;
}

function redactQuery(query: string): string {
  return query
    .split('&')
    .map((pair) => {
      const [name = '', value] = splitOnce(pair, '=');
      if (value === undefined) return name;
      return `${name}=${SECRETS.has(decodeName(name).toLowerCase()) ? MASK : value.replace(SHARE_LINK, `$1${MASK}`)}`;
    })
    .join('&');
}

function splitOnce(text: string, mark: string): [string, string?] {
  const index = text.indexOf(mark);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

/** A name with invalid encoding is compared as is. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    if (error instanceof URIError) return name;
    throw error;
  }
}
