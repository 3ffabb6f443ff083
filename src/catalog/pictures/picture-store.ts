import type { PictureSet } from '../../media/images/picture-set.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type Tx } from '../db.ts';
import { LostClaim } from '../lifecycle/chunk-store.ts';
import { finalizeMedia } from '../lifecycle/finalize-store.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import { endTask, lockClaim, refreshProgress } from '../tasks/claim-store.ts';
import type { Claim } from '../tasks/encode-task.ts';
import type { SheetOutput } from './picture-schema.ts';
import { type MadeThumbnail, replacePictures, type StoredPicture, showThumbnail } from './shown-pictures-store.ts';

export type MadePictures = { set: PictureSet; objects: readonly StoredPicture[]; thumbnail: MadeThumbnail };

/** Objects that were not taken in and can go. */
export type PictureEnd = { rejected: StorageKey[] };

/**
 * Ends an encode task that made a thumbnail, which becomes the video's unless its owner has set one; null is a source
 * of which no picture came. Throws LostClaim.
 */
export async function commitThumbnail(tx: Tx, claim: Claim, thumbnail: MadeThumbnail | null): Promise<PictureEnd> {
  const { key } = claim.task;
  await bumpPublication(tx, key);
  if (!(await lockClaim(tx, claim))) throw new LostClaim({ attempt: claim.attempt, id: claim.task.id });
  return endPictures(tx, claim, thumbnail);
}

/**
 * Ends an encode task that made pictures: they take the place of earlier ones, whose objects retire. Throws LostClaim.
 */
export async function commitPictures(
  tx: Tx,
  claim: Claim,
  { set, objects, thumbnail }: MadePictures,
): Promise<PictureEnd> {
  const { key } = claim.task;
  await bumpPublication(tx, key);
  if (!(await lockClaim(tx, claim))) throw new LostClaim({ attempt: claim.attempt, id: claim.task.id });
  await replacePictures(tx, key, { set, objects });
  return endPictures(tx, claim, thumbnail);
}

/** Ends an encode task that made sheets: the task that makes the other pictures takes them up. Throws LostClaim. */
export async function commitSheets(tx: Tx, claim: Claim, output: SheetOutput): Promise<void> {
  const { key, id } = claim.task;
  await bumpPublication(tx, key);
  if (!(await lockClaim(tx, claim))) throw new LostClaim({ attempt: claim.attempt, id });
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

async function endPictures(tx: Tx, claim: Claim, thumbnail: MadeThumbnail | null): Promise<PictureEnd> {
  const { key } = claim.task;
  const isTaken = thumbnail !== null && (await showThumbnail(tx, key, thumbnail));
  await sumStorage(tx, key);
  await endTask(tx, claim, 'done', null);
  await finalizeMedia(tx, key);
  await refreshProgress(tx, key);
  return { rejected: thumbnail === null || isTaken ? [] : [thumbnail.key] };
}
