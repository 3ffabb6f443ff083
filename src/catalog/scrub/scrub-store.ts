import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Db, MediaKey } from '../db.ts';

/** A stored chunk as its row describes it, and the rendition that it is of. */
export type ScrubChunk = {
  key: MediaKey;
  renditionId: Guid;
  timescale: number;
  firstSegment: number;
  segmentCount: number;
  startTick: number;
  storageKey: StorageKey;
  sizeBytes: number;
  sha256: Buffer;
  fragmentTable: Buffer;
};

type Row = Omit<ScrubChunk, 'key'> & { libraryId: number; mediaId: Guid };

/** A round through the whole store begins this long after the one before did, at the earliest. */
const ROUND_DAYS = 7;

/** Whether anybody waits for encoders: then the disk is theirs. */
export async function isEncoding(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (select from encode_work where state in ('waiting', 'running') and kind not in ('fill', 'repair'))
      or exists (select from jit_run where lease_until > now()) as is
  `.execute(db);
  return rows[0]?.is === true;
}

/** The chunks that are next to be looked at, in the order of their rows, none at the end of the round. Null when no round is due. */
export async function findNextChunks(db: Db, limit: number): Promise<ScrubChunk[] | null> {
  const place = await findPlace(db);
  if (place === null) return null;
  const { rows } = await sql<Row>`
    select c.library_id as "libraryId", c.media_id as "mediaId", c.rendition_id as "renditionId", r.timescale,
      c.first_segment as "firstSegment", c.segment_count as "segmentCount", c.start_tick as "startTick",
      c.storage_key as "storageKey", c.size_bytes as "sizeBytes", c.sha256, c.fragment_table as "fragmentTable"
    from chunk c join rendition r on r.library_id = c.library_id and r.media_id = c.media_id and r.id = c.rendition_id
    where (c.library_id, c.media_id, c.rendition_id, c.first_segment)
      > (${place.libraryId}::bigint, ${place.mediaId}::uuid, ${place.renditionId}::uuid, ${place.firstSegment}::int)
      and r.active and r.state = 'finished'
    order by c.library_id, c.media_id, c.rendition_id, c.first_segment limit ${limit}
  `.execute(db);
  return rows.map(({ libraryId, mediaId, ...chunk }) => ({ key: { libraryId, mediaId }, ...chunk }));
}

type Place = { libraryId: number; mediaId: string; renditionId: string; firstSegment: number };

const NIL_GUID = '00000000-0000-0000-0000-000000000000';
const BEGINNING: Place = { libraryId: -1, mediaId: NIL_GUID, renditionId: NIL_GUID, firstSegment: -1 };

/** Where the round stands; null when the last one is over and the next not due. */
async function findPlace(db: Db): Promise<Place | null> {
  await sql`insert into scrub (id) values (1) on conflict do nothing`.execute(db);
  const row = await db
    .selectFrom('scrub')
    .selectAll()
    .select(sql<boolean>`chunks_seen = 0 or round_began_at < now() - make_interval(days => ${ROUND_DAYS})`.as('isDue'))
    .executeTakeFirstOrThrow();
  const { library_id: libraryId, media_id: mediaId, rendition_id: renditionId, first_segment: firstSegment } = row;
  if (libraryId === null || mediaId === null || renditionId === null || firstSegment === null) {
    return row.isDue ? BEGINNING : null;
  }
  return { libraryId, mediaId, renditionId, firstSegment };
}

/** Whether a row names the chunk still. */
export async function isInUse(db: Db, { renditionId, storageKey }: ScrubChunk): Promise<boolean> {
  const row = await db
    .selectFrom('chunk')
    .innerJoin('rendition', 'rendition.id', 'chunk.rendition_id')
    .select('chunk.storage_key')
    .where('chunk.rendition_id', '=', renditionId)
    .where('chunk.storage_key', '=', storageKey)
    .where('rendition.active', '=', true)
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes that a chunk was looked at: the next run goes on behind it. Without a place before, a round began with it. */
export async function noteScrubbed(db: Db, chunk: ScrubChunk, isDamaged: boolean): Promise<void> {
  const isFirst = sql`library_id is null`;
  await sql`
    update scrub set library_id = ${chunk.key.libraryId}, media_id = ${chunk.key.mediaId},
      rendition_id = ${chunk.renditionId}, first_segment = ${chunk.firstSegment},
      round_began_at = case when ${isFirst} then now() else round_began_at end,
      chunks_seen = case when ${isFirst} then 0 else chunks_seen end + 1,
      bytes_seen = case when ${isFirst} then 0 else bytes_seen end + ${chunk.sizeBytes},
      chunks_damaged = case when ${isFirst} then 0 else chunks_damaged end + ${isDamaged ? 1 : 0}
    where id = 1
  `.execute(db);
}

/** Ends the round: the next begins from the first row, when it is due. */
export async function endRound(db: Db): Promise<void> {
  await sql`
    update scrub set library_id = null, media_id = null, rendition_id = null, first_segment = null where id = 1
  `.execute(db);
}
