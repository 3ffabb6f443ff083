import type { Guid } from '../lib/guid.ts';
import type { DrmSystem } from './drm-key-source.ts';

/** The most bytes of a player's challenge. */
export const MAX_CHALLENGE_BYTES = 64 * 1024;

/** Hands challenges of players on to the licence servers of the systems of a key server. */
export type LicenceProxy = {
  /** The systems whose licences can be had here. */
  systems: readonly DrmSystem[];
  /** FairPlay's application certificate (DER); null where none is set. */
  fairPlayCertificate: Buffer | null;
  /**
   * The licence server's answer to a challenge, as it came. Refuses `not-found` where no server of the system is set,
   * `forbidden` what the server refuses, and `unavailable` when it does not answer.
   */
  request(system: DrmSystem, of: { mediaId: Guid; challenge: Buffer }, signal: AbortSignal): Promise<Buffer>;
};
