import { type StorageKey, storageKey } from '../../ports/storage.ts';
import type { Library, LibraryChange } from './library.ts';

/** Maximum size of a library image, in bytes. */
export const IMAGE_LIMIT_BYTES = 5 * 2 ** 20;

/**
 * The images of a library: the watermarks of videos and of live streams, the thumbnail of streams that have none of
 * their own, and the logo of share pages.
 */
export type LibraryImage = 'watermark' | 'liveWatermark' | 'liveThumbnail' | 'logo';

const FOLDERS: Readonly<Record<LibraryImage, string>> = {
  watermark: 'watermark',
  liveWatermark: 'live-watermark',
  liveThumbnail: 'live-thumbnail',
  logo: 'logo',
};
/** The names of all library images. */
export const LIBRARY_IMAGES = Object.keys(FOLDERS) as LibraryImage[];

/** Returns the folder of a library image's versions; ends with a slash. */
export function imagePrefix(libraryId: number, image: LibraryImage): string {
  return `${libraryId}/${FOLDERS[image]}/`;
}

/** Returns the storage key of one version of a library's image. */
export function imageKey(libraryId: number, image: LibraryImage, version: number): StorageKey {
  return storageKey(`${imagePrefix(libraryId, image)}${version}`);
}

/** Returns the version in an image's key, or null for any other key. */
export function imageVersion(key: StorageKey): number | null {
  const [, version] = /^\d+\/[a-z-]+\/(\d{1,15})$/.exec(key) ?? [];
  return version === undefined ? null : Number(version);
}

/** Switches to a stored version of an image, unless a later upload finished first. */
export function replaceImage({ settings }: Library, image: LibraryImage, version: number): LibraryChange {
  return settings[image].version >= version ? {} : { settings: { [image]: { present: true, version } } };
}
