import { sql } from 'kysely';
import type { Db, Tx } from '../db.ts';
import { inTransaction, logOnCommit } from '../in-transaction.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announceQuota } from '../webhooks/webhook-store.ts';
import { holdEncodes, releaseEncodes } from './encode-quota-store.ts';
import { LIBRARY_EVENT_ID, nextLevel, percentOf, type QuotaLevel, SCHEDULED_ENCODES } from './quota.ts';
import { type LimitRow, type MeasuredLimit, measureLimits, measureUsage } from './usage-store.ts';

/** Returns whether any library has a quota. */
export async function hasQuotas(db: Db): Promise<boolean> {
  const { rows } = await sql`select from library_quota limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Measures the use of all libraries with quotas, and stores it for the edges, with a fixed number of queries. Returns
 * the libraries for which `measureQuotas` has more to do: announce a threshold, hold or release encodes, or wait for a
 * limit that is being changed or enforced now.
 */
export async function measureLibraries(db: Db): Promise<number[]> {
  const limits = (await measureLimits(db)).map((limit) => ({
    ...limit,
    next: nextLevel(limit.level, limit.used, limit.limit),
  }));
  const crossing = limits.filter(({ next, level }) => next > level);
  const others = limits.filter(({ next, level }) => next <= level);
  const changed = others.filter(
    ({ used, storedUsed, next, level, isStale }) => used !== storedUsed || next !== level || isStale,
  );
  const stored = await storeAll(db, changed);
  const isOver = ({ mode, used, limit }: MeasuredLimit) => mode === 'hard' && used >= limit;
  const holding = limits.filter(({ isHolding }) => isHolding);
  const due = [
    ...crossing,
    ...changed.filter((limit) => !stored.has(nameOf(limit))),
    ...holding.filter((limit) => !isOver(limit)),
  ];
  return [...new Set([...idsOf(due), ...(await findReady(db, idsOf(holding.filter(isOver))))])];
}

/**
 * Measures the use of a library, stores it for the edges, and announces each threshold that it has reached. Also holds
 * or releases the encodes of the library.
 */
export async function measureQuotas(db: Db, libraryId: number): Promise<void> {
  const { usage } = await measureUsage(db, libraryId);
  const isHeld = await inTransaction(db, async (tx) => {
    const rows = await lockQuotas(tx, libraryId);
    for (const row of rows) await storeMeasurement(tx, libraryId, { row, used: usage[row.resource] });
    const minutes = rows.find(({ resource }) => resource === 'encodedMinutesPerMonth');
    if (minutes?.isHolding !== true) return false;
    if (minutes.mode === 'hard' && usage.encodedMinutesPerMonth >= minutes.limit) return true;
    await releaseEncodes(tx, libraryId);
    return false;
  });
  if (isHeld) await holdEncodes(db, libraryId);
}

/** Locks the limits of a library and returns them. All writers take these locks in the same order. */
export async function lockQuotas(tx: Tx, libraryId: number): Promise<LimitRow[]> {
  const { rows } = await sql<LimitRow>`
    select resource, max_amount as limit, mode, level, is_holding as "isHolding" from library_quota
    where library_id = ${libraryId} order by resource for no key update`.execute(tx);
  return rows;
}

function nameOf({ libraryId, resource }: Pick<MeasuredLimit, 'libraryId' | 'resource'>): string {
  return `${libraryId} ${resource}`;
}

function idsOf(limits: readonly { libraryId: number }[]): number[] {
  return limits.map(({ libraryId }) => libraryId);
}

/**
 * Stores measurements of limits that did not change since. Skips locked ones, because an upload that waits must not
 * delay all others. Returns the names of the limits whose measurement was stored.
 */
async function storeAll(db: Db, changed: readonly (MeasuredLimit & { next: QuotaLevel })[]): Promise<Set<string>> {
  if (changed.length === 0) return new Set();
  const { rows } = await sql<Pick<MeasuredLimit, 'libraryId' | 'resource'>>`
    with new as (
      select * from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb)
        as found ("libraryId" bigint, resource text, used bigint, "limit" bigint, level smallint, next smallint)),
    free as (
      select q.library_id, q.resource, new.used, new.next from library_quota q
      join new on q.library_id = new."libraryId" and q.resource = new.resource and q.level = new.level
        and q.max_amount = new."limit"
      order by q.library_id, q.resource for no key update of q skip locked)
    update library_quota q set used = free.used, level = free.next, measured_at = now() from free
    where q.library_id = free.library_id and q.resource = free.resource
    returning q.library_id as "libraryId", q.resource`.execute(db);
  return new Set(rows.map(nameOf));
}

/** Returns those of the libraries that have encodes which could begin now. */
async function findReady(db: Db, libraryIds: readonly number[]): Promise<number[]> {
  if (libraryIds.length === 0) return [];
  const { rows } = await sql<{ id: number }>`
    select distinct library_id as id from encode_task where state = 'waiting' and is_ready
      and kind = any (${SCHEDULED_ENCODES}::text[]) and library_id = any (${libraryIds}::bigint[])`.execute(db);
  return rows.map(({ id }) => id);
}

async function storeMeasurement(
  tx: Tx,
  libraryId: number,
  { row, used }: { row: LimitRow; used: number },
): Promise<void> {
  const { resource, limit, mode, level } = row;
  const next = nextLevel(level, used, limit);
  await tx
    .updateTable('library_quota')
    .set({ used, level: next, measured_at: sql<Date>`now()` })
    .where('library_id', '=', libraryId)
    .where('resource', '=', resource)
    .execute();
  if (next <= level) return;
  const percent = percentOf(used, limit);
  logOnCommit('quota.reached', { libraryId, resource, percent, used, limit, mode });
  const status = next === 100 ? WebhookStatus.quotaReached : WebhookStatus.quotaNearlyReached;
  const key = { libraryId, mediaId: LIBRARY_EVENT_ID };
  await announceQuota(key, status, { resource, percent, used, limit, mode })(tx);
}
