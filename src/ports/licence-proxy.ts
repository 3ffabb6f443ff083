import type { Guid } from '../lib/guid.ts';
import type { DrmSystem } from './drm-key-source.ts';

/** Maximum bytes of a player's challenge. */
export const MAX_CHALLENGE_BYTES = 64 * 1024;

/** Forwards challenges of players to the licence servers of a key server's systems. */
export type LicenceProxy = {
  /** Systems with a configured licence server. */
  systems: readonly DrmSystem[];
  /** FairPlay application certificate (DER), or null if none is configured. */
  fairPlayCertificate: Buffer | null;
  /**
   * Returns the licence server's unchanged response to a challenge. Throws `Refused`: `not-found` if no server of the
   * system is configured, `forbidden` if the server refuses, and `unavailable` if it does not respond.
   */
  request(system: DrmSystem, of: { mediaId: Guid; challenge: Buffer }, signal: AbortSignal): Promise<Buffer>;
};
