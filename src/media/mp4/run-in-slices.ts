import { setImmediate } from 'node:timers/promises';

/** Long enough that short work is never put off, short enough that requests beside it are not felt. */
const SLICE_MS = 4;

/**
 * Runs work that yields often to its end, and lets the event loop turn after every 4 ms of it. The signal
 * ends it between two slices.
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
