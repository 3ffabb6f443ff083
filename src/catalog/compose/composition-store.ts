import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Db, MediaKey } from '../db.ts';
import type { EncodeTask } from '../tasks/encode-task.ts';
import { loadCutList, loadTaskRenditions, type TaskRendition } from '../tasks/task-view-store.ts';
import type { Recipe } from './recipe.ts';

/** Input for an encode task of a composition. */
export type CompositionView = { recipe: Recipe; cutList: CutList; renditions: readonly TaskRendition[] };

/** A stored chunk from which a segment is copied. */
export type SourceChunk = {
  storageKey: StorageKey;
  firstSegment: number;
  segmentCount: number;
  fragmentTable: Buffer;
};

/** Reads the input for an encode task of a composition. Returns null if its video no longer exists. */
export async function loadComposition(db: Db, task: EncodeTask): Promise<CompositionView | null> {
  const row = await db
    .selectFrom('composition')
    .select('recipe')
    .where('library_id', '=', task.key.libraryId)
    .where('media_id', '=', task.key.mediaId)
    .executeTakeFirst();
  const cutList = await loadCutList(db, task);
  if (row === undefined || cutList === null) return null;
  return { recipe: row.recipe, cutList, renditions: await loadTaskRenditions(db, task) };
}

/** Finds the chunk that contains a segment of a rendition. Returns null if it no longer exists. */
export async function findSourceChunk(db: Db, renditionId: Guid, segment: number): Promise<SourceChunk | null> {
  const { rows } = await sql<SourceChunk>`
    select storage_key as "storageKey", first_segment as "firstSegment", segment_count as "segmentCount",
      fragment_table as "fragmentTable"
    from chunk where rendition_id = ${renditionId}
      and int4range(first_segment, first_segment + segment_count) @> ${segment}::int
  `.execute(db);
  return rows[0] ?? null;
}

/**
 * Finds the original of a part, from which the partial segments at the part's ends are encoded. Returns null if it no
 * longer exists.
 */
export async function findPartOriginal(
  db: Db,
  { libraryId, mediaId }: MediaKey,
): Promise<{ sourceKey: StorageKey; facts: SourceFacts } | null> {
  const row = await db
    .selectFrom('media')
    .select(['source_key', 'facts'])
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  if (row === undefined || row.source_key === null || row.facts === null) return null;
  return { sourceKey: row.source_key, facts: row.facts };
}

/** The thumbnail of the first part of a composition that has one. Null if no part has one any more. */
export async function findPartThumbnail(
  db: Db,
  { libraryId, mediaId }: MediaKey,
): Promise<{ key: StorageKey; blurhash: string } | null> {
  const { rows } = await sql<{ key: StorageKey; blurhash: string }>`
    select m.thumbnail_key as key, m.thumbnail_blurhash as blurhash from composition c
    cross join lateral jsonb_array_elements(c.recipe -> 'parts') with ordinality part(one, place)
    join media m on m.library_id = c.library_id and m.id = (part.one ->> 'mediaId')::uuid
    where c.library_id = ${libraryId} and c.media_id = ${mediaId}
      and m.thumbnail_key is not null and m.thumbnail_blurhash is not null
    order by part.place limit 1
  `.execute(db);
  return rows[0] ?? null;
}
