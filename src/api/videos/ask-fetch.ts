import type { Db, FollowUp } from '../../catalog/db.ts';
import { countOpenFetches, openingFetch } from '../../catalog/uploads/fetch-store.ts';
import type { UploadRef } from '../../catalog/uploads/upload-store.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { fetchVideo } from '../../jobs/uploads/fetch-video.ts';
import { requireSpace, type SpaceDeps } from '../../jobs/uploads/require-space.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { FetchVideoRequest } from '../models/video.ts';
import { checkOrigin, type Origin } from './check-origin.ts';

/** Maximum number of waiting and running fetches of one library. */
const MAX_OPEN_FETCHES = 100;

export type AskFetchDeps = SpaceDeps & { db: Db; queue: Queue; outbound: Outbound; secretBox: SecretBox };

/** Returns the origin of a fetch from the request body. */
export function readOrigin({ url, headers }: FetchVideoRequest): Origin {
  return { url, headers: headers ?? {} };
}

/**
 * Checks whether a fetch can be accepted. Throws `Refused`: `busy` if the library already has a hundred fetches in
 * progress, `invalid` if the origin or the outbound rules refuse the URL, `disk-full` if the file would not fit on the
 * disk. Returns the size of the file, or null if the origin did not send it.
 */
export async function requireFetchable(
  libraryId: number,
  origin: Origin,
  deps: AskFetchDeps,
  signal: AbortSignal,
): Promise<number | null> {
  if ((await countOpenFetches(deps.db, libraryId)) >= MAX_OPEN_FETCHES) {
    throw new Refused(
      'busy',
      `The library already has ${MAX_OPEN_FETCHES} waiting or running fetches. Try again later.`,
    );
  }
  const sizeBytes = await checkOrigin(origin, deps.outbound, signal);
  await requireSpace(sizeBytes ?? 0, deps);
  return sizeBytes;
}

/** Returns the step that queues an accepted fetch: it creates the upload session and the job. */
export function fetching(
  ref: UploadRef,
  origin: Origin & { sizeBytes: number | null },
  { queue, secretBox }: AskFetchDeps,
): FollowUp {
  const open = openingFetch(ref, origin, secretBox);
  const send = queue.send(fetchVideo, { ...ref.key, uploadId: ref.id }, { onlyOneNamed: ref.id });
  return async (tx) => {
    await open(tx);
    await send(tx);
  };
}
