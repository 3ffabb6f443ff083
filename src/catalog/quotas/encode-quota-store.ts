import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { lockHardQuota } from './hard-quota-store.ts';
import { ENCODES_HELD, SCHEDULED_ENCODES } from './quota.ts';
import { encodedOfMonth, thisMonth } from './usage-store.ts';

/** Number of counter rows of a library and month. */
const SLOTS = 16;
/** Seconds after which a held task is tried again, even if nothing releases it. */
const RETRY_SEC = 600;

const RESOURCE = 'encodedMinutesPerMonth';

/** Chunks of a rendition that an encoder made. */
type Encoded = { renditionId: Guid; chunks: readonly { facts: { durationTicks: number } }[] };

/** Counts encoded video towards the minutes of this month, in the transaction that publishes it. */
export async function countEncoded(tx: Tx, libraryId: number, encoded: readonly Encoded[]): Promise<void> {
  const sums = encoded.map(({ renditionId, chunks }) => ({
    renditionId,
    ticks: chunks.reduce((sum, { facts }) => sum + facts.durationTicks, 0),
  }));
  await sql`
    insert into encoded_month as held (library_id, month, slot, encoded_ms)
    select ${libraryId}, ${thisMonth}, pg_backend_pid() % ${SLOTS}::int,
      coalesce(sum(e.ticks * 1000.0 / r.timescale), 0)::bigint
    from jsonb_to_recordset(${JSON.stringify(sums)}::jsonb) as e ("renditionId" uuid, ticks bigint)
    join rendition r on r.id = e."renditionId" and r.library_id = ${libraryId} and r.kind = 'video'
    having count(*) > 0
    on conflict (library_id, month, slot) do update set encoded_ms = held.encoded_ms + excluded.encoded_ms`.execute(tx);
}

/** Returns whether new encodes of a library must wait, because its hard limit of minutes is reached. */
export async function mustEncodesWait(db: Db | Tx, libraryId: number): Promise<boolean> {
  const { rows } = await sql`
    select from library join library_quota q on q.library_id = library.id
    where library.id = ${libraryId} and q.resource = 'encodedMinutesPerMonth' and q.mode = 'hard'
      and ${encodedOfMonth} >= q.max_amount * 60000`.execute(db);
  return rows.length > 0;
}

/**
 * Postpones all waiting encodes of a library until `releaseEncodes` or for ten minutes, if its hard limit of minutes is
 * still reached. Idempotent.
 */
export async function holdEncodes(db: Db, libraryId: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    // The lock orders this with a change of the limit, which releases the encodes.
    if ((await lockHardQuota(tx, libraryId, RESOURCE)) === null || !(await mustEncodesWait(tx, libraryId))) return;
    await tx
      .updateTable('library_quota')
      .set({ is_holding: true })
      .where('library_id', '=', libraryId)
      .where('resource', '=', RESOURCE)
      .where('is_holding', '=', false)
      .execute();
    await sql`
      update encode_task set is_ready = false, reason = ${ENCODES_HELD},
        ready_at = now() + make_interval(secs => ${RETRY_SEC})
      where library_id = ${libraryId} and state = 'waiting' and is_ready
        and kind = any (${SCHEDULED_ENCODES}::text[])`.execute(tx);
    await sql`
      update media m set state_reason = ${ENCODES_HELD}
      where m.library_id = ${libraryId} and m.type = 'video' and m.state = 'transcoding'
        and m.state_reason is distinct from ${ENCODES_HELD} and exists (
          select from encode_task t where t.library_id = m.library_id and t.media_id = m.id and t.state = 'waiting'
            and t.reason = ${ENCODES_HELD})
        and not exists (select from encode_task t where t.library_id = m.library_id and t.media_id = m.id
          and t.state = 'running')`.execute(tx);
  });
}

/** Lets the held encodes of a library continue within a second. */
export async function releaseEncodes(tx: Db | Tx, libraryId: number): Promise<void> {
  await tx
    .updateTable('library_quota')
    .set({ is_holding: false })
    .where('library_id', '=', libraryId)
    .where('resource', '=', RESOURCE)
    .execute();
  const release = sql`
    with released as (
      update encode_task set ready_at = now()
      where library_id = ${libraryId} and state = 'waiting' and not is_ready and reason = ${ENCODES_HELD}
      returning media_id)
    update media set state_reason = null
    where library_id = ${libraryId} and state_reason = ${ENCODES_HELD} and id in (select media_id from released)`;
  await release.execute(tx);
}
