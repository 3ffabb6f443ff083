import { quote } from '../quote.ts';
import { Refused } from '../refused.ts';

const MAX_URL_LENGTH = 8192;
const MAX_HEADERS = 64;
const MAX_HEADER_BYTES = 16 * 1024;

/** Headers that belong to the connection or that the client sets itself. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that a redirect may send to another origin. Any other header may be a secret of the first origin. */
const HARMLESS_HEADERS = new Set(['accept', 'accept-language', 'content-type', 'if-range', 'range', 'user-agent']);

/** Parses a URL. Throws `Refused` unless it is an http or https URL with a host and without credentials. */
export function checkUrl(text: string): URL {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (url === null) {
    const got = text.length > MAX_URL_LENGTH ? `${text.length} characters` : 'text that is not a URL';
    throw new Refused('invalid', `Expected a URL such as https://example.com/video.mp4, got ${got}.`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Refused('invalid', `Expected an http or https URL, got the scheme "${url.protocol.slice(0, 40)}".`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Refused(
      'invalid',
      'The URL must not contain a user name or password. Send an Authorization header instead.',
    );
  }
  return url;
}

/**
 * Checks headers and returns them with names in lower case. Throws `Refused` for invalid names, and for values with
 * line breaks or control characters.
 */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers);
  const sizeBytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (entries.length > MAX_HEADERS || sizeBytes > MAX_HEADER_BYTES) {
    throw new Refused(
      'invalid',
      `Expected at most ${MAX_HEADERS} headers of ${MAX_HEADER_BYTES} bytes together, ` +
        `got ${entries.length} headers of ${sizeBytes} bytes.`,
    );
  }
  const checked: Record<string, string> = {};
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || name.endsWith('\n')) {
      throw new Refused('invalid', `Expected a header name (RFC 9110 token), got ${quote(name)}.`);
    }
    if (OWN_HEADERS.has(lower) || lower.startsWith('proxy-')) {
      throw new Refused('invalid', `The header ${lower} cannot be set.`);
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value) || value.endsWith('\n')) {
      throw new Refused(
        'invalid',
        `The value of the header ${lower} contains a character that headers must not contain.`,
      );
    }
    checked[lower] = value;
  }
  return checked;
}

export type Hop = { url: URL; method: string; headers: Record<string, string>; body: string | Uint8Array | null };

/**
 * Returns the next request of a redirect (RFC 9110 section 15.4) with its URL checked, or null if the response is not a
 * redirect.
 */
export function redirectOf(hop: Hop, status: number, location: string | null): Hop | null {
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return null;
  if (!URL.canParse(location, hop.url.href)) {
    throw new Refused('invalid', `The server redirected (HTTP ${status}) to an invalid URL.`);
  }
  const url = checkUrl(new URL(location, hop.url).href);
  const becomesGet = (status === 303 && hop.method !== 'HEAD') || (status <= 302 && hop.method === 'POST');
  const kept = Object.entries(hop.headers).filter(([name]) => {
    if (url.origin !== hop.url.origin && !HARMLESS_HEADERS.has(name)) return false;
    return !(becomesGet && name.startsWith('content-'));
  });
  const headers = Object.fromEntries(kept);
  return becomesGet
    ? { url, method: 'GET', headers, body: null }
    : { url, method: hop.method, headers, body: hop.body };
}
