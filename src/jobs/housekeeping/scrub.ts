import { endRound, findNext, isEncoding, noteScrubbed, type ScrubItem } from '../../catalog/scrub/scrub-store.ts';
import { defineJob } from '../queue/define-job.ts';
import { type LookDeps, lookAt } from './look-at-object.ts';

/** Read in one run, once a minute: 4.5 MB/s at the most, a terabyte in three days. */
const BYTES_A_RUN = 256 * 2 ** 20;
const RUN_SEC = 60;
const ITEMS_AT_ONCE = 100;
/** What cannot be read, and of which one run reports: where it is more, the next one goes on. */
const MOST_UNREAD = 10;

/** `scrubBytes`: what a run reads instead of the usual. */
type ScrubDeps = LookDeps & { scrubBytes?: number };

/**
 * Looks for damage in what is stored, a bounded number of bytes a run, while nobody waits for encoders: every original,
 * and every chunk that viewers may ask for, is read and hashed once a week at most. A damaged index is made anew from
 * its chunk, a damaged chunk from the video's original; what cannot be is reported in the video's messages. It goes on where
 * the last run ended; what cannot be read is reported in the log and passed over until the next round.
 */
export const scrub = defineJob<object, ScrubDeps>({
  name: 'scrub',
  queue: 'long',
  retryLimit: 0,
  cron: '* * * * *',
  async run(_, deps, signal) {
    let leftBytes = deps.scrubBytes ?? BYTES_A_RUN;
    let unread = 0;
    for (;;) {
      const items = await findNext(deps.db, ITEMS_AT_ONCE);
      if (items === null) return;
      if (items.length === 0) return await endRound(deps.db);
      for (const item of items) {
        // Work that comes meanwhile has this slot after the object at hand.
        if (leftBytes <= 0 || unread >= MOST_UNREAD || (await isEncoding(deps.db))) return;
        signal.throwIfAborted();
        const outcome = await lookAt(item, deps, signal);
        await noteScrubbed(deps.db, item, { outcome, restSec: outcome.kind === 'sound' ? restAfter(item) : 0 });
        leftBytes -= item.sizeBytes;
        if (outcome.kind === 'unread' || outcome.kind === 'away') unread += 1;
        // The rest of this part of the store is passed over with it.
        if (outcome.kind === 'away') break;
      }
    }
  },
});

/** A hash cannot be broken off, so a long original is read in one run; those whose bytes it took are left out. */
function restAfter({ sizeBytes }: ScrubItem): number {
  return Math.floor(sizeBytes / BYTES_A_RUN) * RUN_SEC;
}
