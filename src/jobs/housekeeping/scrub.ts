import { setTimeout as sleep } from 'node:timers/promises';
import { giveBack, noteScrubbed, takeNext } from '../../catalog/scrub/scrub-store.ts';
import { type InspectDeps, inspectObject } from './inspect-object.ts';

/** Interval in which a worker continues, with a read budget for that time. */
const RUN_SEC = 60;
/** Maximum unreadable objects that one run reports. The next one continues after them. */
const MAX_UNREAD = 10;

/** Maximum bytes that one run reads, plus the rest of the current object. */
export type ScrubBudget = { bytes: number };

/**
 * Looks for damage in stored objects: every original, and every chunk that viewers may request, is read and hashed at
 * most once a week. A damaged index is rebuilt from its chunk, a damaged chunk from the video's original. Damage that
 * cannot be repaired is reported in the video's messages. All workers share one round, object by object; a run
 * continues where the last one ended. Unreadable objects are logged and skipped until the next round. Returns the bytes
 * read.
 */
export async function scrub(deps: InspectDeps, { bytes }: ScrubBudget, signal: AbortSignal): Promise<number> {
  let readBytes = 0;
  let unread = 0;
  while (readBytes < bytes && unread < MAX_UNREAD) {
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

/** `bytesPerSec`: average read rate of this worker. */
export type ScrubberDeps = InspectDeps & { bytesPerSec: number };

/**
 * Looks for damage within this worker's share of the store's throughput, whether encoders are running or not, until it
 * is closed. A hash cannot be interrupted: after a long object it pauses for as long as its bytes would have taken.
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
        if (!signal.aborted) deps.report(new Error('The integrity scan of the store failed.', { cause }));
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
