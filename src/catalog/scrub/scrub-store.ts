import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';

/** A stored chunk as described by its row, and its rendition. */
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

/** An object to scrub: for each video its original, then its chunks. */
export type ScrubItem = ({ kind: 'original' } & ScrubOriginal) | ({ kind: 'chunk' } & ScrubChunk);

/** Result of a check. `away`: nothing at all is stored in this part of the store, which is skipped. */
export type ScrubOutcome = { kind: 'intact' | 'damaged' | 'unread' } | { kind: 'away'; part: 'library' | 'video' };

/** Minimum days between the beginnings of two rounds through the whole store. */
const ROUND_DAYS = 7;

/** An object to check, and the position of the round before it was taken. */
export type TakenItem = { item: ScrubItem; before: ScrubPosition };

/**
 * Claims the next object in row order, so that no other worker checks it in this round. Returns null if the round has
 * ended, or no round is due.
 */
export function takeNext(db: Db): Promise<TakenItem | null> {
  return inTransaction(db, async (tx) => {
    const round = await lockRound(tx);
    if (round === null) return null;
    const { position: before, isBeginning } = round;
    const [item] = await findNext(tx, before, 1);
    if (item === undefined) {
      await setPosition(tx, null);
      return null;
    }
    if (isBeginning) await beginRound(tx);
    await setPosition(tx, placeOf(item));
    return { item, before };
  });
}

/** Puts a taken object back for another check, unless other workers have advanced past it. */
export async function giveBack(db: Db, { item, before }: TakenItem): Promise<void> {
  await inTransaction(db, async (tx) => {
    const round = await lockRound(tx);
    if (round !== null && comparePositions(round.position, placeOf(item)) === 0) await setPosition(tx, before);
  });
}

/** Finds some objects after a position, in row order. */
export async function findNext(db: Db | Tx, position: ScrubPosition, limit: number): Promise<ScrubItem[]> {
  const chunks = await selectChunks(db, position, limit);
  const last = chunks.length < limit ? END : (chunks.at(-1)?.key ?? END);
  const originals = await selectOriginals(db, [position, last], limit);
  return [...originals, ...chunks].sort((a, b) => comparePositions(placeOf(a), placeOf(b))).slice(0, limit);
}

export type ScrubPosition = MediaKey & { renditionId: string; firstSegment: number };

const NIL_GUID = '00000000-0000-0000-0000-000000000000' as Guid;
const LAST_GUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff' as Guid;
const LAST_SEGMENT = 2 ** 31 - 1;
export const BEGINNING: ScrubPosition = { libraryId: -1, mediaId: NIL_GUID, renditionId: NIL_GUID, firstSegment: -1 };
const END: MediaKey = { libraryId: Number.MAX_SAFE_INTEGER, mediaId: LAST_GUID };

type Row<T> = Omit<T, 'key'> & MediaKey;

async function selectChunks(db: Db | Tx, position: ScrubPosition, limit: number): Promise<ScrubItem[]> {
  const { rows } = await sql<Row<ScrubChunk>>`
    select c.library_id as "libraryId", c.media_id as "mediaId", c.rendition_id as "renditionId", r.timescale,
      c.first_segment as "firstSegment", c.segment_count as "segmentCount", c.start_tick as "startTick",
      c.storage_key as "storageKey", c.size_bytes as "sizeBytes", c.sha256, c.fragment_table as "fragmentTable"
    from chunk c join rendition r on r.library_id = c.library_id and r.media_id = c.media_id and r.id = c.rendition_id
    where (c.library_id, c.media_id, c.rendition_id, c.first_segment)
      > (${position.libraryId}::bigint, ${position.mediaId}::uuid, ${position.renditionId}::uuid,
        ${position.firstSegment}::int)
      and r.active and r.state = 'finished'
    order by c.library_id, c.media_id, c.rendition_id, c.first_segment limit ${limit}
  `.execute(db);
  return rows.map(({ libraryId, mediaId, ...chunk }) => ({ kind: 'chunk', key: { libraryId, mediaId }, ...chunk }));
}

