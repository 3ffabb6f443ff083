import type { RemoteFile } from './transfer-fault.ts';

/** Names of export files that do not belong to a single video. */
export const EXPORT_FILES = {
  collections: 'collections.json',
  settings: 'library.json',
  statistics: 'statistics.csv',
  sums: 'SHA256SUMS',
};

/**
 * A file of the service to write. Its name is `stem` and `extension`; if that is null, the usual extension of its
 * content. `sha256`: the hash that it must have, or null if the service did not record one. `maxBytes`: an upper bound
 * of its size, if known.
 */
export type WantedFile = {
  file: RemoteFile;
  stem: string;
  extension: string | null;
  sha256: string | null;
  maxBytes: number | null;
};

/** Destination of an export: a folder or a bucket. All names are without folders. */
export type ExportTarget = {
  /** Names of the present files. */
  names(): Iterable<string>;
  has(name: string): boolean;
  /** Returns the content of a text file, or null if it does not exist. */
  readText(name: string): Promise<string | null>;
  /** Replaces a text file as a whole. */
  writeText(name: string, text: string): Promise<void>;
  /**
   * Transfers a file. Replaces an earlier one as a whole. Returns its name and SHA-256. Throws `DownloadFailed` if the
   * service does not send it, or sends other content than `sha256`.
   */
  writeFile(wanted: WantedFile): Promise<{ name: string; sha256: string }>;
  /** Returns a text that changes if the file was changed or damaged, without reading it. The file must exist. */
  markOf(name: string): Promise<string>;
  /** Reads a file and returns its SHA-256. The file must exist. */
  hashOf(name: string): Promise<string>;
  /** Removes a file. Does nothing if it does not exist. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
};
