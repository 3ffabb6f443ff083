import { setTimeout as sleep } from 'node:timers/promises';
import { giveBack, noteScrubbed, takeNext } from '../../catalog/scrub/scrub-store.ts';
import { type InspectDeps, inspectObject } from './inspect-object.ts';

/** How often a worker goes on, with what it may read in that time. */
const RUN_SEC = 60;
/** What cannot be read, and of which one run reports: where it is more, the next one goes on. */
const MOST_UNREAD = 10;

/** What one run reads at the most, but for the rest of the object at hand. */
export type ScrubBudget = { bytes: number };

/**
 * Looks for damage in what is stored: every original, and every chunk that viewers may request, is read and hashed once
 * a week at most. A damaged index is made anew from its chunk, a damaged chunk from the video's original; what cannot
 * be is reported in the video's messages. All workers share one round, object by object; a run goes on where the last
 * one ended. What cannot be read is reported in the log and passed over until the next round. Returns the bytes that
 * were read.
 */
export async function scrub(deps: InspectDeps, { bytes }: ScrubBudget, signal: AbortSignal): Promise<number> {
  let readBytes = 0;
  let unread = 0;
  while (readBytes < bytes && unread < MOST_UNREAD) {
    signal.throwIfAborted();
    const taken = await takeNext(deps.db);
    if (taken === null) break;
    const { item } = taken;
    try {
      const outcome = await inspectObject(item, deps, signal);
      await noteScrubbed(deps.db, item, outcome);
      if (outcome.kind === 'unread' || outcome.kind === 'away') unread += 1;
    } catch (error) {
      await giveBack(deps.db, taken);
      throw error;
    }
    readBytes += item.sizeBytes;
  }
  return readBytes;
}

/** `bytesPerSec`: what this worker reads, on average. */
export type ScrubberDeps = InspectDeps & { bytesPerSec: number };

/**
 * Looks for damage within this worker's share of the store's throughput, whether encoders are at work or not, until it
 * is closed. A hash cannot be broken off: after a long object nothing is read for as long as its bytes would have
 * taken.
 */
export function startScrubber({ bytesPerSec, ...deps }: ScrubberDeps): { close(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const task = (async () => {
    let pauseSec = RUN_SEC;
    while (!signal.aborted) {
      await sleep(pauseSec * 1000, undefined, { signal }).catch(() => undefined);
      try {
        const readBytes = await scrub(deps, { bytes: bytesPerSec * RUN_SEC }, signal);
        pauseSec = Math.max(RUN_SEC, readBytes / bytesPerSec);
      } catch (cause) {
        if (!signal.aborted) deps.report(new Error('Looking for damage in the store failed.', { cause }));
      }
    }
  })();
  return {
    async close() {
      stopping.abort(new Error('The worker is stopping.'));
      await task;
    },
  };
}
