import { sql } from 'kysely';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type MediaKey, type Tx } from '../db.ts';
import { RELEASED } from '../leases/lease-store.ts';
import { mustEnterState } from '../media-state-store.ts';
import { dropUnfinishedSets } from '../renditions/drop-unfinished-store.ts';
import { keptMessage } from '../renditions/kept-message.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import { retireObject } from '../retired-object-store.ts';
import type { MediaMessage } from '../schema.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announce } from '../webhooks/webhook-store.ts';
import type { Replaced } from './replaced.ts';

/**
 * Records the current state of a finished video in the transaction that gives it a new original. The old original is
 * retired without an end date, so that it is kept until it is known whether the new one is usable.
 */
export async function keepReplaced(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  await sql`
    insert into retired_object (storage_key, library_id, media_id, size_bytes, retired_at)
    select source_key, library_id, id, coalesce(source_bytes, 0), 'infinity' from media
    where library_id = ${libraryId} and id = ${mediaId} and source_key is not null
    on conflict (storage_key) do nothing
  `.execute(tx);
  await sql`
    update media set replace_until = null, replaced = jsonb_build_object('sourceKey', source_key,
      'sourceBytes', source_bytes, 'sourceSha256', encode(source_sha256, 'hex'), 'facts', facts,
      'uploadOptions', upload_options, 'durationMs', duration_ms, 'widthPx', width_px, 'heightPx', height_px,
      'frameRate', frame_rate, 'rotationDeg', rotation_deg)
    where library_id = ${libraryId} and id = ${mediaId}
  `.execute(tx);
}

/**
 * Completes a replacement: the old state is deleted after its grace period. The heatmap of the old file is deleted
 * immediately, because it does not describe the new file. A video without a replacement is left unchanged.
 */
export async function forgetReplaced(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  await sql`
    update retired_object o set retired_at = now() from media m
    where m.library_id = ${libraryId} and m.id = ${mediaId} and o.storage_key = m.replaced->>'sourceKey'
  `.execute(tx);
  await sql`
    delete from media_heat h using media m where h.library_id = ${libraryId} and h.media_id = ${mediaId}
      and m.library_id = h.library_id and m.id = h.media_id and m.replaced is not null
  `.execute(tx);
  await sql`
    update media set replaced = null where library_id = ${libraryId} and id = ${mediaId} and replaced is not null
  `.execute(tx);
}

/**
 * Restores the previous state if the new file cannot be used: the video is finished as before, with a message that
 * explains why. Returns false and does nothing if there is no previous state.
 */
export async function restoreReplaced(tx: Tx, key: MediaKey, why: MediaMessage): Promise<boolean> {
  const media = await tx
    .selectFrom('media')
    .select(['replaced', 'source_key', 'source_bytes'])
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .forUpdate()
    .executeTakeFirst();
  if (media === undefined || media.replaced === null) return false;
  await dropUnfinishedSets(tx, key);
  if (media.source_key !== null) {
    await retireObject(tx, key, { key: media.source_key, sizeBytes: media.source_bytes ?? 0 });
  }
  await putBack(tx, key, media.replaced, why);
  await keepInUse(tx, media.replaced.sourceKey);
  await sumStorage(tx, key);
  await bumpPublication(tx, key);
  await announce(key, WebhookStatus.finished)(tx);
  return true;
}

async function putBack(tx: Tx, key: MediaKey, before: Replaced, why: MediaMessage): Promise<void> {
  const line = keptMessage('The new file could not be used', why);
  const sha256 = before.sourceSha256 === null ? null : Buffer.from(before.sourceSha256, 'hex');
  await mustEnterState(tx, key, 'finished', {
    reason: null,
    set: {
      ...RELEASED,
      encode_progress: 100,
      source_key: before.sourceKey,
      source_bytes: before.sourceBytes,
      source_sha256: sha256,
      facts: before.facts === null ? null : JSON.stringify(before.facts),
      upload_options: JSON.stringify(before.uploadOptions),
      duration_ms: before.durationMs,
      width_px: before.widthPx,
      height_px: before.heightPx,
      frame_rate: before.frameRate,
      rotation_deg: before.rotationDeg,
      replaced: null,
      messages: sql<string>`messages || ${JSON.stringify([line])}::jsonb`,
    },
  });
}

async function keepInUse(tx: Tx, object: StorageKey | null): Promise<void> {
  if (object !== null) await tx.deleteFrom('retired_object').where('storage_key', '=', object).execute();
}
