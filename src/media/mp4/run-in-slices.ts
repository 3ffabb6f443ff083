import { setImmediate } from 'node:timers/promises';

/** Long enough that short work is never deferred, short enough that concurrent requests do not notice. */
const SLICE_MS = 4;

/**
 * Runs a frequently yielding generator to its end, and yields to the event loop after every 4 ms. The signal ends it
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
