import { sql } from 'kysely';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import type { CleanupPlan } from './cleanup.ts';
import { retireOriginal } from './original-store.ts';
import { loadStoredVideo, type StoredVideo } from './rendition-view-store.ts';

/** Parts of a video to remove. `isDryRun` removes nothing. */
export type Cleanup = { isDryRun: boolean; plan: (video: StoredVideo) => CleanupPlan };

/**
 * Loads a video, lets `plan` choose, and removes the chosen parts in the same transaction: no playlist lists them from
 * then on, and their objects are deleted after their grace period (chunks a day, the original ten minutes). Throws
 * `Refused` (`not-found`) for an unknown video, and everything that `plan` throws.
 */
export function cleanVideo(db: Db, key: MediaKey, { isDryRun, plan }: Cleanup): Promise<CleanupPlan> {
  return inTransaction(db, async (tx) => {
    await tx.selectFrom('media').select('id').where('id', '=', key.mediaId).forUpdate().execute();
    const chosen = plan(await loadStoredVideo(tx, key));
    if (!isDryRun) await remove(tx, key, chosen);
    return chosen;
  });
}

async function remove(tx: Tx, key: MediaKey, { renditions, originalBytes }: CleanupPlan): Promise<void> {
  if (renditions.length === 0 && originalBytes === null) return;
  if (renditions.length > 0) {
    const ids = renditions.map(({ id }) => id);
    await tx
      .updateTable('rendition')
      .set({ active: false, retired_at: sql<Date>`now()` })
      .where('library_id', '=', key.libraryId)
      .where('media_id', '=', key.mediaId)
      .where('id', 'in', ids)
      .execute();
  }
  if (originalBytes !== null) await retireOriginal(tx, key);
  await sumStorage(tx, key);
  await bumpPublication(tx, key);
}
