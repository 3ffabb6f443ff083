import { sql } from 'kysely';
import type { PictureSet } from '../../media/pictures/picture-set.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type MediaKey, type Tx } from '../db.ts';
import { LostClaim } from '../encoding/chunk-store.ts';
import { settleMedia } from '../encoding/settle-store.ts';
import { sumStorage } from '../encoding/storage-store.ts';
import type { Claim, Work } from '../encoding/work.ts';
import { endWork, lockClaim, refreshProgress } from '../encoding/work-store.ts';
import { retireObject } from '../retired-object-store.ts';

/** A stored picture and in which sum of the storage report it counts. */
export type StoredPicture = { key: StorageKey; sizeBytes: number; use: 'thumbnail' | 'preview' };

/** The picture that becomes the thumbnail of a video whose owner set none. */
export type MadeThumbnail = { key: StorageKey; sizeBytes: number; blurhash: string };

export type MadePictures = { set: PictureSet; objects: readonly StoredPicture[]; thumbnail: MadeThumbnail };

/** The name of a thumbnail that its owner did not upload. */
const OWN_NAME = 'thumbnail.jpg';
const ROWS_AT_ONCE = 500;

/** What a work left: the works to send next, and objects that were not taken in and can go. */
export type PictureEnd = { works: Work[]; unwanted: StorageKey[] };

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
  await replaceObjects(tx, key, objects);
  await tx
    .updateTable('media')
    .set({ pictures: JSON.stringify(set), thumbnail_count: set.board.frames })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .execute();
  return endPictures(tx, claim, thumbnail);
}

async function endPictures(tx: Tx, claim: Claim, thumbnail: MadeThumbnail | null): Promise<PictureEnd> {
  const { key } = claim.work;
  const isTaken = thumbnail !== null && (await showThumbnail(tx, key, thumbnail));
  await sumStorage(tx, key);
  await endWork(tx, claim, 'done', null);
  const works = await settleMedia(tx, key);
  await refreshProgress(tx, key);
  return { works, unwanted: thumbnail === null || isTaken ? [] : [thumbnail.key] };
}

async function replaceObjects(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  objects: readonly StoredPicture[],
): Promise<void> {
  await sql`
    insert into retired_object (storage_key, library_id, media_id, size_bytes)
    select storage_key, library_id, media_id, size_bytes from picture
    where library_id = ${libraryId} and media_id = ${mediaId} on conflict do nothing
  `.execute(tx);
  await tx.deleteFrom('picture').where('library_id', '=', libraryId).where('media_id', '=', mediaId).execute();
  const rows = objects.map(({ key, sizeBytes, use }) => ({
    library_id: libraryId,
    media_id: mediaId,
    storage_key: key,
    use,
    size_bytes: sizeBytes,
  }));
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await tx
      .insertInto('picture')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .execute();
  }
}

async function showThumbnail(
  tx: Tx,
  key: MediaKey,
  { key: object, sizeBytes, blurhash }: MadeThumbnail,
): Promise<boolean> {
  const before = await tx
    .selectFrom('media')
    .select(['thumbnail_key', 'thumbnail_bytes', 'thumbnail_file_name'])
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .executeTakeFirstOrThrow();
  if (before.thumbnail_file_name !== OWN_NAME) return false;
  if (before.thumbnail_key !== null) {
    await retireObject(tx, key, { key: before.thumbnail_key, sizeBytes: before.thumbnail_bytes });
  }
  await tx
    .updateTable('media')
    .set({ thumbnail_key: object, thumbnail_bytes: sizeBytes, thumbnail_blurhash: blurhash })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .execute();
  return true;
}
