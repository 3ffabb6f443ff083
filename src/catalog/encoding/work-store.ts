import { type Selectable, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import type { EncodeWorkTable } from './encode-schema.ts';
import { type Claim, ENCODING_STATES, encodePercent, WAITING_FOR_SLOT, type Work } from './work.ts';

/** The first pause after a failure, which doubles with each, and the longest. */
const FIRST_PAUSE_SEC = 1;
const LONGEST_PAUSE_SEC = 120;

/**
 * Takes a work that waits, by its name: for what is done within the transaction that planned it. Null when another has
 * it, or it is over.
 */
export async function claimWork(tx: Tx, key: MediaKey, workId: Guid, owner: string): Promise<Claim | null> {
  const { rows } = await sql<Selectable<EncodeWorkTable>>`
    update encode_work set state = 'running', attempt = nextval('encode_attempt'), owner = ${owner}, reason = null,
      started_at = now(), lease_until = now() + interval '1 hour'
    where library_id = ${key.libraryId} and media_id = ${key.mediaId} and id = ${workId} and state = 'waiting'
    returning *
  `.execute(tx);
  const [row] = rows;
  return row === undefined ? null : toClaim(row, owner);
}

/** What a claimed row gives to whoever claimed it. */
export function toClaim(row: Selectable<EncodeWorkTable>, owner: string): Claim {
  return { work: toWork(row), attempt: row.attempt, failures: row.failures, deaths: row.deaths, owner };
}

/** Sets the video's progress from its works; it only rises, and 100 is left to the finish. */
export async function refreshProgress(db: Db | Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  const works = await db
    .selectFrom('encode_work')
    .select(['weight', 'done_fraction as doneFraction'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .execute();
  const { percent, done, total } = encodePercent(works);
  await db
    .updateTable('media')
    .set({ encode_done: done, encode_total: total })
    .set({ encode_progress: sql<number>`greatest(encode_progress, ${percent}::int)` })
    .set({ state_reason: sql<string>`case when state = 'transcoding' then 'encoding' else state_reason end` })
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('state', 'in', ENCODING_STATES)
    .execute();
}

/** Gives an interrupted work back without counting a failure. */
export async function releaseWork(db: Db | Tx, claim: Claim): Promise<void> {
  await giveBack(db, claim, sql`reason = ${WAITING_FOR_SLOT}, is_ready = true`);
}

/**
 * Gives a work back that something outside the video holds up, and says so on the video. It is tried again after pauses
 * that double from a second to minutes, with no failure counted.
 */
export async function postponeWork(db: Db, claim: Claim, reason: string): Promise<void> {
  await giveBack(
    db,
    claim,
    sql`reason = ${reason}, postponements = postponements + 1, is_ready = false, ready_at = now() + make_interval(
      secs => least(${LONGEST_PAUSE_SEC}, ${FIRST_PAUSE_SEC} * 2 ^ least(postponements, 12)))`,
  );
  await db
    .updateTable('media')
    .set({ state_reason: reason })
    .where('library_id', '=', claim.work.key.libraryId)
    .where('id', '=', claim.work.key.mediaId)
    .where('state', '=', 'transcoding')
    .execute();
}

/** Notes that an attempt ended in an error; the work waits for its next one. False when the claim was lost. */
export async function noteFailure(db: Db, claim: Claim, reason: string): Promise<boolean> {
  const pauseSec = FIRST_PAUSE_SEC * 2 ** claim.failures;
  return giveBack(
    db,
    claim,
    sql`reason = ${reason}, failures = failures + 1, is_ready = false, ready_at = now() + make_interval(secs => ${pauseSec})`,
  );
}

async function giveBack(db: Db | Tx, { work, attempt }: Claim, how: ReturnType<typeof sql>): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update encode_work set state = 'waiting', owner = null, lease_until = null, ${how}
    where library_id = ${work.key.libraryId} and media_id = ${work.key.mediaId} and id = ${work.id}
      and state = 'running' and attempt = ${attempt}
  `.execute(db);
  return numAffectedRows === 1n;
}

/**
 * Sees that the claim still holds and keeps others from taking it until the transaction ends: answers the renditions that
 * its work is about now, or null.
 */
export async function lockClaim(tx: Tx, claim: Claim): Promise<Pick<Work, 'renditionIds'> | null> {
  const row = await tx
    .selectFrom('encode_work')
    .select('rendition_ids')
    .where('library_id', '=', claim.work.key.libraryId)
    .where('media_id', '=', claim.work.key.mediaId)
    .where('id', '=', claim.work.id)
    .where('state', '=', 'running')
    .where('attempt', '=', claim.attempt)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : { renditionIds: row.rendition_ids };
}

/** Marks a claimed work as ended, within the transaction that holds `lockClaim`. */
export async function endWork(tx: Tx, claim: Claim, state: 'done' | 'failed', reason: string | null): Promise<void> {
  await tx
    .updateTable('encode_work')
    .set({ state, reason, owner: null, lease_until: null, done_fraction: 1 })
    .where('library_id', '=', claim.work.key.libraryId)
    .where('media_id', '=', claim.work.key.mediaId)
    .where('id', '=', claim.work.id)
    .execute();
}

/** The work that a row describes. */
function toWork(row: Selectable<EncodeWorkTable>): Work {
  return {
    key: { libraryId: row.library_id, mediaId: row.media_id },
    id: row.id,
    timelineId: row.timeline_id,
    kind: row.kind,
    renditionIds: row.rendition_ids,
    fromSegment: row.from_segment,
    toSegment: row.to_segment,
    isFirst: row.is_first,
    lane: row.lane,
    priority: row.priority,
    weight: row.weight,
  };
}
