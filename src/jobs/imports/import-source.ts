import type { ImportSourceName } from '../../catalog/imports/library-import.ts';
import type { ImportCaption, ImportedVideo, ListedItem } from '../../catalog/imports/listed-item.ts';
import type { Guid } from '../../lib/guid.ts';
import type { FileRequest, SourceClient } from './source-client.ts';

/** Access to a source, as its import stores it: sealed. Fields that a source does not use are null. */
export type SourceRequest = {
  apiUrl: string;
  coreUrl: string | null;
  /** Key of the library at the source. */
  accessKey: string | null;
  accountKey: string | null;
  libraryId: number | null;
  /** URL of the files: the pull zone, without a final slash. */
  cdnUrl: string | null;
  /** Signs URLs of files; null if the pull zone requires no token. */
  securityKey: string | null;
  /** Page that the pull zone expects as referrer. */
  referrer: string | null;
  /** Storage zone of the library, from which originals can be read. */
  storage: { url: string; key: string } | null;
  items: readonly ListedItem[];
};

export type ListedPage = { items: ListedItem[]; next: string | null };

/**
 * A source from which videos can be imported. `prepare` determines values that the request does not contain, once per
 * import. `list` returns one page of entries, collections first. `locate` writes requests for the files of a video.
 */
export type ImportSource = {
  name: ImportSourceName;
  /** True if the files of the items are uploaded by the caller instead of fetched. */
  awaitsUploads: boolean;
  prepare(request: SourceRequest, client: SourceClient, signal: AbortSignal): Promise<SourceRequest>;
  list(
    request: SourceRequest,
    at: { cursor: string | null; client: SourceClient },
    signal: AbortSignal,
  ): Promise<ListedPage>;
  locate(request: SourceRequest, id: Guid, video: ImportedVideo): LocatedFiles;
};

export type LocatedFiles = {
  files: (FileRequest & { kind: string })[];
  captions: (FileRequest & Pick<ImportCaption, 'srclang' | 'label'>)[];
  thumbnail: FileRequest | null;
};
