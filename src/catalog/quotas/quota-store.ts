import { sql } from 'kysely';
import type { Db, FollowUp, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { noteChange } from '../note-change.ts';
import { releaseEncodes } from './encode-quota-store.ts';
import { lockQuotas, measureQuotas } from './measure-quotas-store.ts';
import { QUOTA_RESOURCES, type Quota, type QuotaLevel, type QuotaResource } from './quota.ts';
import { type LimitRow, measureUsage } from './usage-store.ts';

/** The limit of a resource, or null, and its current use. */
export type QuotaState = { quota: Quota | null; used: number };
/** `month`: the current month by the clock of the database, such as `2026-11`. */
export type QuotaStates = Record<QuotaResource, QuotaState> & { month: string };
/** Changed limits. Null removes one, and absent ones are left unchanged. */
export type QuotaChange = Partial<Record<QuotaResource, Quota | null>>;

/** Limits of libraries. */
export type QuotaStore = {
  /** Returns the limits of a library with their current use. */
  load(libraryId: number): Promise<QuotaStates>;
  /** Changes limits, and measures their use, which announces thresholds that it has reached. */
  change(libraryId: number, change: QuotaChange): Promise<QuotaStates>;
  /** Changes limits in the transaction of another change. The caller measures their use after it. */
  changing(libraryId: number, change: QuotaChange): FollowUp;
  measure(libraryId: number): Promise<void>;
};

export function createQuotaStore(db: Db): QuotaStore {
  return {
    load: (libraryId) => loadStates(db, libraryId),
    async change(libraryId, change) {
      await inTransaction(db, (tx) => writeQuotas(tx, libraryId, change));
      await measureQuotas(db, libraryId);
      return loadStates(db, libraryId);
    },
    changing: (libraryId, change) => (tx) => writeQuotas(tx, libraryId, change),
    measure: (libraryId) => measureQuotas(db, libraryId),
  };
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
          // For a different limit, no threshold has been announced yet.
          level: sql<QuotaLevel>`case when library_quota.max_amount = excluded.max_amount then library_quota.level
            else 0 end`,
        }),
      )
      .execute();
  }
  noteChange({ kind: 'fields', before, after: limitsOf(await lockQuotas(tx, libraryId)) });
}

/** Returns the limits by resource, for the audit log. */
function limitsOf(rows: readonly LimitRow[]): Record<string, Quota> {
  return Object.fromEntries(rows.map(({ resource, limit, mode }) => [resource, { limit, mode }]));
}

async function loadStates(db: Db, libraryId: number): Promise<QuotaStates> {
  const rows = await db
    .selectFrom('library_quota')
    .select(['resource', 'max_amount as limit', 'mode'])
    .where('library_id', '=', libraryId)
    .execute();
  const { month, usage } = await measureUsage(db, libraryId);
  const stateOf = (name: QuotaResource): QuotaState => {
    const row = rows.find(({ resource }) => resource === name);
    return { quota: row === undefined ? null : { limit: row.limit, mode: row.mode }, used: usage[name] };
  };
  // The names of the entries are exactly the resources.
  const states = Object.fromEntries(QUOTA_RESOURCES.map((name) => [name, stateOf(name)]));
  return { month, ...(states as Record<QuotaResource, QuotaState>) };
}
