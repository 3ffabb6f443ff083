import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../db.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import type { CaptionTrack } from '../schema.ts';
import { findCaption, putCaption } from './caption.ts';

/** Input for the extraction of captions from an original. */
export type CaptionSource = { sourceKey: StorageKey; facts: SourceFacts; captions: readonly CaptionTrack[] };

/** Reads a video's original and its existing captions. Returns null if the video or its original no longer exists. */
export async function loadCaptionSource(db: Db, { libraryId, mediaId }: MediaKey): Promise<CaptionSource | null> {
  const row = await db
    .selectFrom('media')
    .select(['source_key', 'facts', 'captions'])
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  if (row === undefined || row.source_key === null || row.facts === null) return null;
  return { sourceKey: row.source_key, facts: row.facts, captions: row.captions };
}

/**
 * Publishes a stored file as the captions in its language. Returns false if the video no longer exists or already has
 * captions in that language, ignoring case.
 */
export async function addCaption(tx: Tx, key: MediaKey, track: CaptionTrack & { sizeBytes: number }): Promise<boolean> {
  const row = await tx
    .selectFrom('media')
    .select('captions')
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined || findCaption(row.captions, track.srclang) !== undefined) return false;
  await tx
    .updateTable('media')
    .set({ captions: JSON.stringify(putCaption(row.captions, track)) })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .execute();
  await sumStorage(tx, key);
  await bumpPublication(tx, key);
  return true;
}
