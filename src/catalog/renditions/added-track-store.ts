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

/** Makes a track the only default one of a video, for every set of renditions. */
export async function setDefaultTrack(tx: Tx, { libraryId, mediaId }: MediaKey, trackId: string): Promise<void> {
  await sql`
    update rendition r set is_default = (${TRACK_ID} = ${trackId})
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.kind = 'audio' and r.retired_at is null
  `.execute(tx);
}

/**
 * Offers an added track whose rendition is complete to viewers at once. On the active timeline it replaces the previous
 * rendition of the track, which stays readable for players that have opened its playlist. Other renditions are left
 * unchanged.
 */
export async function offerTrack(tx: Tx, key: MediaKey, renditionId: Guid): Promise<void> {
  const found = await findAdded(tx, key, renditionId);
  if (found === null) return;
  const { trackId, sourceKey, joins } = found;
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
  if (track?.isDefault === true) await setDefaultTrack(tx, key, trackId);
}

/** Records why the new file of an added track could not be encoded. Other renditions are left unchanged. */
export async function noteFailedTrack(tx: Tx, key: MediaKey, renditionId: Guid, reason: string): Promise<void> {
  const found = await findAdded(tx, key, renditionId);
  if (found === null) return;
  const tracks = await loadAddedTracks(tx, key);
  const failed = tracks.map((track) =>
    track.id === found.trackId && track.next?.key === found.sourceKey
      ? { ...track, next: { ...track.next, reason } }
      : track,
  );
  await saveAddedTracks(tx, key, failed);
}

type AddedRendition = { trackId: string; sourceKey: StorageKey; joins: boolean };

/** `joins`: it is complete, but not offered yet, on the active timeline. */
async function findAdded(tx: Tx, { libraryId, mediaId }: MediaKey, renditionId: Guid): Promise<AddedRendition | null> {
  const { rows } = await sql<AddedRendition>`
    select r.plan#>>'{added,trackId}' as "trackId", r.plan#>>'{added,sourceKey}' as "sourceKey",
      t.active and not r.active and r.retired_at is null as joins
    from rendition r
    join timeline t on t.library_id = r.library_id and t.media_id = r.media_id and t.id = r.timeline_id
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.id = ${renditionId}
      and r.plan ? 'added'
  `.execute(tx);
  return rows[0] ?? null;
}
