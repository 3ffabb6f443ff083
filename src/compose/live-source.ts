import { createHmac } from 'node:crypto';
import type { Database } from '../catalog/db.ts';
import { loadStoredLive } from '../catalog/live/viewing/live-media-store.ts';
import { recordViewers } from '../catalog/live/viewing/stream-figures-store.ts';
import type { RoleSettings } from '../config/settings.ts';
import type { LiveSource } from '../delivery/live/live-streams.ts';

/** Where an edge finds live streams: feeds of their owners, and rows. */
export function openLiveSource(settings: RoleSettings, { db }: Database): LiveSource {
  return {
    secret: feedSecretOf(settings.secretKey),
    recordViewers: (counts) => recordViewers(db, counts),
    loadStored: (key, windowSec) => loadStoredLive(db, key, windowSec),
  };
}

/** What edges show to the owners of live streams; every process of a service derives the same. */
export function feedSecretOf(secretKey: Uint8Array): string {
  return createHmac('sha256', secretKey).update('live feed').digest('hex');
}
