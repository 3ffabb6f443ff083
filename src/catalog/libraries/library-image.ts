import { type StorageKey, storageKey } from '../../ports/storage.ts';
import type { Library, LibraryChange } from './library.ts';

/** The largest file that may become an image of a library, in bytes. */
export const IMAGE_LIMIT_BYTES = 5 * 2 ** 20;

/** The images of a library: what is drawn over videos, over live streams, and what stands for streams without one. */
export type LibraryImage = 'watermark' | 'liveWatermark' | 'liveThumbnail';

const FOLDERS: Readonly<Record<LibraryImage, string>> = {
  watermark: 'watermark',
  liveWatermark: 'live-watermark',
  liveThumbnail: 'live-thumbnail',
};
/** All of them. */
export const LIBRARY_IMAGES = Object.keys(FOLDERS) as LibraryImage[];

/** Where the versions of a library's image lie; ends with a slash. */
export function imagePrefix(libraryId: number, image: LibraryImage): string {
  return `${libraryId}/${FOLDERS[image]}/`;
}

/** Where one version of a library's image lies. */
export function imageKey(libraryId: number, image: LibraryImage, version: number): StorageKey {
  return storageKey(`${imagePrefix(libraryId, image)}${version}`);
}

/** The version that an image's key names; null for any other key. */
export function imageVersion(key: StorageKey): number | null {
  const [, version] = /^\d+\/[a-z-]+\/(\d{1,15})$/.exec(key) ?? [];
  return version === undefined ? null : Number(version);
}

/** Shows a stored version, unless a later upload has overtaken it: then that one stays. */
export function replaceImage({ settings }: Library, image: LibraryImage, version: number): LibraryChange {
  return settings[image].version >= version ? {} : { settings: { [image]: { present: true, version } } };
}
