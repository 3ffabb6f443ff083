import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { ImportedOrder } from '../collections/video-order.ts';
import type { Db, Tx } from '../db.ts';
import { ALREADY_HERE, type ImportItemKind, type ImportKey, MAX_IMPORT_ITEMS } from './library-import.ts';
import type { ImportedVideo, ListedItem } from './listed-item.ts';

/** Attempts to transfer a file before its item fails. A resumed import starts counting again. */
const MAX_ATTEMPTS = 4;
/**
 * Pause between checks of a file that the source is preparing, in s, and the maximum number of checks, which take a
 * day.
 */
const PREPARING_PAUSE_SEC = 15;
const MAX_WAITS = 5_760;
/** Pause between checks of the space for a file, in s, and its reason. */
const SPACE_PAUSE_SEC = 60;
export const NO_SPACE =
  'The disk has too little space for this file. It waits, and smaller files are imported. Free some space.';
/** Maximum number of files that a source prepares at once. */
const MAX_PREPARING = 20;
/** Pause before the second attempt, in s. It doubles with each later attempt. */
const FIRST_PAUSE_SEC = 2;

/** An item that a job works on. `ownsTarget` is true if an import has created its video, which still exists. */
export type OpenItem = {
  importId: Guid;
  place: number;
  libraryId: number;
  kind: ImportItemKind;
  sourceId: string;
  title: string;
  targetId: Guid;
  ownsTarget: boolean;
  /** Null for a collection. */
  video: ImportedVideo | null;
  /** Order of a collection. Null for a video, and for a collection without one. */
  order: ImportedOrder | null;
  notes: string[];
};

type Outcome =
  | { state: 'imported' | 'skipped'; reason: string | null; notes?: readonly string[] }
  | { state: 'failed'; reason: string; isRetryable: boolean };

/**
 * Adds listed items that the import does not have yet. Items with an obstacle, and those whose GUID is in use by
 * something that no import created, get their outcome now, so that a plan shows them.
 */
export async function insertItems(tx: Tx, { importId, libraryId }: ImportKey, items: readonly ListedItem[]) {
  const rows = items.map((item) => ({
    source_id: item.sourceId,
    kind: item.kind,
    title: item.title,
    target_id: item.id,
    size_bytes: item.kind === 'video' ? item.sizeBytes : null,
    duration_sec: item.kind === 'video' ? item.durationSec : null,
    details: item.kind === 'video' ? item.video : null,
    arrangement: item.kind === 'collection' ? item.order : null,
    notes: item.kind === 'video' ? item.notes : [],
    reason: item.kind === 'video' ? (item.obstacle?.reason ?? null) : null,
    is_retryable: item.kind === 'video' && item.obstacle?.isRetryable === true,
  }));
  const { rows: last } = await sql<{ place: number }>`
    select coalesce(max(place), 0) as place from import_item where import_id = ${importId}`.execute(tx);
  const place = last[0]?.place ?? 0;
  await sql`
    insert into import_item (import_id, place, library_id, kind, source_id, title, target_id, size_bytes, duration_sec,
      details, arrangement, notes, reason, is_retryable, state)
    select ${importId}, i.at + ${place}::int,
      ${libraryId}, i.kind, i.source_id, i.title, i.target_id, i.size_bytes, i.duration_sec, i.details, i.arrangement,
      i.notes, i.reason, i.is_retryable,
      case when i.reason is null then 'waiting' when i.is_retryable then 'failed' else 'skipped' end
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (source_id text, kind text, title text,
      target_id uuid, size_bytes bigint, duration_sec int, details jsonb, arrangement jsonb, notes jsonb, reason text,
      is_retryable boolean)) with ordinality as i (source_id, kind, title, target_id, size_bytes, duration_sec, details,
      arrangement, notes, reason, is_retryable, at)
    where ${place}::int < ${MAX_IMPORT_ITEMS}
    on conflict (import_id, source_id) do nothing`.execute(tx);
  await skipKnown(tx, { importId, afterPlace: place });
}

/** Returns whether an import has the maximum number of items, so that further ones may have been left out. */
export async function isListFull(db: Db, importId: Guid): Promise<boolean> {
  const full = sql<boolean>`exists (
    select from import_item where import_id = ${importId} and place >= ${MAX_IMPORT_ITEMS})`;
  const { rows } = await sql<{ isFull: boolean }>`select ${full} as "isFull"`.execute(db);
  return rows[0]?.isFull === true;
}

/**
 * Skips waiting videos of the new page that exist here: an earlier import imported them, or their GUID is in use.
 * Videos of earlier imports that failed are imported again.
 */
