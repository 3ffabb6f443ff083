import type { Guid } from '../../lib/guid.ts';
import { segmentCount } from '../../media/presentation/published-rendition.ts';
import type { Db, MediaKey } from '../db.ts';
import type { Publication, StoredChunk, StoredRendition } from './publication.ts';
import {
  type ChunkRow,
  IS_SERVED,
  type LightRow,
  RENDITION_COLUMNS,
  toRendition,
  toStoredChunk,
} from './publication-row-store.ts';

/** The known publication of a media item, and its current revision. */
type Growth = { key: MediaKey; revision: number; known: Publication };
type GrowthRow = Awaited<ReturnType<typeof selectGrowth>>[number];

/**
 * Returns the renditions of a media item as of `revision`, from the known ones and later chunks, in one statement,
 * which is one snapshot. Returns null if anything else changed, or too many chunks were added: then everything must be
 * read. Chunks leave a rendition only when others replace them, or with the rendition, whose id is never reused.
 */
export async function loadGrown(db: Db, { key, revision, known }: Growth): Promise<StoredRendition[] | null> {
  const before = new Map(known.renditions.map((rendition) => [rendition.id, rendition]));
  const rows = await selectGrowth(db, key, known.revision);
  const fresh = new Map<Guid, StoredChunk[]>();
  const light = new Map<Guid, LightRow>();
  for (const row of rows) {
    const old = before.get(row.id);
    if (row.revision !== revision || old === undefined || old.init === null) return null;
    if (row.timeline_id !== old.timelineId || row.end_ticks !== old.cutList.endTicks) return null;
    light.set(row.id, row);
    if (isOfChunk(row)) fresh.set(row.id, [...(fresh.get(row.id) ?? []), toStoredChunk(row)]);
  }
  return known.renditions.flatMap((old) => {
    const row = light.get(old.id);
    if (row === undefined) return [];
    return [{ ...old, ...toRendition(row, old.cutList), chunks: addChunks(old.chunks, fresh.get(old.id) ?? []) }];
  });
}

/** New chunks follow the known ones, or replace those that they overlap (a merge of small chunks). */
export function addChunks(known: readonly StoredChunk[], fresh: readonly StoredChunk[]): readonly StoredChunk[] {
  const [first] = fresh;
  const last = known.at(-1);
  if (first === undefined) return known;
  const end = (chunk: StoredChunk) => chunk.firstSegment + segmentCount(chunk.table);
  if (last === undefined || end(last) <= first.firstSegment) return [...known, ...fresh];
  const overlaps = (a: StoredChunk, b: StoredChunk) => a.firstSegment < end(b) && b.firstSegment < end(a);
  const kept = known.filter((chunk) => !fresh.some((newer) => overlaps(chunk, newer)));
  return [...kept, ...fresh].sort((a, b) => a.firstSegment - b.firstSegment);
}

/** Selects a row for each served rendition, or for each of its later chunks. */
function selectGrowth(db: Db, { libraryId, mediaId }: MediaKey, since: number) {
  return db
    .selectFrom('media as m')
    .innerJoin('rendition as r', (join) =>
      join.onRef('r.library_id', '=', 'm.library_id').onRef('r.media_id', '=', 'm.id'),
    )
    .innerJoin('timeline as t', (join) =>
      join
        .onRef('t.library_id', '=', 'r.library_id')
        .onRef('t.media_id', '=', 'r.media_id')
        .onRef('t.id', '=', 'r.timeline_id'),
    )
    .leftJoin('chunk as c', (join) =>
      join
        .onRef('c.library_id', '=', 'r.library_id')
        .onRef('c.media_id', '=', 'r.media_id')
        .onRef('c.rendition_id', '=', 'r.id')
        .on('c.revision', '>', since),
    )
    .select(['m.revision', 't.end_ticks'])
    .select(RENDITION_COLUMNS)
    .select(['c.first_segment', 'c.segment_count', 'c.start_tick', 'c.duration_ticks', 'c.storage_key'])
    .select('c.fragment_table')
    .where('m.library_id', '=', libraryId)
    .where('m.id', '=', mediaId)
    .where(IS_SERVED)
    .orderBy('r.id')
    .orderBy('c.first_segment')
    .execute();
}

/** Without new chunks, the columns of a chunk are all null. */
function isOfChunk(row: GrowthRow): row is GrowthRow & ChunkRow {
  return row.storage_key !== null;
}
