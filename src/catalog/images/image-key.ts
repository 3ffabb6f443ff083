import { folderOf, type ImageSet } from '../../media/images/image-set.ts';
import { type StorageKey, storageKey } from '../../ports/storage.ts';
import type { MediaKey } from '../db.ts';
import { mediaPrefix } from '../tasks/encode-task.ts';

/** Where an image of a set lies. `name` is as in `ImageSet`. */
export function imageKey(key: MediaKey, set: ImageSet, name: string): StorageKey {
  return imageKeyIn(key, folderOf(set, name), name);
}

/** Where a task puts an image. */
export function imageKeyIn(key: MediaKey, folder: string, name: string): StorageKey {
  return storageKey(`${mediaPrefix(key)}pictures/${folder}/${name}`);
}
