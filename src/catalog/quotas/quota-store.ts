import { sql } from 'kysely';
import type { Db, Tx } from '../db.ts';
import { inTransaction, logOnCommit } from '../in-transaction.ts';
import { noteChange } from '../note-change.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announceQuota } from '../webhooks/webhook-store.ts';
import { holdEncodes, releaseEncodes } from './encode-quota-store.ts';
import {
  LIBRARY_EVENT_ID,
  nextLevel,
  percentOf,
  QUOTA_RESOURCES,
  type Quota,
  type QuotaLevel,
  type QuotaResource,
  type Usage,
} from './quota.ts';
import { measureUsage } from './usage-store.ts';

/** The limit of a resource, or null, and its current use. */
export type QuotaState = { quota: Quota | null; used: number };
export type QuotaStates = Record<QuotaResource, QuotaState>;
/** Changed limits. Null removes one, and absent ones are left unchanged. */
export type QuotaChange = Partial<Record<QuotaResource, Quota | null>>;

/** Limits of libraries. */
export type QuotaStore = {
  /** Returns the limits of a library with their current use. */
  load(libraryId: number): Promise<QuotaStates>;
  /** Changes limits, and measures their use, which announces thresholds that it has reached. */
  change(libraryId: number, change: QuotaChange): Promise<QuotaStates>;
};

export function createQuotaStore(db: Db): QuotaStore {
  return {
    load: (libraryId) => loadStates(db, libraryId),
    async change(libraryId, change) {
      await inTransaction(db, (tx) => writeQuotas(tx, libraryId, change));
      await measureQuotas(db, libraryId);
      return loadStates(db, libraryId);
    },
  };
}

/** Returns the ids of all libraries that have a quota. */
export async function findLimitedLibraries(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from library where deleted_at is null and id in (select library_id from library_quota)
    order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Measures the use of a library, stores it for the edges, and announces each threshold that it has reached. Also holds
 * or releases the encodes of the library.
 */
export async function measureQuotas(db: Db, libraryId: number): Promise<void> {
  const usage = await measureUsage(db, libraryId);
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

type Row = Quota & { resource: QuotaResource; level: QuotaLevel; isHolding: boolean };

async function lockQuotas(tx: Tx, libraryId: number): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select resource, max_amount as limit, mode, level, is_holding as "isHolding" from library_quota
    where library_id = ${libraryId} order by resource for no key update`.execute(tx);
  return rows;
}

async function storeMeasurement(tx: Tx, libraryId: number, { row, used }: { row: Row; used: number }): Promise<void> {
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

async function writeQuotas(tx: Tx, libraryId: number, change: QuotaChange): Promise<void> {
  // Takes the locks in the same order as a measurement.
  const before = limitsOf(await lockQuotas(tx, libraryId));
  for (const resource of QUOTA_RESOURCES) {
    const quota = change[resource];
    if (quota === undefined) continue;
    if (quota === null) {
      if (resource === 'encodedMinutesPerMonth') await releaseEncodes(tx, libraryId);
      await tx
        .deleteFrom('library_quota')
        .where('library_id', '=', libraryId)
        .where('resource', '=', resource)
        .execute();
      continue;
    }
    await tx
      .insertInto('library_quota')
      .values({ library_id: libraryId, resource, max_amount: quota.limit, mode: quota.mode })
      .onConflict((conflict) =>
        conflict.columns(['library_id', 'resource']).doUpdateSet({
          ...{ max_amount: quota.limit, mode: quota.mode },
          // Thresholds of another limit have not been announced yet.
          level: sql<QuotaLevel>`case when library_quota.max_amount = excluded.max_amount then library_quota.level
            else 0 end`,
        }),
      )
      .execute();
  }
  noteChange({ kind: 'fields', before, after: limitsOf(await lockQuotas(tx, libraryId)) });
}

/** Returns the limits by resource, for the audit log. */
function limitsOf(rows: readonly Row[]): Record<string, Quota> {
  return Object.fromEntries(rows.map(({ resource, limit, mode }) => [resource, { limit, mode }]));
}

async function loadStates(db: Db, libraryId: number): Promise<QuotaStates> {
  const rows = await db
    .selectFrom('library_quota')
    .select(['resource', 'max_amount as limit', 'mode'])
    .where('library_id', '=', libraryId)
    .execute();
  const usage: Usage = await measureUsage(db, libraryId);
  const stateOf = (name: QuotaResource): QuotaState => {
    const row = rows.find(({ resource }) => resource === name);
    return { quota: row === undefined ? null : { limit: row.limit, mode: row.mode }, used: usage[name] };
  };
  // The names of the entries are exactly the resources.
  return Object.fromEntries(QUOTA_RESOURCES.map((name) => [name, stateOf(name)])) as QuotaStates;
}
