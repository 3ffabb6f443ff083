import { setImmediate } from 'node:timers/promises';

/**
 * Duration of a slice, in ms. It is long enough that short work is never deferred, and short enough that concurrent
 * requests are not delayed.
 */
const SLICE_MS = 4;

/**
 * Runs a generator that yields often to completion, and returns to the event loop every 4 ms. The signal aborts it
 * between two slices.
 */
export async function runInSlices<Result>(task: Generator<void, Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  let sliceStartMs = performance.now();
  for (;;) {
    const step = task.next();
    if (step.done) return step.value;
    if (performance.now() - sliceStartMs < SLICE_MS) continue;
    await setImmediate(undefined, { signal });
    sliceStartMs = performance.now();
  }
}
