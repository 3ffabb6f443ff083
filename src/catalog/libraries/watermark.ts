import { type StorageKey, storageKey } from '../../ports/storage.ts';
import type { Library, LibraryChange } from './library.ts';

/** The largest picture that may be a watermark, in bytes. */
export const WATERMARK_LIMIT_BYTES = 5 * 2 ** 20;

/** Where a library's watermarks lie; ends with a slash. */
export function watermarkPrefix(libraryId: number): string {
  return `${libraryId}/watermark/`;
}

/** Where one version of a library's watermark lies. */
export function watermarkKey(libraryId: number, version: number): StorageKey {
  return storageKey(`${watermarkPrefix(libraryId)}${version}`);
}

/** The version that a watermark's key names; null for any other key. */
export function watermarkVersion(key: StorageKey): number | null {
  const [, version] = /^\d+\/watermark\/(\d{1,15})$/.exec(key) ?? [];
  return version === undefined ? null : Number(version);
}

/** Shows a stored version, unless a later upload has overtaken it: then that one stays. */
export function replaceWatermark({ settings }: Library, version: number): LibraryChange {
  return settings.watermark.version >= version ? {} : { settings: { watermark: { present: true, version } } };
}
