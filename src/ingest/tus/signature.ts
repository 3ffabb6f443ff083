import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Guid, parseGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';

/** The four headers that sign every resumable upload request; `expiresSec` is in unix seconds. */
export type TusClaim = { libraryId: number; videoId: Guid; expiresText: string; expiresSec: number; signature: string };

const HEX_SHA256 = /^[0-9a-f]{64}$/i;

/** Reads the four headers; each missing or malformed one is named in the refusal. */
export function readClaim(headers: IncomingHttpHeaders): TusClaim {
  const libraryText = one(headers, 'LibraryId');
  const videoId = parseGuid(one(headers, 'VideoId'));
  const expiresText = one(headers, 'AuthorizationExpire');
  const signature = one(headers, 'AuthorizationSignature');
  if (!/^\d{1,15}$/.test(libraryText)) throw wrong('LibraryId', 'a library number');
  if (videoId === null) throw wrong('VideoId', 'the GUID of the video');
  if (!/^\d{1,15}$/.test(expiresText)) throw wrong('AuthorizationExpire', 'a time in unix seconds');
  if (!HEX_SHA256.test(signature)) throw wrong('AuthorizationSignature', '64 hexadecimal digits');
  return { libraryId: Number(libraryText), videoId, expiresText, expiresSec: Number(expiresText), signature };
}

/**
 * Whether the claim was signed with the library's key: hex(SHA-256(libraryId + apiKey + expire + videoId)),
 * compared in constant time. The video id is signed as the client spelt it, so both cases are tried.
 */
export function isSignedBy(claim: TusClaim, apiKey: string): boolean {
  const given = Buffer.from(claim.signature, 'hex');
  return [claim.videoId, claim.videoId.toUpperCase()]
    .map((videoId) => createHash('sha256').update(`${claim.libraryId}${apiKey}${claim.expiresText}${videoId}`).digest())
    .some((expected) => timingSafeEqual(expected, given));
}

function one(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name.toLowerCase()];
  if (typeof value !== 'string' || value === '') throw wrong(name, 'a value');
  return value.trim();
}

function wrong(header: string, expected: string): Refused {
  return new Refused('unauthenticated', `Expected the header ${header} to hold ${expected}.`);
}
