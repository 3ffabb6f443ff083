import { setTimeout as sleep } from 'node:timers/promises';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { GIVE_UP_MS, LEASE_SEC, RENEW_EVERY_MS } from '../../catalog/tasks/encode-task.ts';

/**
 * Runs a task under a lease that `renew` extends every few seconds. The task's signal aborts when the lease was lost
 * (within seconds of a delete), could not be renewed for 90 seconds, or `signal` aborts. A shorter database outage is
 * harmless, because commits are fenced.
 */
export async function underLease<T>(
  renew: () => Promise<boolean>,
  task: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const lost = new AbortController();
  const all = AbortSignal.any([signal, lost.signal]);
  const release = keepLease(renew, lost);
  try {
    return await task(all);
  } catch (error) {
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    release();
  }
}

/**
 * Renews the lease until the returned function is called. If the database host is down, a renewal may hang for minutes,
 * but the lease still expires.
 */
function keepLease(renew: () => Promise<boolean>, lost: AbortController): () => void {
  let renewedMs = performance.now();
  let isRenewing = false;
  const lose = () => {
    clearInterval(timer);
    lost.abort(new LeaseLost());
  };
  const renewOnce = async () => {
    isRenewing = true;
    try {
      const sentMs = performance.now();
      if (await renew()) renewedMs = sentMs;
      else lose();
    } catch {
      // A short database outage is harmless as long as the lease lasts.
    }
    isRenewing = false;
  };
  const timer = setInterval(async () => {
    if (!isRenewing) await renewOnce();
    if (performance.now() - renewedMs > GIVE_UP_MS) lose();
  }, RENEW_EVERY_MS);
  return () => clearInterval(timer);
}

/** Retries while another worker holds the lease. The lease expires if that worker is dead. */
export async function untilFree<Answer extends { kind: string }>(
  claim: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Exclude<Answer, { kind: 'busy' }>> {
  const deadlineMs = performance.now() + 1.5 * LEASE_SEC * 1000;
  for (;;) {
    const answer = await claim();
    // The kind was just checked, but the type system cannot express that.
    if (answer.kind !== 'busy') return answer as Exclude<Answer, { kind: 'busy' }>;
    if (performance.now() > deadlineMs) throw new Error('Another worker holds this task.');
    await sleep(500, undefined, { signal });
  }
}
