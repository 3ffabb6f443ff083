import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';

/** The four headers that sign every resumable upload request. `expiresSec` is seconds since 1970. */
export type TusClaim = {
  libraryId: number;
  videoId: Guid;
  expiresSec: number;
  signature: string;
  /** Session of the person for whom the dashboard signed; null: signed by a holder of the key. */
  sessionId: Guid | null;
  /** Signed values exactly as the client wrote them. */
  spelt: { libraryId: string; videoId: string; expires: string };
};

const HEX_SHA256 = /^[0-9a-f]{64}$/i;

/** Reads the four headers. Throws `Refused` with the name of the first missing or malformed header. */
export function readClaim(headers: IncomingHttpHeaders): TusClaim {
  const libraryId = one(headers, 'LibraryId');
  const videoId = one(headers, 'VideoId');
  const expires = one(headers, 'AuthorizationExpire');
  const signature = one(headers, 'AuthorizationSignature');
  const guid = readGuid(videoId);
  const session = headers.authorizationsession;
  const sessionId = session === undefined ? null : readGuid(String(session));
  if (session !== undefined && sessionId === null) throw wrong('AuthorizationSession', 'the GUID of a session');
  if (!/^\d{1,15}$/.test(libraryId)) throw wrong('LibraryId', 'a library number');
  if (guid === null) throw wrong('VideoId', 'the GUID of the video');
  if (!/^\d{1,15}$/.test(expires)) throw wrong('AuthorizationExpire', 'a time in unix seconds');
  if (!HEX_SHA256.test(signature)) throw wrong('AuthorizationSignature', '64 hexadecimal digits');
  return {
    libraryId: Number(libraryId),
    videoId: guid,
    expiresSec: Number(expires),
    signature,
    sessionId,
    spelt: { libraryId, videoId, expires },
  };
}

/**
 * Returns whether the claim was signed with the library's key: hex(SHA-256(libraryId + apiKey + expire + videoId)),
 * compared in constant time. The client may sign the video id as written in the header or in lower case. For a
 * person, the dashboard also signs the id of the session.
 */
export function isSignedBy({ spelt, videoId, signature, sessionId }: TusClaim, apiKey: string): boolean {
  const given = Buffer.from(signature, 'hex');
  return [spelt.videoId, videoId]
    .map((id) =>
      createHash('sha256')
        .update(`${spelt.libraryId}${apiKey}${spelt.expires}${id}${sessionId ?? ''}`)
        .digest(),
    )
    .some((expected) => timingSafeEqual(expected, given));
}

/** Maximum difference between the clocks of the database and of this process, in ms. */
const CLOCK_SKEW_MS = 60_000;

/** Returns whether the signature has expired. */
export function isExpired({ expiresSec }: TusClaim): boolean {
  return expiresSec * 1000 < Date.now();
}

/** Returns whether the signature had already expired when an upload was created. */
export function wasExpiredAt(claim: TusClaim, createdAt: Date): boolean {
  return isExpired(claim) && claim.expiresSec * 1000 + CLOCK_SKEW_MS < createdAt.getTime();
}

function one(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name.toLowerCase()];
  if (typeof value !== 'string' || value === '') throw wrong(name, 'a value');
  return value.trim();
}

function wrong(header: string, expected: string): Refused {
  return new Refused(
    'unauthenticated',
    `Expected the header ${header} to be ${expected}, got something else. Correct the value.`,
  );
}