/** Selects originals after one video, up to another, of videos without work in progress. */
async function selectOriginals(db: Db | Tx, [after, upTo]: [MediaKey, MediaKey], limit: number): Promise<ScrubItem[]> {
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

function comparePositions(one: ScrubPosition, other: ScrubPosition): number {
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

function placeOf(item: ScrubItem): ScrubPosition {
  if (item.kind === 'original') return { ...item.key, renditionId: NIL_GUID, firstSegment: 0 };
  return { ...item.key, renditionId: item.renditionId, firstSegment: item.firstSegment };
}

type Standing = { position: ScrubPosition; isBeginning: boolean };

/**
 * Returns the position of the round, or null if the last round has ended and the next one is not due. The row is locked
 * until the transaction ends.
 */
async function lockRound(tx: Tx): Promise<Standing | null> {
  await sql`insert into scrub (id) values (1) on conflict do nothing`.execute(tx);
  const row = await tx
    .selectFrom('scrub')
    .selectAll()
    .select(sql<boolean>`objects_seen = 0 or round_began_at < now() - make_interval(days => ${ROUND_DAYS})`.as('isDue'))
    .forUpdate()
    .executeTakeFirstOrThrow();
  const { library_id: libraryId, media_id: mediaId, rendition_id: renditionId, first_segment: firstSegment } = row;
  if (libraryId === null || mediaId === null || renditionId === null || firstSegment === null) {
    return row.isDue ? { position: BEGINNING, isBeginning: true } : null;
  }
  return { position: { libraryId, mediaId, renditionId, firstSegment }, isBeginning: false };
}

async function beginRound(tx: Tx): Promise<void> {
  await sql`
    update scrub set round_began_at = now(), objects_seen = 0, bytes_seen = 0, objects_damaged = 0, objects_unread = 0
  `.execute(tx);
}

/** Null ends the round: the next begins from the first row, when it is due. */
async function setPosition(tx: Tx, position: ScrubPosition | null): Promise<void> {
  const isWhole = position !== null && comparePositions(position, BEGINNING) > 0;
  await sql`
    update scrub set library_id = ${isWhole ? position.libraryId : null},
      media_id = ${isWhole ? position.mediaId : null},
      rendition_id = ${isWhole ? position.renditionId : null}, first_segment = ${isWhole ? position.firstSegment : null}
  `.execute(tx);
}

/** Returns whether a row still references the object. */
export async function isInUse(db: Db, item: ScrubItem): Promise<boolean> {
  const { rows } =
    item.kind === 'chunk'
      ? await sql`select from chunk c join rendition r on r.id = c.rendition_id
          where c.rendition_id = ${item.renditionId} and c.storage_key = ${item.storageKey} and r.active`.execute(db)
      : await sql`select from media where library_id = ${item.key.libraryId} and id = ${item.key.mediaId}
          and source_key = ${item.storageKey} and source_sha256 = ${item.sha256}`.execute(db);
  return rows.length > 0;
}

/** Records a check. An absent part of the store is skipped, unless other workers have advanced past it. */
export async function noteScrubbed(db: Db, item: ScrubItem, outcome: ScrubOutcome): Promise<void> {
  const { kind } = outcome;
  await inTransaction(db, async (tx) => {
    const round = await lockRound(tx);
    await sql`
      update scrub set objects_seen = objects_seen + 1, bytes_seen = bytes_seen + ${item.sizeBytes},
        objects_damaged = objects_damaged + ${kind === 'damaged' ? 1 : 0},
        objects_unread = objects_unread + ${kind === 'unread' || kind === 'away' ? 1 : 0}`.execute(tx);
    const behind = placeBehind(item, outcome);
    if (kind === 'away' && round !== null && comparePositions(round.position, behind) < 0)
      await setPosition(tx, behind);
  });
}

function placeBehind(item: ScrubItem, outcome: ScrubOutcome): ScrubPosition {
  if (outcome.kind !== 'away') return placeOf(item);
  const { libraryId, mediaId } = item.key;
  const last = outcome.part === 'library' ? LAST_GUID : mediaId;
  return { libraryId, mediaId: last, renditionId: LAST_GUID, firstSegment: LAST_SEGMENT };
}

/** The scrub round that last read and hashed the stored objects of a video. */
export type VideoScrub = {
  roundBeganAt: Date;
  /** True if this round has passed the video. Otherwise the previous round read it last. */
  isRead: boolean;
};

/**
 * Loads the scrub progress for a video. Returns null before its first round, or for a video created after that round
 * began.
 */
export async function loadVideoScrub(db: Db, { libraryId, mediaId }: MediaKey): Promise<VideoScrub | null> {
  const { rows } = await sql<VideoScrub>`
    select s.round_began_at as "roundBeganAt",
      s.media_id is null or (m.library_id, m.id) < (s.library_id, s.media_id) as "isRead"
    from scrub s, media m
    where s.objects_seen > 0 and m.library_id = ${libraryId} and m.id = ${mediaId}
      and m.created_at < s.round_began_at`.execute(db);
  return rows[0] ?? null;
}
