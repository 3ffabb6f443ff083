import type { MediaKey } from '../../catalog/db.ts';
import type { CaptionTrack } from '../../catalog/schema.ts';
import { cutBlocks, type SpokenBlock } from '../../catalog/spoken/spoken-blocks.ts';
import { listUnreadCaptions, storeSpoken, type UnreadCaptions } from '../../catalog/spoken/spoken-store.ts';
import { Refused } from '../../lib/refused.ts';
import { shuffled } from '../../lib/shuffled.ts';
import { type Passage, toPassages } from '../../media/transcript/passage.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { postponementOf } from '../queue/postponement.ts';
import { pastFailures } from '../store/past-failures.ts';
import { readTrack } from './read-track.ts';

const VIDEOS_AT_ONCE = 50;
/** Maximum number of videos per run. The next run, a minute later, continues with the rest. */
const MAX_VIDEOS = 2_000;
/** Maximum time in an int4 column, in ms (596 h). Later cues are stored with this time. */
const LATEST_MS = 2 ** 31 - 1;

/** Indexes changed captions for search every minute, and immediately after an edit. Idempotent. */
export const indexCaptions = defineJob<object, JobDeps>({
  name: 'index-captions',
  queue: 'housekeeping',
  retryLimit: 2,
  cron: '* * * * *',
  async run(_, deps, signal) {
    let isAway = false;
    const readOne = async (video: UnreadCaptions) => {
      try {
        await indexVideo(video, deps, signal);
      } catch (error) {
        isAway ||= postponementOf(error) !== null;
        throw error;
      }
    };
    const readSome = (unread: readonly UnreadCaptions[]) => pastFailures(shuffled(unread), readOne, signal);
    await pastFailures(
      eachBatch(deps, () => isAway),
      readSome,
      signal,
    );
  },
});

/**
 * Yields batches of captions that are not indexed yet, the newest first. Captions that failed are not yielded again.
 * Stops when `isOver` returns true, because a shared dependency, such as the store, is unavailable.
 */
async function* eachBatch({ db }: JobDeps, isOver: () => boolean): AsyncGenerator<UnreadCaptions[]> {
  let last: MediaKey | null = null;
  for (let done = 0; done < MAX_VIDEOS && !isOver(); done += VIDEOS_AT_ONCE) {
    const unread: UnreadCaptions[] = await listUnreadCaptions(db, VIDEOS_AT_ONCE, last);
    if (unread.length > 0) yield unread;
    if (unread.length < VIDEOS_AT_ONCE) return;
    last = unread.at(-1) ?? null;
  }
}

async function indexVideo(video: UnreadCaptions, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const blocks: SpokenBlock[] = [];
  for (const track of video.captions) {
    signal.throwIfAborted();
    const passages = await readPassages(track, deps, signal);
    const toMs = (sec: number) => Math.min(LATEST_MS, Math.round(sec * 1000));
    const cues = passages.map(({ startSec, endSec, text }) => ({ startMs: toMs(startSec), endMs: toMs(endSec), text }));
    blocks.push(...cutBlocks(track.srclang, cues));
  }
  await storeSpoken(deps.db, video, blocks);
}

async function readPassages(track: CaptionTrack, { storage }: JobDeps, signal: AbortSignal): Promise<Passage[]> {
  try {
    return toPassages(await readTrack(track, storage, signal));
  } catch (error) {
    // A missing or oversized file is not searchable, and must not prevent other files from being indexed.
    if (error instanceof Refused && ['not-found', 'too-large'].includes(error.kind)) return [];
    throw error;
  }
}
