import { folderOf, type ImageSet } from '../../media/images/image-set.ts';
import { type StorageKey, storageKey } from '../../ports/storage.ts';
import type { MediaKey } from '../db.ts';
import { mediaPrefix } from '../tasks/encode-task.ts';

/** Returns the storage key of one image of an `ImageSet`. `name` is the image's name in the set. */
export function imageKey(key: MediaKey, set: ImageSet, name: string): StorageKey {
  return imageKeyIn(key, folderOf(set, name), name);
}

/** Returns the storage key under which a task stores an image. */
export function imageKeyIn(key: MediaKey, folder: string, name: string): StorageKey {
  return storageKey(`${mediaPrefix(key)}pictures/${folder}/${name}`);
}
