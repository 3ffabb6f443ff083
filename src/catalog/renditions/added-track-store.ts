import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { MediaKey, Tx } from '../db.ts';
import { retireObject } from '../retired-object-store.ts';
import type { AddedTrack } from './added-track.ts';
import { sumStorage } from './storage-store.ts';

/** SQL: id of the audio track that a rendition `r` belongs to. Tracks of clips and recordings have no stream number. */
export const TRACK_ID = sql<string>`coalesce(r.plan#>>'{added,trackId}', 'file-' || (r.plan->>'streamIndex'),
  r.id::text)`;

/** Reads the added and changed audio tracks of a video whose row is locked. */
export async function loadAddedTracks(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<AddedTrack[]> {
  const row = await tx
    .selectFrom('media')
    .select('audio_tracks')
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  return row?.audio_tracks ?? [];
}

/** Writes the added and changed audio tracks of a video whose row is locked, and counts their files. */
export async function saveAddedTracks(tx: Tx, key: MediaKey, tracks: readonly AddedTrack[]): Promise<void> {
  await tx
    .updateTable('media')
    .set({ audio_tracks: JSON.stringify(tracks) })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .execute();
  await sumStorage(tx, key);
}

/** Makes the usual format of a track the only default audio of a video, in every set of renditions. */
export async function setDefaultTrack(tx: Tx, { libraryId, mediaId }: MediaKey, trackId: string): Promise<void> {
  await sql`
    update rendition r set is_default = (${TRACK_ID} = ${trackId} and not r.plan ? 'form')
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.kind = 'audio' and r.retired_at is null
  `.execute(tx);
}

/**
 * Offers an added track to viewers immediately if its rendition is complete. On the active timeline it replaces the
 * previous rendition of the track, which stays readable for players that have opened its playlist. Other renditions are
 * left unchanged.
 */
export async function offerTrack(tx: Tx, key: MediaKey, renditionId: Guid): Promise<void> {
  const found = await findAdded(tx, key, renditionId);
  if (found === null) return;
  const { trackId, sourceKey, joins, isForm } = found;
  if (isForm) return offerForms(tx, key, found);
  const tracks = await loadAddedTracks(tx, key);
  const track = tracks.find(({ id }) => id === trackId);
  if (track?.next?.key === sourceKey) {
    if (track.file !== null) await retireObject(tx, key, track.file);
    const { reason: _, ...file } = track.next;
    const done = { ...track, file, next: null };
    await saveAddedTracks(
      tx,
      key,
      tracks.map((one) => (one === track ? done : one)),
    );
  }
  if (!joins) return;
  await sql`
    update rendition r set active = false, retired_at = now()
    where r.library_id = ${key.libraryId} and r.media_id = ${key.mediaId} and r.kind = 'audio' and r.active
      and ${TRACK_ID} = ${trackId}
  `.execute(tx);
  await sql`
    update rendition set active = true
    where library_id = ${key.libraryId} and media_id = ${key.mediaId} and id = ${renditionId}
  `.execute(tx);
  await offerForms(tx, key, found);
  if (track?.isDefault === true) await setDefaultTrack(tx, key, trackId);
}

/** Offers the additional formats of an added track that are complete, once its usual format is offered. */
async function offerForms(tx: Tx, { libraryId, mediaId }: MediaKey, { sourceKey }: AddedRendition): Promise<void> {
  await sql`
    update rendition r set active = true
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.plan ? 'form' and r.state = 'finished'
      and r.retired_at is null and r.plan#>>'{added,sourceKey}' = ${sourceKey}
      and exists (select from rendition u where u.library_id = r.library_id and u.media_id = r.media_id and u.active
        and u.timeline_id = r.timeline_id and not u.plan ? 'form' and u.plan#>>'{added,sourceKey}' = ${sourceKey})
  `.execute(tx);
}

/** Records why the new file of an added track could not be encoded. Other renditions are left unchanged. */
export async function noteFailedTrack(tx: Tx, key: MediaKey, renditionId: Guid, reason: string): Promise<void> {
  const found = await findAdded(tx, key, renditionId);
  if (found === null || found.isForm) return;
  const tracks = await loadAddedTracks(tx, key);
  const failed = tracks.map((track) =>
    track.id === found.trackId && track.next?.key === found.sourceKey
      ? { ...track, next: { ...track.next, reason } }
      : track,
  );
  await saveAddedTracks(tx, key, failed);
}

/**
 * `joins`: the rendition is complete on the active timeline, but not offered to viewers yet. `isForm`: it is an
 * additional format of the track, such as a lower bitrate or 5.1.
 */
type AddedRendition = { trackId: string; sourceKey: StorageKey; joins: boolean; isForm: boolean };

async function findAdded(tx: Tx, { libraryId, mediaId }: MediaKey, renditionId: Guid): Promise<AddedRendition | null> {
  const { rows } = await sql<AddedRendition>`
    select r.plan#>>'{added,trackId}' as "trackId", r.plan#>>'{added,sourceKey}' as "sourceKey",
      t.active and not r.active and r.retired_at is null as joins, r.plan ? 'form' as "isForm"
    from rendition r
    join timeline t on t.library_id = r.library_id and t.media_id = r.media_id and t.id = r.timeline_id
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.id = ${renditionId}
      and r.plan ? 'added'
  `.execute(tx);
  return rows[0] ?? null;
}
