import { type RawBuilder, sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db, FollowUp, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { matches, type VideoFilter } from '../videos/video-search-store.ts';
import type { Visibility } from '../visibility.ts';
import { BULK_KEPT_DAYS, type BulkKind, type BulkReport, MAX_BULK_ITEMS } from './bulk-operation.ts';

const FAILURES_SHOWN = 100;
/** Maximum number of old operations that a new one deletes. */
const MAX_DROPPED = 100;

/** Videos of an operation: listed ids, all that match a filter, or the videos of another operation. */
export type BulkSelection =
  | { by: 'ids'; ids: readonly Guid[] }
  | { by: 'filter'; filter: VideoFilter }
  | { by: 'operation'; bulkId: Guid };

/** Targets of the actions that have one: `move` and `visibility`. */
type BulkTarget = { collectionId: Guid | null; visibility: Visibility | null };
export type WantedBulk = BulkTarget & { libraryId: number; kind: BulkKind; selection: BulkSelection };
export type BulkKey = { libraryId: number; bulkId: Guid };
/** The collection and the visibility that a video had before an action changed them. An undo restores them. */
export type BulkBefore = { collectionBefore: Guid | null; visibilityBefore: Visibility | null };
export type BulkItem = BulkBefore & { place: number; mediaId: Guid };
/** The action, and the kind of the operation that it undoes, if any. */
export type BulkAct = BulkTarget & { kind: BulkKind; undoes: BulkKind | null };
export type OpenBulk = BulkAct & { items: BulkItem[] };

/** Operations on many videos. Each video has its own outcome. */
export type BulkStore = {
  /**
   * Creates an operation: records the videos that it applies to now, and runs the follow-up. Throws `Refused`
   * (`not-found`) if the operation to undo does not exist, and (`invalid`) for the undo of a move that recorded no
   * previous collections.
   */
  create(wanted: WantedBulk, followUp: (key: BulkKey) => FollowUp): Promise<BulkKey>;
  /** Throws `Refused` (`not-found`) for an unknown operation. */
  load(key: BulkKey): Promise<BulkReport>;
  /**
   * Returns the next videos of an operation in order, or null if the operation no longer exists. Marks an operation
   * without remaining videos as ended.
   */
  open(key: BulkKey, limit: number): Promise<OpenBulk | null>;
  /**
   * Ends an operation that cannot continue: its waiting videos fail with `reason`. Throws `Refused` (`not-found`) for
   * an unknown operation.
   */
  end(key: BulkKey, reason: string): Promise<void>;
};

export function createBulkStore(db: Db): BulkStore {
  return {
    create: (wanted, followUp) =>
      inTransaction(db, async (tx) => {
        const key = { libraryId: wanted.libraryId, bulkId: newGuid() };
        await dropOld(tx);
        await insertBulk(tx, key, wanted);
        await followUp(key)(tx);
        return key;
      }),
    load: (key) => loadReport(db, key),
    open: (key, limit) => openBulk(db, key, limit),
    end: (key, reason) => inTransaction(db, (tx) => endOperation(tx, key, reason)),
  };
}

/** Outcome for a video: done, with what it had before, or failed with a reason. */
export type BulkOutcome = ({ reason: null } & BulkBefore) | { reason: string };

/**
 * Records a video's outcome once; an earlier outcome is kept. Returns whether the video was still waiting for its
 * outcome.
 */
export async function finalizeItem(tx: Db | Tx, bulkId: Guid, place: number, outcome: BulkOutcome): Promise<boolean> {
  const { reason } = outcome;
  const state = reason === null ? 'done' : 'failed';
  const before = outcome.reason === null ? outcome.collectionBefore : null;
  const visibilityBefore = outcome.reason === null ? outcome.visibilityBefore : null;
  const { numAffectedRows } = await sql`
    with settled as (update bulk_item set state = ${state}, reason = ${reason},
        collection_before = coalesce(${before}::uuid, collection_before),
        visibility_before = coalesce(${visibilityBefore}::text, visibility_before)
      where bulk_id = ${bulkId} and place = ${place} and state = 'waiting' returning 1)
    update bulk_operation set done = done + case when ${state} = 'done' then 1 else 0 end,
      failed = failed + case when ${state} = 'failed' then 1 else 0 end
    where id = ${bulkId} and exists (select from settled)`.execute(tx);
  return numAffectedRows === 1n;
}

async function insertBulk(tx: Tx, { libraryId, bulkId }: BulkKey, wanted: WantedBulk): Promise<void> {
  const { kind, collectionId, visibility, selection } = wanted;
  const undone = kind === 'restore' && selection.by === 'operation' ? selection.bulkId : null;
  if (undone !== null) await requireUndoable(tx, { libraryId, bulkId: undone });
  if (selection.by === 'operation') await endOperation(tx, { libraryId, bulkId: selection.bulkId }, 'undone');
  await tx
    .insertInto('bulk_operation')
    .values({ id: bulkId, library_id: libraryId, kind, collection_id: collectionId, visibility })
    .execute();
  await sql`
    insert into bulk_item (bulk_id, place, media_id)
    select ${bulkId}, row_number() over (), chosen.id from (${selected(wanted)} limit ${MAX_BULK_ITEMS}) chosen
  `.execute(tx);
  if (undone !== null) await takeOver(tx, undone, bulkId);
  await sql`update bulk_operation set total = (select count(*) from bulk_item where bulk_id = ${bulkId})
    where id = ${bulkId}`.execute(tx);
}

async function requireUndoable(tx: Tx, { libraryId, bulkId }: BulkKey): Promise<void> {
  const found = await tx
    .selectFrom('bulk_operation')
    .select('notes_places')
    .where('id', '=', bulkId)
    .where('library_id', '=', libraryId)
    .executeTakeFirst();
  if (found?.notes_places !== false) return;
  const where =
    'It was started by an earlier version, which did not record where each video was. Move the videos back yourself.';
  throw new Refused('invalid', `This move cannot be undone. ${where}`);
}

/** Copies from an operation to its undo: its kind, and what each video had before. */
async function takeOver(tx: Tx, undone: Guid, bulkId: Guid): Promise<void> {
  await sql`update bulk_operation set undoes = (select kind from bulk_operation where id = ${undone})
    where id = ${bulkId}`.execute(tx);
  await sql`update bulk_item i set collection_before = u.collection_before, visibility_before = u.visibility_before
    from bulk_item u
    where i.bulk_id = ${bulkId} and u.bulk_id = ${undone} and u.media_id = i.media_id`.execute(tx);
}

/**
 * Ends an operation that is undone or abandoned: its waiting videos fail with `reason` and are never processed. Locks
 * the videos first and then the operation, in the order of `finalizeItem`. Therefore it waits for a video in progress,
 * which counts as done.
 */
async function endOperation(tx: Tx, key: BulkKey, reason: string): Promise<void> {
  const { libraryId, bulkId } = key;
  const { numAffectedRows: ended = 0n } = await sql`
    update bulk_item set state = 'failed', reason = ${reason} where bulk_id = ${bulkId} and state = 'waiting'
      and exists (select from bulk_operation where id = ${bulkId} and library_id = ${libraryId})`.execute(tx);
  const { rows } = await sql`
    update bulk_operation set failed = failed + ${Number(ended)}, ended_at = coalesce(ended_at, now())
    where id = ${bulkId} and library_id = ${libraryId} returning 1`.execute(tx);
  if (rows.length === 0) throw notFound(key);
}

function selected({ libraryId, kind, selection }: WantedBulk): RawBuilder<unknown> {
  switch (selection.by) {
    case 'ids':
      return sql`select distinct id from unnest(${[...selection.ids]}::uuid[]) as named (id)`;
    case 'filter':
      // Only videos in the trash can be restored.
      return matches(selection.filter, sql`media`, kind === 'restore' ? 'trash' : 'video');
    case 'operation':
      return sql`select i.media_id as id from bulk_item i join bulk_operation d on d.id = i.bulk_id
        where d.id = ${selection.bulkId} and d.library_id = ${libraryId} and i.state = 'done' order by i.place`;
  }
}

async function loadReport(db: Db, key: BulkKey): Promise<BulkReport> {
  const row = await db
    .selectFrom('bulk_operation')
    .selectAll()
    .where('id', '=', key.bulkId)
    .where('library_id', '=', key.libraryId)
    .executeTakeFirst();
  if (row === undefined) throw notFound(key);
  const { rows: failures } = await sql<{ videoId: Guid; title: string | null; reason: string }>`
    select i.media_id as "videoId", m.title, coalesce(i.reason, '') as reason
    from bulk_item i left join media m on m.library_id = ${key.libraryId} and m.id = i.media_id
    where i.bulk_id = ${key.bulkId} and i.state = 'failed' order by i.place limit ${FAILURES_SHOWN}`.execute(db);
  const { id, library_id: libraryId, kind, collection_id: collectionId, visibility, total, done, failed } = row;
  const times = { createdAt: row.created_at, endedAt: row.ended_at };
  return { id, libraryId, kind, collectionId, visibility, total, done, failed, ...times, failures };
}

async function openBulk(db: Db, { libraryId, bulkId }: BulkKey, limit: number): Promise<OpenBulk | null> {
  const operation = await db
    .selectFrom('bulk_operation')
    .select(['kind', 'collection_id', 'visibility', 'undoes'])
    .where('id', '=', bulkId)
    .where('library_id', '=', libraryId)
    .executeTakeFirst();
  if (operation === undefined) return null;
  const items = await db
    .selectFrom('bulk_item')
    .select(['place', 'media_id as mediaId', 'collection_before as collectionBefore'])
    .select('visibility_before as visibilityBefore')
    .where('bulk_id', '=', bulkId)
    .where('state', '=', 'waiting')
    .orderBy('place')
    .limit(limit)
    .execute();
  if (items.length === 0) {
    await sql`update bulk_operation set ended_at = now() where id = ${bulkId} and ended_at is null`.execute(db);
  }
  const { kind, collection_id: collectionId, visibility, undoes } = operation;
  return { kind, collectionId, visibility, undoes, items };
}

async function dropOld(tx: Tx): Promise<void> {
  await sql`delete from bulk_operation where id in (select id from bulk_operation
    where ended_at < now() - make_interval(days => ${BULK_KEPT_DAYS}) limit ${MAX_DROPPED})`.execute(tx);
}

function notFound({ libraryId, bulkId }: BulkKey): Refused {
  return new Refused('not-found', `Bulk operation ${bulkId} in library ${libraryId} not found. Check the id.`);
}
