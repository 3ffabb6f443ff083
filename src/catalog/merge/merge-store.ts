import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { ChunkFacts } from '../../media/cmaf/chunk.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { insertChunks, lockMedia, type StoredChunk } from '../lifecycle/chunk-store.ts';
import { recountStorage } from '../renditions/storage-store.ts';
import { retireChunk } from '../retired-object-store.ts';

/** A rendition with single-segment chunks. `isGrowing`: more chunks may be added while these are merged. */
export type MergeableRendition = {
  key: MediaKey;
  renditionId: Guid;
  kind: 'video' | 'audio';
  timescale: number;
  isGrowing: boolean;
};

/** A chunk that may become part of a larger one, as described by its row. */
export type MergeableChunk = Omit<
  ChunkFacts,
  'sha256' | 'fragmentTable' | 'ctsRuns' | 'syncCount' | 'peakSegmentBps'
> & {
  storageKey: StorageKey;
  idxBytes: number;
  sha256: Buffer;
  fragmentTable: Buffer;
};

/** Chunks (`parts`), and the chunk that replaces them (`whole`), whose objects are already durable. */
export type Merge = { parts: readonly MergeableChunk[]; whole: StoredChunk };

/**
 * Encoding progress counts the rendition's own chunks, unless it is on demand, so they must not be merged until it is
 * complete. A recording of several periods is read from its live rows.
 */
const IS_MERGEABLE = sql`(r.retired_at is null and (r.state = 'finished' or (r.state = 'building' and r.on_demand))
  and (select count(*) from live_period p where p.library_id = r.library_id and p.media_id = r.media_id
    and not p.is_preview) < 2)`;

/**
 * Maximum duration of an MP4 download, in seconds. It keeps reading the objects that were current when its response
 * began.
 */
const DOWNLOAD_SEC = 6 * 3600;

/** Seconds for which a rendition is not examined again after its examination failed or its worker died. */
const LEFT_ALONE_SEC = 3600;
/** Seconds after which a rendition that still grows, or has chunks left, is examined again. */
const AGAIN_SEC = 60;

/** Takes the rendition that has been due longest. Returns null if none is due. `endMerging` ends its examination. */
export async function takeDue(db: Db): Promise<MergeableRendition | null> {
  const { rows } = await sql<Omit<MergeableRendition, 'key'> & MediaKey>`
    with due as (
      update merge_due set due_at = now() + make_interval(secs => ${LEFT_ALONE_SEC}) where rendition_id in (
        select rendition_id from merge_due where due_at <= now() order by due_at limit 1 for update skip locked)
      returning library_id, media_id, rendition_id)
    select d.library_id as "libraryId", d.media_id as "mediaId", d.rendition_id as "renditionId", r.kind, r.timescale,
      r.state = 'building' as "isGrowing"
    from due d join rendition r on r.library_id = d.library_id and r.media_id = d.media_id and r.id = d.rendition_id
  `.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { libraryId, mediaId, ...rendition } = row;
  return { key: { libraryId, mediaId }, ...rendition };
}

/** Loads the chunks of a rendition in segment order. Returns an empty list if they must not be merged now. */
export async function loadMergeable(db: Db, rendition: MergeableRendition): Promise<MergeableChunk[]> {
  const { key, renditionId } = rendition;
  if (!(await isMergeable(db, rendition))) return [];
  return await db
    .selectFrom('chunk')
    .select(['first_segment as firstSegment', 'segment_count as segmentCount', 'start_tick as startTick'])
    .select(['duration_ticks as durationTicks', 'samples', 'size_bytes as sizeBytes', 'idx_bytes as idxBytes'])
    .select(['storage_key as storageKey', 'sha256', 'fragment_table as fragmentTable'])
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where('rendition_id', '=', renditionId)
    .orderBy('first_segment')
    .execute();
}

/** Returns a number for the names of merged objects, distinct from every encode attempt. */
export async function nextMergeAttempt(db: Db): Promise<number> {
  const { rows } = await sql<{ attempt: number }>`select nextval('encode_attempt')::integer as attempt`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('Expected an attempt number, got none.');
  return row.attempt;
}

/**
 * Replaces parts by merged chunks, retires the parts' objects and increments the revision. Returns the merges that were
 * not accepted because a part was replaced or everything was deleted; the caller deletes their objects.
 */
export async function replaceParts(
  tx: Tx,
  rendition: MergeableRendition,
  { merges, attempt }: { merges: readonly Merge[]; attempt: number },
): Promise<Merge[]> {
  const { key, renditionId } = rendition;
  const revision = await lockMedia(tx, key);
  if (revision === null || !(await isMergeable(tx, rendition))) return [...merges];
  const rejected: Merge[] = [];
  for (const merge of merges) {
    if (!(await areStored(tx, key, { renditionId, merge }))) {
      rejected.push(merge);
      continue;
    }
    await retireParts(tx, key, { renditionId, merge });
    await insertChunks(tx, { key, attempt, revision }, { renditionId, chunks: [merge.whole] });
  }
  await recountStorage(tx, key);
  return rejected;
}

/**
 * Ends the examination of a rendition. If everything was merged, the rendition is removed from the list, unless it
 * still grows. Chunks that are added later put it back.
 */
export async function endMerging(
  tx: Tx,
  { key, renditionId }: MergeableRendition,
  { isDone }: { isDone: boolean },
): Promise<void> {
  // Every writer that adds chunks to a video locks this row too, so none can be added in between.
  await tx.selectFrom('media').select('id').where('id', '=', key.mediaId).forUpdate().execute();
  await sql`
    delete from merge_due d using rendition r where d.rendition_id = ${renditionId} and r.id = d.rendition_id
      and ${isDone} and (r.state <> 'building' or r.retired_at is not null)`.execute(tx);
  await sql`
    update merge_due set due_at = now() + make_interval(secs => ${AGAIN_SEC})
    where rendition_id = ${renditionId}`.execute(tx);
}

type Place = { renditionId: Guid; merge: Merge };

async function isMergeable(db: Db | Tx, { key, renditionId }: MergeableRendition): Promise<boolean> {
  const { rows } = await sql`
    select from rendition r where r.library_id = ${key.libraryId} and r.media_id = ${key.mediaId}
      and r.id = ${renditionId} and ${IS_MERGEABLE}`.execute(db);
  return rows.length > 0;
}

async function areStored(tx: Tx, { libraryId, mediaId }: MediaKey, { renditionId, merge }: Place): Promise<boolean> {
  const keys = merge.parts.map(({ storageKey }) => storageKey);
  const { rows } = await sql<{ found: number }>`
    select count(*) as found from chunk where library_id = ${libraryId} and media_id = ${mediaId}
      and rendition_id = ${renditionId} and first_segment = any(${merge.parts.map(({ firstSegment }) => firstSegment)})
      and storage_key = any(${keys})`.execute(tx);
  return rows[0]?.found === keys.length;
}

async function retireParts(tx: Tx, key: MediaKey, { renditionId, merge }: Place): Promise<void> {
  await sql`
    delete from chunk where library_id = ${key.libraryId} and media_id = ${key.mediaId}
      and rendition_id = ${renditionId}
      and first_segment = any(${merge.parts.map(({ firstSegment }) => firstSegment)})`.execute(tx);
  for (const part of merge.parts) await retireChunk(tx, key, part, DOWNLOAD_SEC);
}
