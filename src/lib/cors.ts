import type { IncomingMessage } from 'node:http';

/** Maximum headers named in a preflight. Browsers send a few. */
const MAX_NAMES = 64;
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/i;
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const USUAL_HEADERS = ['AccessKey', 'Content-Type', 'Accept', 'X-Requested-With'];

/**
 * Allows pages of every origin to read a response (Fetch standard, CORS protocol), without credentials. Access requires
 * a key in a header, which a browser never adds automatically.
 */
export const ANY_ORIGIN: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'X-Request-Id, X-Millrace-Error, Retry-After, Location, Content-Length, Content-Disposition, ETag',
};

/** Returns the preflight headers, which allow every method and every header that the request names. */
export function preflightHeaders(request: IncomingMessage): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': allowedHeaders(request, USUAL_HEADERS),
    'Access-Control-Max-Age': '86400',
    Vary: 'Access-Control-Request-Headers',
  };
}

/** Returns the default headers of a path and those that a preflight names. */
export function allowedHeaders({ headers }: IncomingMessage, usual: readonly string[]): string {
  const named = String(headers['access-control-request-headers'] ?? '')
    .split(',', MAX_NAMES)
    .map((name) => name.trim());
  const known = new Set(usual.map((name) => name.toLowerCase()));
  const further = named.filter((name) => NAME.test(name) && !known.has(name.toLowerCase()));
  return [...usual, ...new Set(further)].join(', ');
}
