import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Of } from '../../lib/sha256-of.ts';
import type { Context } from './context.ts';
import { printProgress } from './output.ts';

/** Time for which the search waits until the service has hashed the videos of a collection. */
const MAX_WAIT_MS = 60_000;
const POLL_MS = 1_000;
const PAGE_ITEMS = 1_000;
/** States in `VideoModel.status` of videos without a usable file: created, failed, upload failed. */
const WITHOUT_FILE = [0, 5, 6];

/** Returns the GUID of the video that already has the content of a file, or null. */
export type FindUploaded = (path: string) => Promise<string | null>;

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
async function readHashes({ millrace, library }: Context, collection: string): Promise<Map<string, string>> {
  const until = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const hashes = new Map<string, string>();
    let isComplete = true;
    const listed = { libraryId: library, collection, itemsPerPage: PAGE_ITEMS };
    for await (const { guid, originalHash, hasOriginal, status } of millrace.pages('listVideos', listed)) {
      if (WITHOUT_FILE.includes(status) || (originalHash === null && hasOriginal !== true)) continue;
      if (originalHash === null) isComplete = false;
      else hashes.set(originalHash.toLowerCase(), guid);
    }
    if (isComplete || Date.now() > until) return hashes;
    await sleep(POLL_MS);
  }
}
