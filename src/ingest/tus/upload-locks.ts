import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../../lib/refused.ts';

const TAKEOVER_LIMIT_MS = 5_000;

/**
 * One writer per upload. A new request takes the upload over from an older one, whose socket is often
 * dead without the server knowing: the older is told to stop and the newer waits until its bytes are safe.
 */
export type UploadLocks = {
  hold<T>(uploadId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
};

type Holder = { stop: AbortController; ended: Promise<void> };

export function createUploadLocks(): UploadLocks {
  const holders = new Map<string, Holder>();
  return {
    async hold(uploadId, work) {
      await takeOver(holders, uploadId);
      const stop = new AbortController();
      const running = work(stop.signal);
      const holder = { stop, ended: settled(running) };
      holders.set(uploadId, holder);
      try {
        return await running;
      } finally {
        if (holders.get(uploadId) === holder) holders.delete(uploadId);
      }
    },
  };
}

async function takeOver(holders: Map<string, Holder>, uploadId: string): Promise<void> {
  const limitMs = Date.now() + TAKEOVER_LIMIT_MS;
  for (let holder = holders.get(uploadId); holder !== undefined; holder = holders.get(uploadId)) {
    if (Date.now() > limitMs) {
      throw new Refused('conflict', 'Another request still writes to this upload; try again in a second.');
    }
    holder.stop.abort();
    await Promise.race([holder.ended, sleep(TAKEOVER_LIMIT_MS, undefined, { ref: false })]);
  }
}

/** Ends when the work ends, whichever way: its own caller hears of the failure. */
function settled(work: Promise<unknown>): Promise<void> {
  return work.then(
    () => {},
    () => {},
  );
}
