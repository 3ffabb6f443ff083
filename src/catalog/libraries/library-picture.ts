import { type StorageKey, storageKey } from '../../ports/storage.ts';
import type { Library, LibraryChange } from './library.ts';

/** The largest file that may become a picture of a library, in bytes. */
export const PICTURE_LIMIT_BYTES = 5 * 2 ** 20;

/** The pictures of a library: what is drawn over videos, over live streams, and what stands for streams without one. */
export type LibraryPicture = 'watermark' | 'liveWatermark' | 'liveThumbnail';

const FOLDERS: Readonly<Record<LibraryPicture, string>> = {
  watermark: 'watermark',
  liveWatermark: 'live-watermark',
  liveThumbnail: 'live-thumbnail',
};
/** All of them. */
export const LIBRARY_PICTURES = Object.keys(FOLDERS) as LibraryPicture[];

/** Where the versions of a library's picture lie; ends with a slash. */
export function picturePrefix(libraryId: number, picture: LibraryPicture): string {
  return `${libraryId}/${FOLDERS[picture]}/`;
}

/** Where one version of a library's picture lies. */
export function pictureKey(libraryId: number, picture: LibraryPicture, version: number): StorageKey {
  return storageKey(`${picturePrefix(libraryId, picture)}${version}`);
}

/** The version that a picture's key names; null for any other key. */
export function pictureVersion(key: StorageKey): number | null {
  const [, version] = /^\d+\/[a-z-]+\/(\d{1,15})$/.exec(key) ?? [];
  return version === undefined ? null : Number(version);
}

/** Shows a stored version, unless a later upload has overtaken it: then that one stays. */
export function replacePicture({ settings }: Library, picture: LibraryPicture, version: number): LibraryChange {
  return settings[picture].version >= version ? {} : { settings: { [picture]: { present: true, version } } };
}
