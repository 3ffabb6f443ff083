import { type Selectable, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import type { EncodeWorkTable } from './encode-schema.ts';
import { measureSpeed } from './speed-store.ts';
import {
  type Claim,
  ENCODING_STATES,
  encodePercent,
  LEASE_SEC,
  MAX_DEATHS,
  WAITING_FOR_SLOT,
  type Work,
} from './work.ts';

/** `over`: done, failed or gone. `busy`: another worker's lease still holds. `worn-out`: its workers died too often. */
export type WorkAnswer =
  | { kind: 'claimed'; claim: Claim }
  | { kind: 'over' }
  | { kind: 'busy' }
  | { kind: 'worn-out'; claim: Claim };

/** Takes a work that waits or whose holder is dead; its attempt gets a new number, which shuts the earlier holder out. */
export async function claimWork(db: Db | Tx, key: MediaKey, workId: Guid, owner: string): Promise<WorkAnswer> {
  const { rows } = await sql<Selectable<EncodeWorkTable>>`
    update encode_work set state = 'running', attempt = nextval('encode_attempt'),
      deaths = deaths + (state = 'running')::int, owner = ${owner}, reason = null, started_at = now(),
      lease_until = now() + make_interval(secs => ${LEASE_SEC})
    where library_id = ${key.libraryId} and media_id = ${key.mediaId} and id = ${workId}
      and (state = 'waiting' or (state = 'running' and lease_until < now()))
    returning *
  `.execute(db);
  const [row] = rows;
  if (row !== undefined) return toAnswer(row, owner);
  const found = await db
    .selectFrom('encode_work')
    .select('state')
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where('id', '=', workId)
    .executeTakeFirst();
  return found?.state === 'running' || found?.state === 'waiting' ? { kind: 'busy' } : { kind: 'over' };
}

/** What a claimed row means for whoever claimed it. */
export function toAnswer(row: Selectable<EncodeWorkTable>, owner: string): WorkAnswer {
  const claim = { work: toWork(row), attempt: row.attempt, failures: row.failures, owner };
  return row.deaths > MAX_DEATHS ? { kind: 'worn-out', claim } : { kind: 'claimed', claim };
}

/**
 * Renews the lease and tells how far the work is (0 to 1). Progress never goes back. False when the work
 * was lost: another attempt holds it, or the video is gone.
 */
export async function renewWork(db: Db, claim: Claim, doneFraction: number): Promise<boolean> {
  const { key, id } = claim.work;
  const { numUpdatedRows } = await db
    .updateTable('encode_work')
    .set({
      lease_until: sql<Date>`now() + make_interval(secs => ${LEASE_SEC})`,
      done_fraction: sql<number>`greatest(done_fraction, ${Math.min(0.99, doneFraction)}::float8)`,
    })
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('attempt', '=', claim.attempt)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return false;
  await refreshProgress(db, key);
  return true;
}

/** Sets the video's progress from its works; it only rises, and 100 is left to the finish. */
export async function refreshProgress(db: Db | Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  const works = await db
    .selectFrom('encode_work')
    .select(['weight', 'done_fraction as doneFraction'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .execute();
  const percent = encodePercent(works);
  await db
    .updateTable('media')
    .set({ encode_progress: percent })
    .set({ state_reason: sql<string>`case when state = 'transcoding' then 'encoding' else state_reason end` })
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('state', 'in', ENCODING_STATES)
    .where(({ or, and, eb }) =>
      or([
        eb('encode_progress', '<', percent),
        and([eb('state', '=', 'transcoding'), eb('state_reason', 'is distinct from', 'encoding')]),
      ]),
    )
    .where('encode_progress', '<=', percent)
    .execute();
}

/** Gives an interrupted work back without counting a failure. */
export async function releaseWork(db: Db | Tx, claim: Claim, reason = WAITING_FOR_SLOT): Promise<void> {
  await db
    .updateTable('encode_work')
    .set({ state: 'waiting', owner: null, lease_until: null, reason })
    .where('id', '=', claim.work.id)
    .where('library_id', '=', claim.work.key.libraryId)
    .where('media_id', '=', claim.work.key.mediaId)
    .where('state', '=', 'running')
    .where('attempt', '=', claim.attempt)
    .execute();
}

/** Gives a work back that something outside the video holds up, and tells so on the video. The sweep sends it again. */
export async function postponeWork(db: Db, claim: Claim, reason: string): Promise<void> {
  await releaseWork(db, claim, reason);
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
  const { numUpdatedRows } = await db
    .updateTable('encode_work')
    .set({ state: 'waiting', owner: null, lease_until: null, reason, failures: claim.failures + 1 })
    .where('id', '=', claim.work.id)
    .where('library_id', '=', claim.work.key.libraryId)
    .where('media_id', '=', claim.work.key.mediaId)
    .where('state', '=', 'running')
    .where('attempt', '=', claim.attempt)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
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
  if (state === 'done') await measureSpeed(tx, claim);
}

/** The work that a row describes. */
export function toWork(row: Selectable<EncodeWorkTable>): Work {
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
    ...(row.ticket === null ? {} : { ticket: row.ticket }),
  };
}
