import type { MediaKey } from '../../catalog/db.ts';
import { pictureKeyIn } from '../../catalog/pictures/picture-key.ts';
import type { StoredPicture } from '../../catalog/pictures/shown-pictures-store.ts';
import { type Claim, mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { type Storage, type StorageKey, storageKey } from '../../ports/storage.ts';

const TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  webm: 'video/webm',
  mp4: 'video/mp4',
};

/** Where the pictures of one attempt are put. `objects` are stored, `written` names also what may be so in part. */
export type PictureOutput = {
  put(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  readonly objects: readonly StoredPicture[];
  readonly written: readonly StorageKey[];
};

export function createPictureOutput(storage: Storage, key: MediaKey, folder: string): PictureOutput {
  const objects: StoredPicture[] = [];
  const written: StorageKey[] = [];
  return {
    objects,
    written,
    async put(name, bytes, signal) {
      const object = pictureKeyIn(key, folder, name);
      const contentType = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
      written.push(object);
      const { sizeBytes } = await storage.put(object, bytes, { contentType }, signal);
      objects.push({ key: object, sizeBytes, use: name.startsWith('preview') ? 'preview' : 'thumbnail' });
    },
  };
}

/** Where an attempt puts the picture that becomes the video's thumbnail. */
export function thumbnailKey({ task, attempt }: Claim): StorageKey {
  return storageKey(`${mediaPrefix(task.key)}thumbnail/${task.id}-${attempt}.jpg`);
}
