import type { ImageSet } from '../../media/images/image-set.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type Tx } from '../db.ts';
import { type MadeThumbnail, replaceImages, type StoredImage, showThumbnail } from '../images/shown-images-store.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import { endTask, lockClaim, refreshProgress } from '../tasks/claim-store.ts';
import type { Claim } from '../tasks/encode-task.ts';
import type { SheetOutput } from '../tasks/task-schema.ts';
import { finalizeMedia } from './finalize-store.ts';

export type MadeImages = { set: ImageSet; objects: readonly StoredImage[]; thumbnail: MadeThumbnail };

/** Objects that were not accepted and can be deleted. */
export type ImageEnd = { rejected: StorageKey[] };

/**
 * Ends an encode task that created a thumbnail. The video uses it unless its owner has set one. `thumbnail` is null if
 * the source yielded none. Throws LeaseLost.
 */
export async function commitThumbnail(tx: Tx, claim: Claim, thumbnail: MadeThumbnail | null): Promise<ImageEnd> {
  const { key } = claim.task;
  await bumpPublication(tx, key);
  await lockClaim(tx, claim);
  return endImages(tx, claim, thumbnail);
}

/** Ends an encode task that created images. They replace earlier ones, whose objects are retired. Throws LeaseLost. */
export async function commitImages(tx: Tx, claim: Claim, { set, objects, thumbnail }: MadeImages): Promise<ImageEnd> {
  const { key } = claim.task;
  await bumpPublication(tx, key);
  await lockClaim(tx, claim);
  await replaceImages(tx, key, { set, objects });
  return endImages(tx, claim, thumbnail);
}

/** Ends an encode task that created sheets. The task that creates the other images uses them. Throws LeaseLost. */
export async function commitSheets(tx: Tx, claim: Claim, output: SheetOutput): Promise<void> {
  const { key, id } = claim.task;
  await bumpPublication(tx, key);
  await lockClaim(tx, claim);
  await tx
    .updateTable('encode_task')
    .set({ output: JSON.stringify(output) })
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where('id', '=', id)
    .execute();
  await endTask(tx, claim, 'done', null);
  await finalizeMedia(tx, key);
  await refreshProgress(tx, key);
}

async function endImages(tx: Tx, claim: Claim, thumbnail: MadeThumbnail | null): Promise<ImageEnd> {
  const { key } = claim.task;
  const isTaken = thumbnail !== null && (await showThumbnail(tx, key, thumbnail));
  await sumStorage(tx, key);
  await endTask(tx, claim, 'done', null);
  await finalizeMedia(tx, key);
  await refreshProgress(tx, key);
  return { rejected: thumbnail === null || isTaken ? [] : [thumbnail.key] };
}
