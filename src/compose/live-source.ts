import { createHmac } from 'node:crypto';
import type { Database } from '../catalog/db.ts';
import { loadStoredLive } from '../catalog/live/viewing/live-media-store.ts';
import { recordViewers } from '../catalog/live/viewing/stream-figures-store.ts';
import type { LiveSource } from '../delivery/live/live-streams.ts';
import type { SecretRing } from '../lib/secret-ring.ts';

/** Opens the source of an edge's live streams: the feeds of their owners and the stored rows. */
export function openLiveSource(secrets: SecretRing, { db }: Database): LiveSource {
  return {
    secret: secrets.derive(feedSecretOf),
    recordViewers: (counts) => recordViewers(db, counts),
    loadStored: (key, windowSec) => loadStoredLive(db, key, windowSec),
  };
}

/**
 * Returns the secret that edges present to the owners of live streams. Every process of a service derives the same one.
 */
export function feedSecretOf(secretKey: Uint8Array): string {
  return createHmac('sha256', secretKey).update('live feed').digest('hex');
}
