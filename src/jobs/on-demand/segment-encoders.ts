import type { Db } from '../../catalog/db.ts';
import { listen } from '../../catalog/listen-store.ts';
import { SEGMENT_CHANNEL } from '../../catalog/on-demand/segment-request-store.ts';
import { findWaitingSegment } from '../../catalog/on-demand/segment-task-store.ts';
import { shareThreads } from '../queue/share-threads.ts';
import type { SegmentControl } from './segment-control.ts';

/** Time in ms after the last segment task for which other tasks still yield to viewers. */
const BUSY_AFTER_MS = 30_000;

/**
 * Segment tasks of a worker, which share its encoder threads. A task that only encodes ahead of viewers gives its slot
 * to a waiting viewer.
 */
export class SegmentEncoders {
  readonly #threads: number;
  readonly #running = new Map<SegmentControl, number>();
  #lastMs = Number.NEGATIVE_INFINITY;

  /** `threads` are shared by all tasks. */
  constructor(threads: number) {
    this.#threads = threads;
  }

  /** Whether a segment task is running, or was within the last half minute. */
  servesViewers(): boolean {
    return this.#running.size > 0 || performance.now() - this.#lastMs < BUSY_AFTER_MS;
  }

  get count(): number {
    return this.#running.size;
  }

  /**
   * Adds a task and returns its number of threads. A task that failed before gets one thread, because lack of memory is
   * the most likely cause and threads use memory.
   */
  add(control: SegmentControl): number {
    const others = [...this.#running].map(([{ isPaused }, threads]) => ({ isPaused, threads }));
    const threads = control.claim.failures > 0 ? 1 : shareThreads(this.#threads, others);
    this.#running.set(control, threads);
    return threads;
  }

  remove(control: SegmentControl): void {
    control.close();
    this.#running.delete(control);
    this.#lastMs = performance.now();
  }

  /** Makes the tasks of a rendition read their demand again. */
  renew(renditionId: string): void {
    for (const control of this.#running.keys()) {
      if (control.claim.task.renditionIds.some((id) => id === renditionId)) control.renew();
    }
  }

  /** Frees a slot: ends a paused task or, if a viewer is waiting, a task that only encodes ahead. */
  makeRoom(isAwaited: boolean): void {
    const running = [...this.#running.keys()];
    if (running.some(({ signal }) => signal.aborted)) return;
    const spare =
      running.find(({ isPaused }) => isPaused) ?? (isAwaited ? running.find((one) => !one.isAwaited) : null);
    spare?.end('Another task needs the slot more.');
  }
}

type DemandDeps = {
  db: Db;
  pool: Parameters<typeof listen>[0];
  encoders: SegmentEncoders;
  /** Maximum number of concurrent segment tasks. */
  slots: number;
  report: (error: Error) => void;
};

/** Starts segment tasks as viewers request segments, until `close`. */
export async function followDemand({
  db,
  pool,
  encoders,
  slots,
  report,
}: DemandDeps): Promise<{ close(): Promise<void> }> {
  const makeRoom = oneAtATime(async () => {
    const waiting = encoders.count < slots ? null : await findWaitingSegment(db);
    if (waiting !== null) encoders.makeRoom(waiting.isAwaited);
  });
  return listen(pool, SEGMENT_CHANNEL, {
    onPayload(renditionId) {
      encoders.renew(renditionId);
      // Edges repeat their requests, so a later call finds them.
      makeRoom().catch((cause: unknown) => report(new Error('Could not read the waiting segments.', { cause })));
    },
    onConnected: () => undefined,
    onError: report,
  });
}

/**
 * Wraps an action so that it never runs concurrently. Calls during a run cause exactly one more run after it, even if
 * that run fails. Throws the last error.
 */
function oneAtATime(action: () => Promise<void>): () => Promise<void> {
  let isUnderWay = false;
  let isDue = false;
  return async () => {
    isDue = true;
    if (isUnderWay) return;
    isUnderWay = true;
    let failure: { error: unknown } | null = null;
    while (isDue) {
      isDue = false;
      try {
        await action();
      } catch (error) {
        failure = { error };
      }
    }
    isUnderWay = false;
    if (failure !== null) throw failure.error;
  };
}
