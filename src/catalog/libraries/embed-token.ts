import { createHash, timingSafeEqual } from 'node:crypto';

/** Token that a caller presents to play a video; `expiresSec` is in seconds since 1970. */
export type EmbedToken = { token: string; expiresSec: number };

/**
 * Returns whether a token permits playing a video now: it is `hex(SHA256(key + videoId + expires))` for one of the keys
 * and has not expired. The id may lack hyphens. The keys are the pull zone's security key and the library's key,
 * because some clients sign with the latter.
 */
export function isEmbedTokenValid(
  { token, expiresSec }: EmbedToken,
  { mediaId, keys }: { mediaId: string; keys: readonly string[] },
  nowMs: number,
): boolean {
  if (expiresSec * 1000 <= nowMs || !/^[0-9a-f]{64}$/i.test(token)) return false;
  const shown = Buffer.from(token, 'hex');
  const forms = [mediaId, mediaId.replaceAll('-', '')];
  return keys.some((key) => forms.some((id) => timingSafeEqual(digestOf(key, id, expiresSec), shown)));
}

/** Signs a token that `isEmbedTokenValid` accepts. */
export function signEmbedToken(key: string, mediaId: string, expiresSec: number): EmbedToken {
  return { token: digestOf(key, mediaId, expiresSec).toString('hex'), expiresSec };
}

function digestOf(key: string, mediaId: string, expiresSec: number): Buffer {
  return createHash('sha256').update(`${key}${mediaId}${expiresSec}`).digest();
}

/** Returns a phrase that describes an invalid token, for the end of a sentence. */
export function describeToken({ token, expiresSec }: EmbedToken, nowMs: number): string {
  if (token === '') return 'no token';
  if (expiresSec === 0) return 'a token without expires';
  if (expiresSec * 1000 <= nowMs) return `a token that expired at ${new Date(expiresSec * 1000).toISOString()}`;
  return 'a token that was not made with this key, video and expires';
}

const EXPIRES = /^\d{1,12}$/;

/** Reads the query parameters of a URL by their lower-case names. The first of several equal names counts. */
export function readParameters(url: string): Map<string, string> {
  const query = url.indexOf('?');
  const sent = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query === -1 ? '' : url.slice(query))) {
    if (!sent.has(name.toLowerCase())) sent.set(name.toLowerCase(), value);
  }
  return sent;
}

/** Reads the token in the query parameters. Returns an empty token if there is none. */
export function readEmbedToken(sent: ReadonlyMap<string, string>): EmbedToken {
  const expires = sent.get('expires') ?? '';
  return { token: sent.get('token') ?? '', expiresSec: EXPIRES.test(expires) ? Number(expires) : 0 };
}
