import { ApiError } from '../../../sdk/src/millrace.ts';
import type { Context } from './context.ts';
import type { FoundVideo } from './read-folder.ts';

/** States in `VideoModel.status` of videos whose file was refused: failed, upload failed. */
const REFUSED = [5, 6];

/** Reason for a file that is not sent, because it has no content. */
export const EMPTY_FILE = 'The file is empty.';

/** A file that an earlier import refused for good, by the GUID of its video. */
export type RefusedFiles = ReadonlyMap<string, { sizeBytes: number | null; reason: string }>;

/**
 * Finds the files of a folder that earlier imports into the library refused, with the reason. Leaves out retryable
 * failures, and videos that were deleted or got another file.
 */
export async function findRefused(
  { millrace, library: libraryId }: Context,
  videos: readonly FoundVideo[],
): Promise<RefusedFiles> {
  const left = new Set(videos.map(({ item }) => item.guid));
  const refused = new Map<string, { sizeBytes: number | null; reason: string }>();
  for await (const { guid: importId, source, counts } of millrace.pages('listImports', { libraryId })) {
    if (source !== 'upload' || counts.failed === 0) continue;
    for (let page = 1; ; page += 1) {
      const read = await millrace.call('getImport', { libraryId, importId, state: 'failed', page, itemsPerPage: 1000 });
      for (const { guid, sizeBytes, reason, retryable } of read.items) {
        // The newest import is listed first, and only the newest failure of a file counts.
        if (left.delete(guid) && !retryable) refused.set(guid, { sizeBytes, reason: reason ?? '' });
      }
      if (page * read.itemsPerPage >= read.totalItems) break;
    }
  }
  for (const guid of refused.keys()) {
    if (!(await isStillRefused({ millrace, library: libraryId }, guid))) refused.delete(guid);
  }
  return refused;
}

async function isStillRefused({ millrace, library: libraryId }: Pick<Context, 'millrace' | 'library'>, guid: string) {
  try {
    return REFUSED.includes((await millrace.call('getVideo', { libraryId, videoId: guid })).status);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

/** Returns why a file is not sent, or null. A file of another size is new. */
export function reasonToSkip({ item }: FoundVideo, refused: RefusedFiles): string | null {
  if (item.sizeBytes === 0) return EMPTY_FILE;
  const earlier = refused.get(item.guid);
  if (earlier === undefined || earlier.sizeBytes !== item.sizeBytes) return null;
  return `An earlier import could not use this file. --retry-failed sends it again. ${earlier.reason}`;
}
