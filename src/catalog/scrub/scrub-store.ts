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

/** A stored original whose SHA-256 is known. */
export type ScrubOriginal = { key: MediaKey; storageKey: StorageKey; sizeBytes: number; sha256: Buffer };

/** What the scrub looks at: of each video its original, then its chunks. */
export type ScrubItem = ({ kind: 'original' } & ScrubOriginal) | ({ kind: 'chunk' } & ScrubChunk);

/** What looking came to. `away`: nothing is stored of all that lies in this part of the store, which is passed over. */
export type ScrubOutcome = { kind: 'sound' | 'damaged' | 'unread' } | { kind: 'away'; part: 'library' | 'video' };

/** A round through the whole store begins this long after the one before did, at the earliest. */
const ROUND_DAYS = 7;

/** Whether anybody waits for encoders: then the disk is theirs. */
export async function isEncoding(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (select from encode_task where state in ('waiting', 'running') and kind not in ('backfill', 'repair'))
      or exists (select from jit_run where lease_until > now()) as is
  `.execute(db);
  return rows[0]?.is === true;
}

/** What is next to be looked at, in the order of the rows, none at the end of the round. Null when no round is due. */
export async function findNext(db: Db, limit: number): Promise<ScrubItem[] | null> {
  const place = await findPlace(db);
  if (place === null) return null;
  const chunks = await selectChunks(db, place, limit);
  const last = chunks.length < limit ? END : (chunks.at(-1)?.key ?? END);
  const originals = await selectOriginals(db, [place, last], limit);
  return [...originals, ...chunks].sort(byPlace).slice(0, limit);
}

type Place = MediaKey & { renditionId: string; firstSegment: number };

const NIL_GUID = '00000000-0000-0000-0000-000000000000' as Guid;
const LAST_GUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff' as Guid;
const LAST_SEGMENT = 2 ** 31 - 1;
const BEGINNING: Place = { libraryId: -1, mediaId: NIL_GUID, renditionId: NIL_GUID, firstSegment: -1 };
const END: MediaKey = { libraryId: Number.MAX_SAFE_INTEGER, mediaId: LAST_GUID };

type Row<T> = Omit<T, 'key'> & MediaKey;

async function selectChunks(db: Db, place: Place, limit: number): Promise<ScrubItem[]> {
  const { rows } = await sql<Row<ScrubChunk>>`
    select c.library_id as "libraryId", c.media_id as "mediaId", c.rendition_id as "renditionId", r.timescale,
      c.first_segment as "firstSegment", c.segment_count as "segmentCount", c.start_tick as "startTick",
      c.storage_key as "storageKey", c.size_bytes as "sizeBytes", c.sha256, c.fragment_table as "fragmentTable"
    from chunk c join rendition r on r.library_id = c.library_id and r.media_id = c.media_id and r.id = c.rendition_id
    where (c.library_id, c.media_id, c.rendition_id, c.first_segment)
      > (${place.libraryId}::bigint, ${place.mediaId}::uuid, ${place.renditionId}::uuid, ${place.firstSegment}::int)
      and r.active and r.state = 'finished'
    order by c.library_id, c.media_id, c.rendition_id, c.first_segment limit ${limit}
  `.execute(db);
  return rows.map(({ libraryId, mediaId, ...chunk }) => ({ kind: 'chunk', key: { libraryId, mediaId }, ...chunk }));
}

/** Those behind one video, up to another, of videos that nothing is being made of. */
async function selectOriginals(db: Db, [after, upTo]: [MediaKey, MediaKey], limit: number): Promise<ScrubItem[]> {
  const { rows } = await sql<Row<ScrubOriginal>>`
    select library_id as "libraryId", id as "mediaId", source_key as "storageKey",
      coalesce(source_bytes, 0) as "sizeBytes", source_sha256 as "sha256" from media
    where (library_id, id) > (${after.libraryId}::bigint, ${after.mediaId}::uuid)
      and (library_id, id) <= (${upTo.libraryId}::bigint, ${upTo.mediaId}::uuid)
      and type = 'video' and state in ('finished', 'failed') and source_key is not null and source_sha256 is not null
    order by library_id, id limit ${limit}
  `.execute(db);
  return rows.map(({ libraryId, mediaId, ...original }) => ({
    kind: 'original',
    key: { libraryId, mediaId },
    ...original,
  }));
}

function byPlace(a: ScrubItem, b: ScrubItem): number {
  const [one, other] = [placeOf(a), placeOf(b)];
  return (
    one.libraryId - other.libraryId ||
    compare(one.mediaId, other.mediaId) ||
    compare(one.renditionId, other.renditionId) ||
    one.firstSegment - other.firstSegment
  );
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function placeOf(item: ScrubItem): Place {
  if (item.kind === 'original') return { ...item.key, renditionId: NIL_GUID, firstSegment: 0 };
  return { ...item.key, renditionId: item.renditionId, firstSegment: item.firstSegment };
}

/** Where the round stands; null when the last one is over and the next not due, or it rests. */
async function findPlace(db: Db): Promise<Place | null> {
  await sql`insert into scrub (id) values (1) on conflict do nothing`.execute(db);
  const row = await db
    .selectFrom('scrub')
    .selectAll()
    .select(sql<boolean>`objects_seen = 0 or round_began_at < now() - make_interval(days => ${ROUND_DAYS})`.as('isDue'))
    .select(sql<boolean>`coalesce(rests_until > now(), false)`.as('rests'))
    .executeTakeFirstOrThrow();
  if (row.rests) return null;
  const { library_id: libraryId, media_id: mediaId, rendition_id: renditionId, first_segment: firstSegment } = row;
  if (libraryId === null || mediaId === null || renditionId === null || firstSegment === null) {
    return row.isDue ? BEGINNING : null;
  }
  return { libraryId, mediaId, renditionId, firstSegment };
}

/** Whether a row names the object still. */
export async function isInUse(db: Db, item: ScrubItem): Promise<boolean> {
  const { rows } =
    item.kind === 'chunk'
      ? await sql`select from chunk c join rendition r on r.id = c.rendition_id
          where c.rendition_id = ${item.renditionId} and c.storage_key = ${item.storageKey} and r.active`.execute(db)
      : await sql`select from media where library_id = ${item.key.libraryId} and id = ${item.key.mediaId}
          and source_key = ${item.storageKey} and source_sha256 = ${item.sha256}`.execute(db);
  return rows.length > 0;
}

/**
 * Notes that something was looked at: the next run goes on behind it, or behind the part of the store that is away,
 * after `restSec` at the earliest. Without a place before, a round began with it.
 */
export async function noteScrubbed(
  db: Db,
  item: ScrubItem,
  { outcome, restSec }: { outcome: ScrubOutcome; restSec: number },
): Promise<void> {
  const { libraryId, mediaId, renditionId, firstSegment } = placeBehind(item, outcome);
  const isFirst = sql`library_id is null`;
  const count = (column: string, by: number) => sql`case when ${isFirst} then 0 else ${sql.ref(column)} end + ${by}`;
  const { kind } = outcome;
  await sql`
    update scrub set library_id = ${libraryId}, media_id = ${mediaId}, rendition_id = ${renditionId},
      first_segment = ${firstSegment},
      round_began_at = case when ${isFirst} then now() else round_began_at end,
      rests_until = now() + make_interval(secs => ${restSec}),
      objects_seen = ${count('objects_seen', 1)},
      bytes_seen = ${count('bytes_seen', item.sizeBytes)},
      objects_damaged = ${count('objects_damaged', kind === 'damaged' ? 1 : 0)},
      objects_unread = ${count('objects_unread', kind === 'unread' || kind === 'away' ? 1 : 0)}
    where id = 1
  `.execute(db);
}

function placeBehind(item: ScrubItem, outcome: ScrubOutcome): Place {
  if (outcome.kind !== 'away') return placeOf(item);
  const { libraryId, mediaId } = item.key;
  const last = outcome.part === 'library' ? LAST_GUID : mediaId;
  return { libraryId, mediaId: last, renditionId: LAST_GUID, firstSegment: LAST_SEGMENT };
}

/** Ends the round: the next begins from the first row, when it is due. */
export async function endRound(db: Db): Promise<void> {
  await sql`
    update scrub set library_id = null, media_id = null, rendition_id = null, first_segment = null where id = 1
  `.execute(db);
}
