import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Of } from '../../lib/sha256-of.ts';
import type { Context } from './context.ts';
import { printProgress } from './output.ts';

/** Time for which the search waits until the service has hashed the videos of a collection. */
const MAX_WAIT_MS = 60_000;
const POLL_MS = 1_000;
const PAGE_ITEMS = 1_000;
/** States in `VideoModel.status` of videos without a file: created, upload failed. */
const WITHOUT_FILE = [0, 6];
/** State of a video whose file could not be processed. */
const FAILED = 5;

/** The video that has the content of a file. `refusal` is the reason if the file could not be processed. */
export type Uploaded = { guid: string; refusal: string | null };
/** Returns the video that already has the content of a file, or null. */
export type FindUploaded = (path: string) => Promise<Uploaded | null>;

/** Reads the hashes of the videos in a collection, with which the files of a folder are compared. */
export async function findUploaded(context: Context, collectionId: string): Promise<FindUploaded> {
  const hashes = await readHashes(context, collectionId);
  return async (path) => {
    if (hashes.size === 0) return null;
    printProgress(`${path} comparing`, 0);
    return hashes.get((await sha256Of(createReadStream(path))).toString('hex')) ?? null;
  };
}

/** Waits for the hashes of new originals. Videos without an original, such as clips and recordings, never get one. */
async function readHashes({ millrace, library }: Context, collection: string): Promise<Map<string, Uploaded>> {
  const until = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const hashes = new Map<string, Uploaded>();
    let isComplete = true;
    const listed = { libraryId: library, collection, itemsPerPage: PAGE_ITEMS };
    for await (const video of millrace.pages('listVideos', listed)) {
      const { guid, originalHash, hasOriginal, status } = video;
      if (WITHOUT_FILE.includes(status) || (originalHash === null && hasOriginal !== true)) continue;
      const reason = video.transcodingMessages?.at(-1)?.message ?? 'The file could not be processed.';
      const known = originalHash === null ? undefined : hashes.get(originalHash.toLowerCase());
      if (originalHash === null) isComplete &&= status === FAILED;
      else if (status !== FAILED) hashes.set(originalHash.toLowerCase(), { guid, refusal: null });
      else if (known === undefined) hashes.set(originalHash.toLowerCase(), { guid, refusal: reason });
    }
    if (isComplete || Date.now() > until) return hashes;
    await sleep(POLL_MS);
  }
}