async function skipKnown(tx: Tx, { importId, afterPlace }: { importId: Guid; afterPlace: number }): Promise<void> {
  await sql`
    update import_item i set state = 'skipped', reason = case
      when m.type = 'trash' then ${TRASHED}
      when exists (select from import_item e
        where e.owns_target and e.library_id = i.library_id and e.target_id = i.target_id) then ${ALREADY_HERE}
      when m.library_id = i.library_id then ${TAKEN}
      else ${TAKEN_ELSEWHERE} || m.library_id || '.' end
    from media m
    where i.import_id = ${importId} and i.place > ${afterPlace} and i.state = 'waiting' and i.kind = 'video'
      and m.id = i.target_id
      and not (m.library_id = i.library_id and m.type <> 'trash'
        and m.state in ('created', 'upload-failed', 'failed') and exists (
        select from import_item e where e.owns_target and e.library_id = i.library_id and e.target_id = i.target_id))
  `.execute(tx);
}

const TAKEN =
  'The GUID is in use by another video of this library. Delete that video and import again to replace it, or import ' +
  'this one with another GUID: newGuids=true.';
const TAKEN_ELSEWHERE =
  'The GUID is in use by another video here. Delete it and import again, or import this one with another GUID: ' +
  'newGuids=true. The other video is in library ';

/** Returns why an item whose GUID is in use cannot be imported. */
export async function takenReason(tx: Tx, { libraryId, targetId }: OpenItem): Promise<string> {
  const { rows } = await sql<{ libraryId: number }>`select library_id as "libraryId" from media where id = ${targetId}
    limit 1`.execute(tx);
  const [other] = rows;
  return other === undefined || other.libraryId === libraryId ? TAKEN : `${TAKEN_ELSEWHERE}${other.libraryId}.`;
}

const FAILED_AT_SOURCE = 'Its file cannot be processed, and could not be at the source. The video is kept as failed.';
const TRASHED = 'The video is in the trash. Restore it, or delete it there and import again.';

/** Returns at most `limit` items to start: collections first, because videos refer to them. */
export async function nextItems(db: Db, importId: Guid, limit: number): Promise<OpenItem[]> {
  const { rows } = await sql<OpenItem>`
    select import_id as "importId", place, library_id as "libraryId", kind, source_id as "sourceId", title,
      target_id as "targetId", details as video, arrangement as "order", notes,
      exists (select from import_item e where e.owns_target and e.library_id = i.library_id
        and e.target_id = i.target_id)
      and exists (select from media m where m.library_id = i.library_id and m.id = i.target_id) as "ownsTarget"
    from import_item i where import_id = ${importId} and state = 'waiting' and ready_at <= now()
      and (waits > 0 or ${MAX_PREPARING} > (select count(*) from import_item p where p.import_id = ${importId}
        and p.state = 'waiting' and p.waits > 0))
    order by kind, waits > 0 desc, place limit ${limit}`.execute(db);
  return rows;
}

/** Returns whether items wait, and the number of items in transfer. Reads only these, however many items wait. */
export async function findOpen(db: Db, importId: Guid): Promise<{ hasWaiting: boolean; fetching: number }> {
  const { rows } = await sql<{ hasWaiting: boolean; fetching: number }>`
    select exists (select from import_item where import_id = ${importId} and state = 'waiting') as "hasWaiting",
      (select count(*) from import_item where import_id = ${importId} and state = 'fetching') as fetching`.execute(db);
  return rows[0] ?? { hasWaiting: false, fetching: 0 };
}

