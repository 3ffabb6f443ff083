import { setTimeout as sleep } from 'node:timers/promises';
import { giveBack, noteScrubbed, takeNext } from '../../catalog/scrub/scrub-store.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { type InspectDeps, inspectObject } from './inspect-object.ts';

/** Time covered by one read budget, in seconds. */
const RUN_SEC = 60;
/** Maximum number of unreadable objects reported per run. The next run continues after them. */
const MAX_UNREADABLE_OBJECTS = 10;

/** Maximum number of bytes read per run. The last object is read completely even if it exceeds the budget. */
export type ScrubBudget = { bytes: number };

/**
 * Looks for damaged objects. Reads and hashes every original, and every chunk that viewers may request, at most once a
 * week. Rebuilds a damaged index from its chunk, and a damaged chunk from the video's original. Reports damage that
 * cannot be repaired in the video's messages. All workers share one round, object by object, and a run continues where
 * the last one ended. Logs unreadable objects and skips them until the next round. Returns the number of bytes read.
 */
export async function scrub(deps: InspectDeps, { bytes }: ScrubBudget, signal: AbortSignal): Promise<number> {
  let readBytes = 0;
  let unread = 0;
  const seen = { count: 0, damaged: 0 };
  while (readBytes < bytes && unread < MAX_UNREADABLE_OBJECTS) {
    signal.throwIfAborted();
    const taken = await takeNext(deps.db);
    if (taken === null) break;
    const { item } = taken;
    try {
      const outcome = await inspectObject(item, deps, signal);
      await noteScrubbed(deps.db, item, outcome);
      if (outcome.kind === 'damaged') seen.damaged += 1;
      if (outcome.kind === 'unread' || outcome.kind === 'away') unread += 1;
    } catch (error) {
      await giveBack(deps.db, taken);
      throw error;
    }
    readBytes += item.sizeBytes;
    seen.count += 1;
  }
  if (seen.count > 0) logEvent('scrub.finished', { ...seen, bytes: readBytes });
  return readBytes;
}

/** `bytesPerSec` is the average read rate of this worker. */
export type ScrubberDeps = InspectDeps & { bytesPerSec: number };

/**
 * Scrubs continuously until closed, at the read rate of this worker, whether or not encoders are running. The hash of
 * an object cannot be interrupted, so after a large object the scrubber pauses until the average rate is met.
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
