import { folderOf, type PictureSet } from '../../media/images/picture-set.ts';
import { type StorageKey, storageKey } from '../../ports/storage.ts';
import type { MediaKey } from '../db.ts';
import { mediaPrefix } from '../tasks/encode-task.ts';

/** Where a picture of a set lies. `name` is as in `PictureSet`. */
export function pictureKey(key: MediaKey, set: PictureSet, name: string): StorageKey {
  return pictureKeyIn(key, folderOf(set, name), name);
}

/** Where a task puts a picture. */
export function pictureKeyIn(key: MediaKey, folder: string, name: string): StorageKey {
  return storageKey(`${mediaPrefix(key)}pictures/${folder}/${name}`);
}
