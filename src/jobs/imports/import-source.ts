import type { ImportSourceName } from '../../catalog/imports/library-import.ts';
import type { ImportCaption, ImportedVideo, ListedItem } from '../../catalog/imports/listed-item.ts';
import type { Guid } from '../../lib/guid.ts';
import type { SourceSettings } from './settings-importer.ts';
import type { FileRequest, SourceClient } from './source-client.ts';

/** Access to a source, as its import stores it: sealed. Fields that a source does not use are null. */
export type SourceRequest = {
  apiUrl: string;
  coreUrl: string | null;
  /** Key of the library at the source, or the first part of a pair of keys. */
  accessKey: string | null;
  accountKey: string | null;
  libraryId: number | null;
  /** URL of the files, without a final slash. */
  cdnUrl: string | null;
  /** Signs URLs of files, or null if the pull zone requires no token. */
  securityKey: string | null;
  /** Page that the pull zone expects as referrer. */
  referrer: string | null;
  /** Account or user name at the source. */
  account: string | null;
  /** Second part of a pair of keys, or the password of `account`. */
  secretKey: string | null;
  bucket: string | null;
  prefix: string | null;
  region: string | null;
  /** Storage zone of the library, from which originals can be read. */
  storage: { url: string; key: string } | null;
  /** Time of the last `prepare`, in ms since 1970, or null before the first. */
  preparedMs: number | null;
  items: readonly ListedItem[];
};

export type ListedPage = { items: ListedItem[]; next: string | null };

export type Listing = {
  cursor: string | null;
  client: SourceClient;
  /** Derives a GUID from an id of the source. Another import into the same library derives the same one. */
  guidFor(sourceId: string): Guid;
};

/** A listed video whose files are wanted. */
export type Located = { sourceId: string; video: ImportedVideo };

/**
 * A source from which videos can be imported. `prepare` determines values that the request does not contain, before the
 * list and again after `refreshSec`. `list` returns one page of entries, collections first. `locate` writes requests
 * for the files of a video immediately before the transfer, and throws `SourcePreparing` while the source makes them.
 */
export type ImportSource = {
  name: ImportSourceName;
  /** True if the files of the items are uploaded by the caller instead of fetched. */
  awaitsUploads: boolean;
  /** True if `locate` makes the source prepare a file, which a plan must not do. */
  preparesFiles: boolean;
  /** Lifetime of the values that `prepare` determines, in s. Null if they do not expire. */
  refreshSec: number | null;
  prepare(request: SourceRequest, client: SourceClient, signal: AbortSignal): Promise<SourceRequest>;
  /** Reads the settings of the library. Returns null if the source has none, or the key may not read them. */
  readSettings?(request: SourceRequest, client: SourceClient, signal: AbortSignal): Promise<SourceSettings | null>;
  list(request: SourceRequest, listing: Listing, signal: AbortSignal): Promise<ListedPage>;
  locate(
    request: SourceRequest,
    { item, client }: { item: Located; client: SourceClient },
    signal: AbortSignal,
  ): Promise<LocatedFiles>;
};

/** `details` are properties that the source's list lacks. They replace the listed ones. */
export type LocatedFiles = {
  files: (FileRequest & { kind: string })[];
  captions: (FileRequest & Omit<ImportCaption, 'address'>)[];
  thumbnail: FileRequest | null;
  details?: Partial<ImportedVideo>;
  notes?: string[];
};