/** Marks a waiting item as in transfer. Returns false if another job has started or ended it. */
export async function startItem(
  tx: Tx,
  item: OpenItem,
  { notes, fileBytes }: { notes: readonly string[]; fileBytes: number | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update import_item set state = 'fetching', attempts = attempts + 1, waits = 0, reason = null,
      notes = ${JSON.stringify(notes)}::jsonb, file_bytes = ${fileBytes},
      size_bytes = coalesce(${fileBytes}, size_bytes)
    where import_id = ${item.importId} and place = ${item.place} and state = 'waiting'`.execute(tx);
  return numAffectedRows === 1n;
}

/** Records that the import created the target of a waiting item. Returns false if the item no longer waits. */
export async function ownTarget(tx: Tx, item: OpenItem): Promise<boolean> {
  const { numAffectedRows } = await sql`update import_item set owns_target = true
    where import_id = ${item.importId} and place = ${item.place} and state = 'waiting'`.execute(tx);
  return numAffectedRows === 1n;
}

/** Records the outcome of a waiting item. An earlier outcome is kept. */
export async function settleItem(db: Db | Tx, item: OpenItem, outcome: Outcome): Promise<void> {
  const notes = 'notes' in outcome && outcome.notes !== undefined ? outcome.notes : item.notes;
  await sql`
    update import_item set state = ${outcome.state}, reason = ${outcome.reason},
      notes = ${JSON.stringify(notes)}::jsonb, is_retryable = ${outcome.state === 'failed' && outcome.isRetryable}
    where import_id = ${item.importId} and place = ${item.place} and state = 'waiting'`.execute(db);
}

/** Records a failed start: another attempt follows after a pause, or the item fails after the last one. */
export async function retryLater(db: Db, item: OpenItem, reason: string): Promise<void> {
  await sql`
    update import_item set attempts = attempts + 1, reason = ${reason},
      state = case when attempts + 1 >= ${MAX_ATTEMPTS} then 'failed' else 'waiting' end,
      is_retryable = attempts + 1 >= ${MAX_ATTEMPTS},
      ready_at = now() + make_interval(secs => ${FIRST_PAUSE_SEC} * 2 ^ attempts)
    where import_id = ${item.importId} and place = ${item.place} and state = 'waiting'`.execute(db);
}

/** Records that the source is preparing the file of a waiting item, or that this took too long. */
export async function waitForSource(db: Db, item: OpenItem, reason: string): Promise<void> {
  await sql`
    update import_item set waits = waits + 1, reason = ${reason},
      state = case when waits + 1 >= ${MAX_WAITS} then 'failed' else 'waiting' end,
      is_retryable = waits + 1 >= ${MAX_WAITS}, ready_at = now() + make_interval(secs => ${PREPARING_PAUSE_SEC})
    where import_id = ${item.importId} and place = ${item.place} and state = 'waiting'`.execute(db);
}

/** Records that a waiting item needs more space than the disk has. It is tried again after a pause. */
export async function waitForSpace(db: Db, item: OpenItem): Promise<void> {
  await sql`update import_item set reason = ${NO_SPACE}, ready_at = now() + make_interval(secs => ${SPACE_PAUSE_SEC})
    where import_id = ${item.importId} and place = ${item.place} and state = 'waiting'`.execute(db);
}

/**
 * Records the outcome of items in transfer whose video was planned, failed or deleted. An item is imported once its
 * file was probed, so that the outcome includes whether it plays.
 */
export async function settleTransfers(db: Db, importId: Guid): Promise<void> {
  await sql`
    update import_item i set
      state = case when o.outcome = 'again' and i.attempts < ${MAX_ATTEMPTS} then 'waiting'
        when o.outcome = 'again' then 'failed' else o.outcome end,
      reason = o.reason, is_retryable = o.outcome = 'again' and i.attempts >= ${MAX_ATTEMPTS},
      ready_at = now() + make_interval(secs => ${FIRST_PAUSE_SEC} * 2 ^ i.attempts)
    from (
      select f.place,
        case when m.id is null or m.type = 'trash' then 'failed'
          when m.state in ('transcoding', 'finished', 'jit-segmenting', 'jit-ready') then 'imported'
          when m.state = 'upload-failed' and m.state_reason ~ ${FINAL_REFUSAL} then 'failed'
          when m.state = 'upload-failed' then 'again'
          when m.state = 'failed' and (f.details->>'hasFailed')::boolean then 'skipped'
          when m.state = 'failed' then 'failed' end as outcome,
        case when m.id is null or m.type = 'trash' then 'The video was deleted during the import.'
          when m.state = 'upload-failed' then m.state_reason
          when m.state = 'failed' and (f.details->>'hasFailed')::boolean then ${FAILED_AT_SOURCE}
          when m.state = 'failed' then coalesce(m.messages->-1->>'message', m.state_reason) end as reason
      from import_item f left join media m on m.library_id = f.library_id and m.id = f.target_id
      where f.import_id = ${importId} and f.state = 'fetching'
    ) o
    where i.import_id = ${importId} and i.place = o.place and i.state = 'fetching' and o.outcome is not null
  `.execute(db);
}

/**
 * Refusals of an origin that another attempt would not change. After 401, 403 and 410 the file is located again,
 * because it existed before and signed URLs expire.
 */
const FINAL_REFUSAL =
  'HTTP 4(?!01|03|08|10|29)\\d\\d|not allowed|larger than|an empty file|Content-Encoding|HLS|segments of its';

/** Returns items that still wait for an upload to the queue of the import. */
export async function releaseUnsent(db: Db, importId: Guid): Promise<void> {
  await sql`
    update import_item i set state = 'waiting' from media m
    where i.import_id = ${importId} and i.state = 'fetching' and m.library_id = i.library_id and m.id = i.target_id
      and m.state = 'created'`.execute(db);
}

/** Makes retryable failures wait again. */
export async function retryItems(tx: Tx, importId: Guid): Promise<void> {
  await sql`
    update import_item set state = 'waiting', reason = null, is_retryable = false, attempts = 0, waits = 0,
      ready_at = now()
    where import_id = ${importId} and state = 'failed' and is_retryable`.execute(tx);
}
