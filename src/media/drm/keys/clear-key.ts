import type { Guid } from '../../../lib/guid.ts';
import { quote } from '../../../lib/quote.ts';
import { Refused } from '../../../lib/refused.ts';
import type { ContentKey } from '../../../ports/drm-key-source.ts';
import { kidBytes, kidOfBytes } from './content-keys.ts';

/** Contents of a ClearKey licence request (W3C Encrypted Media Extensions section 9.1.3). */
export type ClearKeyRequest = { kids: Guid[] };

const MAX_REQUEST_CHARS = 8192;
const MAX_KIDS = 64;
const KID_BYTES = 16;
/** 16 bytes in base64url without padding. */
const ENCODED_KID = /^[A-Za-z0-9_-]{22}$/;

/**
 * Parses a licence request, `{"kids":["<base64url>"],"type":"temporary"}`. Rejects other JSON, requests without a key
 * id or with more than 64, key ids that are not 16 bytes, and persistent licences, because a player must request a
 * licence for each playback.
 */
export function parseClearKeyRequest(text: string): ClearKeyRequest {
  if (text.length > MAX_REQUEST_CHARS) {
    throw new Refused(
      'too-large',
      `Expected a licence request of at most ${MAX_REQUEST_CHARS} characters, got ${text.length}.`,
    );
  }
  const request = parseObject(text);
  const { kids, type } = request;
  if (type !== undefined && type !== 'temporary') {
    throw new Refused('invalid', `Expected a licence request of type "temporary", got ${describe(type)}.`);
  }
  if (!Array.isArray(kids) || kids.length === 0 || kids.length > MAX_KIDS) {
    const got = Array.isArray(kids) ? kids.length : 'no list';
    throw new Refused('invalid', `Expected 1 to ${MAX_KIDS} key ids in "kids", got ${got}.`);
  }
  return { kids: kids.map(parseKid) };
}

/**
 * Writes the licence, a JSON Web Key set, with the requested keys that the video has. Throws `Refused` (`not-found`) if
 * the video has none of the requested keys. The caller decides which keys the client may get, and passes only those as
 * `keys` (a key group may be withheld).
 */
export function writeClearKeyLicence(request: ClearKeyRequest, keys: readonly ContentKey[]): string {
  const granted = keys.filter((key) => request.kids.includes(key.kid));
  if (granted.length === 0) throw new Refused('not-found', 'The video has none of the requested keys.');
  const set = granted.map(({ kid, key }) => ({ kty: 'oct', kid: encodeKid(kid), k: key.toString('base64url') }));
  return JSON.stringify({ keys: set, type: 'temporary' });
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value));
  } catch (cause) {
    throw new Refused('invalid', 'Expected a licence request in JSON.', { cause });
  }
  throw new Refused('invalid', 'Expected a licence request that is a JSON object.');
}

function parseKid(encoded: unknown): Guid {
  const bytes = typeof encoded === 'string' && ENCODED_KID.test(encoded) ? Buffer.from(encoded, 'base64url') : null;
  if (bytes?.length === KID_BYTES) return kidOfBytes(bytes);
  throw new Refused('invalid', `Expected key ids of 16 bytes in base64url without padding, got ${describe(encoded)}.`);
}

function describe(value: unknown): string {
  return quote(typeof value === 'string' ? value : JSON.stringify(value));
}

function encodeKid(kid: Guid): string {
  return kidBytes(kid).toString('base64url');
}
