import type { MediaKey } from '../../catalog/db.ts';
import { imageKeyIn } from '../../catalog/images/image-key.ts';
import type { StoredImage } from '../../catalog/images/shown-images-store.ts';
import { type Claim, mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { type Storage, type StorageKey, storageKey } from '../../ports/storage.ts';

const TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  webm: 'video/webm',
  mp4: 'video/mp4',
};

/**
 * Destination of the images of one attempt. `objects` are stored completely. `written` also includes those that may be
 * stored partially.
 */
export type ImageOutput = {
  put(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  readonly objects: readonly StoredImage[];
  readonly written: readonly StorageKey[];
};

export function createImageOutput(storage: Storage, key: MediaKey, folder: string): ImageOutput {
  const objects: StoredImage[] = [];
  const written: StorageKey[] = [];
  return {
    objects,
    written,
    async put(name, bytes, signal) {
      const object = imageKeyIn(key, folder, name);
      const contentType = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
      written.push(object);
      const { sizeBytes } = await storage.put(object, bytes, { contentType }, signal);
      objects.push({ key: object, sizeBytes, use: name.startsWith('preview') ? 'preview' : 'thumbnail' });
    },
  };
}

/** Returns the key of the image that an attempt stores as the video's thumbnail. */
export function thumbnailKey({ task, attempt }: Claim): StorageKey {
  return storageKey(`${mediaPrefix(task.key)}thumbnail/${task.id}-${attempt}.jpg`);
}
