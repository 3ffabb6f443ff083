import { createHash, createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { MediaKey } from '../../catalog/db.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';
import { type Problem, toProblem } from '../http/answer.ts';

const EXPIRES_BYTES = 4;
const RANDOM_BYTES = 12;
const MAC_BYTES = 16;
const HEAD_BYTES = EXPIRES_BYTES + RANDOM_BYTES;
/**
 * Lifetime of a session in seconds, in addition to the length of the video. It allows for pauses and for watching
 * twice.
 */
const LIFETIME_SEC = 6 * 3600;
/** Interval in seconds during which repeated playlist requests of a viewer get the same session. */
const KEPT_SEC = 6 * 3600;

/** Problem returned for an expired session. */
export const OVER: Problem = toProblem('session-over');

/**
 * Play sessions of basic DRM. A session is a string of 43 characters that authenticates itself: its expiry time, a
 * random part, and a code over both and the video's id. Its key is derived from the string, so edges do not have to
 * share state.
 */
export type PlaySessions = {
  /** Starts a session for a video of `durationSec`. */
  begin(key: MediaKey, durationSec: number, nowMs: number): string;
  /**
   * Returns the session of a viewer who reads the same playlist repeatedly. It stays the same for hours at every edge.
   */
  keep(key: MediaKey, viewer: string, ends: { durationSec: number; nowMs: number }): string;
  /** Returns the AES-128 key of a session, or null if it has expired, belongs to another video or is invalid. */
  keyOf(key: MediaKey, session: string, nowMs: number): Buffer | null;
};

/** Creates play sessions. `secrets` must be the same at each edge. */
export function createPlaySessions(secrets: DerivedSecret<KeyObject>): PlaySessions {
  const code = (purpose: string, { libraryId, mediaId }: MediaKey, head: Buffer, secret = secrets()[0]) =>
    createHmac('sha256', secret)
      .update(`${purpose}|${libraryId}|${mediaId}|`)
      .update(head)
      .digest()
      .subarray(0, MAC_BYTES);
  const prove = (key: MediaKey, head: Buffer) =>
    Buffer.concat([head, code('session', key, head)]).toString('base64url');
  return {
    begin(key, durationSec, nowMs) {
      const expires = writeEnd(Math.ceil(nowMs / 1000 + durationSec + LIFETIME_SEC));
      return prove(key, Buffer.concat([expires, randomBytes(RANDOM_BYTES)]));
    },
    keep(key, viewer, { durationSec, nowMs }) {
      const expires = writeEnd(KEPT_SEC * Math.ceil((nowMs / 1000 + durationSec + LIFETIME_SEC) / KEPT_SEC));
      const seed = createHash('sha256').update(viewer).digest();
      const own = code('viewer', key, Buffer.concat([expires, seed])).subarray(0, RANDOM_BYTES);
      return prove(key, Buffer.concat([expires, own]));
    },
    keyOf(key, session, nowMs) {
      const bytes = Buffer.from(session, 'base64url');
      if (bytes.length !== HEAD_BYTES + MAC_BYTES) return null;
      const head = bytes.subarray(0, HEAD_BYTES);
      const shown = bytes.subarray(HEAD_BYTES);
      const secret = secrets().find((candidate) => timingSafeEqual(shown, code('session', key, head, candidate)));
      if (secret === undefined) return null;
      return head.readUInt32BE(0) * 1000 > nowMs ? Buffer.from(code('key', key, head, secret)) : null;
    },
  };
}

function writeEnd(atSec: number): Buffer {
  const expires = Buffer.alloc(EXPIRES_BYTES);
  expires.writeUInt32BE(atSec);
  return expires;
}
