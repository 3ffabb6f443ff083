import { sql } from 'kysely';
import type { SourceFacts } from '../../media/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../db.ts';
import type { CaptionTrack } from '../schema.ts';

/** What taking captions out of an original takes. */
export type CaptionSource = { sourceKey: StorageKey; facts: SourceFacts; taken: ReadonlySet<string> };

/** Reads a video's original and which caption languages it has already. Null when the video or its original is gone. */
export async function loadCaptionSource(db: Db, { libraryId, mediaId }: MediaKey): Promise<CaptionSource | null> {
  const row = await db
    .selectFrom('media')
    .select(['source_key', 'facts', 'captions'])
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  if (row === undefined || row.source_key === null || row.facts === null) return null;
  const taken = new Set(row.captions.map(({ srclang }) => srclang));
  return { sourceKey: row.source_key, facts: row.facts, taken };
}

/** Adds a caption track unless the video has one of that language: then, or when the video is gone, false. */
export async function addCaption(tx: Tx, key: MediaKey, track: CaptionTrack): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('media')
    .set({ captions: sql<string>`captions || ${JSON.stringify([track])}::jsonb` })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where(sql<boolean>`not captions @> ${JSON.stringify([{ srclang: track.srclang }])}::jsonb`)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return false;
  await bumpPublication(tx, key);
  return true;
}
