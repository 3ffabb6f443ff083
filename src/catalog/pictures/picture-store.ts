import type { PictureSet } from '../../media/images/picture-set.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type Tx } from '../db.ts';
import { LostClaim } from '../encoding/chunk-store.ts';
import { settleMedia } from '../encoding/settle-store.ts';
import { sumStorage } from '../encoding/storage-store.ts';
import type { Claim } from '../encoding/work.ts';
import { endWork, lockClaim, refreshProgress } from '../encoding/work-store.ts';
import { type MadeThumbnail, replacePictures, type StoredPicture, showThumbnail } from './shown-pictures-store.ts';

export type MadePictures = { set: PictureSet; objects: readonly StoredPicture[]; thumbnail: MadeThumbnail };

/** Objects that were not taken in and can go. */
export type PictureEnd = { unwanted: StorageKey[] };

/**
 * Ends a work that made a thumbnail, which becomes the video's unless its owner has set one; null is a source of which
 * no picture came. Throws LostClaim.
 */
export async function commitThumbnail(tx: Tx, claim: Claim, thumbnail: MadeThumbnail | null): Promise<PictureEnd> {
  const { key } = claim.work;
  await bumpPublication(tx, key);
  if (!(await lockClaim(tx, claim))) throw new LostClaim({ attempt: claim.attempt, id: claim.work.id });
  return endPictures(tx, claim, thumbnail);
}

/** Ends a work that made pictures: they take the place of earlier ones, whose objects retire. Throws LostClaim. */
export async function commitPictures(
  tx: Tx,
  claim: Claim,
  { set, objects, thumbnail }: MadePictures,
): Promise<PictureEnd> {
  const { key } = claim.work;
  await bumpPublication(tx, key);
  if (!(await lockClaim(tx, claim))) throw new LostClaim({ attempt: claim.attempt, id: claim.work.id });
  await replacePictures(tx, key, { set, objects });
  return endPictures(tx, claim, thumbnail);
}

async function endPictures(tx: Tx, claim: Claim, thumbnail: MadeThumbnail | null): Promise<PictureEnd> {
  const { key } = claim.work;
  const isTaken = thumbnail !== null && (await showThumbnail(tx, key, thumbnail));
  await sumStorage(tx, key);
  await endWork(tx, claim, 'done', null);
  await settleMedia(tx, key);
  await refreshProgress(tx, key);
  return { unwanted: thumbnail === null || isTaken ? [] : [thumbnail.key] };
}
