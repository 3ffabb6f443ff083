import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type Tx } from '../db.ts';
import { LostClaim } from './chunk-store.ts';
import { settleMedia } from './settle-store.ts';
import { sumStorage } from './storage-store.ts';
import type { Claim } from './work.ts';
import { endWork, lockClaim, refreshProgress } from './work-store.ts';

/** The name of a thumbnail that its owner did not upload. */
const OWN_NAME = 'thumbnail.jpg';

/**
 * Ends a thumbnail work. The picture becomes the video's unless its owner has set one; null is a source of
 * which no picture came. False when it was not taken in, so its object can go. Throws LostClaim.
 */
export async function commitThumbnail(
  tx: Tx,
  claim: Claim,
  picture: { storageKey: StorageKey; sizeBytes: number } | null,
): Promise<StorageKey | null> {
  const { key } = claim.work;
  await bumpPublication(tx, key);
  if (!(await lockClaim(tx, claim))) throw new LostClaim({ attempt: claim.attempt, id: claim.work.id });
  const before = await tx
    .selectFrom('media')
    .select(['thumbnail_key', 'thumbnail_file_name'])
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .executeTakeFirstOrThrow();
  const isTaken = picture !== null && before.thumbnail_file_name === OWN_NAME;
  if (isTaken) {
    await tx
      .updateTable('media')
      .set({ thumbnail_key: picture.storageKey, thumbnail_bytes: picture.sizeBytes, thumbnail_count: 1 })
      .where('library_id', '=', key.libraryId)
      .where('id', '=', key.mediaId)
      .execute();
    await sumStorage(tx, key);
  }
  await endWork(tx, claim, 'done', null);
  await settleMedia(tx, key);
  await refreshProgress(tx, key);
  return isTaken ? before.thumbnail_key : (picture?.storageKey ?? null);
}
