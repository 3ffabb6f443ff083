import { createHash, timingSafeEqual } from 'node:crypto';
import { type Guid, parseGuid } from '../../lib/guid.ts';

/**
 * Token that a caller presents to play a video; `expiresSec` is in seconds since 1970. `shareId`: the share page that
 * issued it, with which it ends; absent for a token of the owner of the library.
 */
export type EmbedToken = { token: string; expiresSec: number; shareId?: Guid };

/**
 * Returns whether a token permits playing a video now: it is `hex(SHA256(key + videoId + expires))` for one of the keys
 * and has not expired. The id may lack hyphens. The keys are the pull zone's security key and the library's key,
 * because some clients sign with the latter. The token of a share page also has the share's id at the end of the hashed
 * text. The caller must check that this share still exists.
 */
export function isEmbedTokenValid(
  { token, ...validity }: EmbedToken,
  { mediaId, keys }: { mediaId: string; keys: readonly string[] },
  nowMs: number,
): boolean {
  if (validity.expiresSec * 1000 <= nowMs || !/^[0-9a-f]{64}$/i.test(token)) return false;
  const shown = Buffer.from(token, 'hex');
  const forms = [mediaId, mediaId.replaceAll('-', '')];
  return keys.some((key) => forms.some((id) => timingSafeEqual(digestOf(key, id, validity), shown)));
}

/** Signs a token that `isEmbedTokenValid` accepts. */
export function signEmbedToken(key: string, mediaId: string, validity: Omit<EmbedToken, 'token'>): EmbedToken {
  return { ...validity, token: digestOf(key, mediaId, validity).toString('hex') };
}

function digestOf(key: string, mediaId: string, { expiresSec, shareId }: Omit<EmbedToken, 'token'>): Buffer {
  const issuer = shareId === undefined ? '' : `.share.${shareId}`;
  return createHash('sha256').update(`${key}${mediaId}${expiresSec}${issuer}`).digest();
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
  const shareId = parseGuid(sent.get('share') ?? '');
  return {
    token: sent.get('token') ?? '',
    expiresSec: EXPIRES.test(expires) ? Number(expires) : 0,
    ...(shareId !== null && { shareId }),
  };
}
