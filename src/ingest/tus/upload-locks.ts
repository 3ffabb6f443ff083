import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../../lib/refused.ts';

const TAKEOVER_LIMIT_MS = 5_000;

/**
 * Allows one writer per upload. A new request takes over from an older one, because the connection of the older request
 * is often dead without the server noticing. The older task is aborted, and the new one waits until the bytes of the
 * older one are durable.
 */
export type UploadLocks = {
  hold<T>(uploadId: string, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
};

type Holder = { stop: AbortController; ended: Promise<void> };

export function createUploadLocks(takeoverLimitMs: number = TAKEOVER_LIMIT_MS): UploadLocks {
  const holders = new Map<string, Holder>();
  return {
    async hold(uploadId, task) {
      const limitMs = performance.now() + takeoverLimitMs;
      for (let holder = holders.get(uploadId); holder !== undefined; holder = holders.get(uploadId)) {
        await takeOver(holder, limitMs - performance.now());
      }
      // There is no `await` between the last check and this line, so only one waiter gets the lock.
      const stop = new AbortController();
      const running = task(stop.signal);
      const holder = { stop, ended: settled(running) };
      holders.set(uploadId, holder);
      return running.finally(() => {
        if (holders.get(uploadId) === holder) holders.delete(uploadId);
      });
    },
  };
}

async function takeOver(holder: Holder, leftMs: number): Promise<void> {
  if (leftMs <= 0) {
    throw new Refused('conflict', 'Another request still writes to this upload. Try again in a second.');
  }
  holder.stop.abort(new Refused('conflict', 'Another request took over this upload.'));
  const ended = new AbortController();
  await Promise.race([holder.ended, sleep(leftMs, undefined, { signal: ended.signal }).catch(() => undefined)]);
  ended.abort();
}

/** Resolves when the task ends, successfully or not. The caller that started the task handles a failure. */
function settled(task: Promise<unknown>): Promise<void> {
  return task.then(
    () => {},
    () => {},
  );
}
