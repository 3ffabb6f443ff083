import type { Tx } from '../db.ts';
import type { QuotaResource } from './quota.ts';

/**
 * Locks a hard limit of a library until the transaction ends, so that simultaneous requests are counted one after
 * another. Returns the limit, in the unit of the resource, or null if the library has no hard limit for it.
 */
export async function lockHardQuota(tx: Tx, libraryId: number, resource: QuotaResource): Promise<number | null> {
  const row = await tx
    .selectFrom('library_quota')
    .select('max_amount')
    .where('library_id', '=', libraryId)
    .where('resource', '=', resource)
    .where('mode', '=', 'hard')
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.max_amount ?? null;
}
