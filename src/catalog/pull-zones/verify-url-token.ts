import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import {
  addressForms,
  type Candidate,
  candidates,
  fileMessage,
  folderMessage,
  judgeToken,
  type SignedAddress,
  type SigningZone,
  type TokenFault,
  type UrlToken,
} from './url-token.ts';

/** Facts about the requesting client that tokens depend on: `country` is ISO 3166-1 alpha-2, or empty. */
export type TokenBearer = { address: string; country: string; nowMs: number };

/** A verified token, or the reason why there is none. */
export type TokenVerdict = { token: UrlToken } | { fault: TokenFault };

/** Verifies the token of a URL for a zone that requires one. */
export function verifyUrlToken(address: SignedAddress, zone: SigningZone, bearer: TokenBearer): TokenVerdict {
  const { token } = address;
  if (typeof token === 'string') return { fault: token };
  if (zone.holdsAddress && token.scheme === 'hs256' && !token.bindsAddress) return { fault: 'ip-required' };
  if (!isSigned({ token, path: address.path }, bearer.address, zone)) return { fault: 'signature' };
  return judgeVerified(token, address, zone, bearer);
}

/** Checks a token whose signature has been verified already. Examines only facts that change between requests. */
export function judgeVerified(
  token: UrlToken,
  { decodedPath }: SignedAddress,
  { prefix }: SigningZone,
  { country, nowMs }: TokenBearer,
): TokenVerdict {
  if (decodedPath === null) return { fault: 'bad-path' };
  const fault = judgeToken(token, { path: decodedPath, prefix, country, nowSec: nowMs / 1000 });
  return fault === null ? { token } : { fault };
}

/**
 * Compares signatures as text. Decoded bytes would hide the unused bits of the last base64 character, so that several
 * texts would match.
 */
function isSigned(signed: { token: UrlToken; path: string }, address: string, zone: SigningZone): boolean {
  const shown = Buffer.from(signed.token.signature, 'latin1');
  for (const candidate of candidates(signed, address, zone)) {
    const expected = Buffer.from(digest(candidate), 'latin1');
    if (expected.length === shown.length && timingSafeEqual(expected, shown)) return true;
  }
  return false;
}

function digest({ algorithm, key, message }: Candidate): string {
  return algorithm === 'hmac-sha256'
    ? createHmac('sha256', key).update(message).digest('base64url')
    : createHash(algorithm).update(message).digest('base64url');
}

/** Parameters of a signed folder; `address` is null if the zone does not sign it. */
export type FolderToken = { key: string; folder: string; expiresSec: number; address: string | null };

/**
 * Returns the path token (one segment) that opens a folder, such as `/{mediaId}/`, and everything below it until
 * `expiresSec`.
 */
export function signFolder({ key, folder, expiresSec, address }: FolderToken): string {
  const token = signHs256(key, address, (bytes) => folderMessage(folder, expiresSec, bytes));
  return `bcdn_token=${token}&token_path=${encodeURIComponent(folder)}&expires=${expiresSec}`;
}

/**
 * Returns the query that opens the file at `path` (without the zone's prefix) until `expiresSec`. If `path` has a query
 * with one parameter (`?ver=1`), the parameter is signed, too, and is part of the result.
 */
export function signFile({ key, path, expiresSec, address }: Omit<FolderToken, 'folder'> & { path: string }): string {
  const [file = '', param = ''] = path.split('?');
  const token = signHs256(key, address, (bytes) => fileMessage({ path: file, param }, expiresSec, bytes));
  return `${param === '' ? '' : `${param}&`}token=${token}&expires=${expiresSec}`;
}

function signHs256(key: string, address: string | null, messageOf: (bytes: Uint8Array) => Uint8Array): string {
  const bytes = address === null ? null : (addressForms(address)[0] ?? null);
  const signature = digest({ algorithm: 'hmac-sha256', key, message: messageOf(bytes ?? new Uint8Array()) });
  return `HS256-${bytes === null ? '' : '1-'}${signature}`;
}
