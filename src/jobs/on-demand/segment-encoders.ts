import type { Db } from '../../catalog/db.ts';
import { listen } from '../../catalog/listen-store.ts';
import { SEGMENT_CHANNEL } from '../../catalog/on-demand/segment-request-store.ts';
import { findWaitingSegment } from '../../catalog/on-demand/segment-task-store.ts';
import { shareThreads } from '../queue/share-threads.ts';
import type { SegmentControl } from './segment-control.ts';

/** Other tasks step aside for so long after the last segment for viewers. */
const BUSY_AFTER_MS = 30_000;

/** The segment tasks of a worker: they share its threads, and one that only works ahead leaves its slot to a viewer. */
export class SegmentEncoders {
  readonly #threads: number;
  readonly #running = new Map<SegmentControl, number>();
  #lastMs = Number.NEGATIVE_INFINITY;

  /** `threads`: what all of them share. */
  constructor(threads: number) {
    this.#threads = threads;
  }

  /** Whether segments are made for viewers now, or were a moment ago. */
  servesViewers(): boolean {
    return this.#running.size > 0 || performance.now() - this.#lastMs < BUSY_AFTER_MS;
  }

  get count(): number {
    return this.#running.size;
  }

  /**
   * Adds a task and returns its threads: one after a failure, since memory is the likeliest reason and threads cost
   * memory.
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

  /** Has the tasks of a rendition read its requests anew. */
  renew(renditionId: string): void {
    for (const control of this.#running.keys()) {
      if (control.claim.task.renditionIds.some((id) => id === renditionId)) control.renew();
    }
  }

  /** Ends a task that is paused, or, for a viewer who waits, one that only works ahead. */
  makeRoom(isAwaited: boolean): void {
    const running = [...this.#running.keys()];
    if (running.some(({ signal }) => signal.aborted)) return;
    const spare =
      running.find(({ isPaused }) => isPaused) ?? (isAwaited ? running.find((one) => !one.isAwaited) : null);
    spare?.end('Others need the slot more.');
  }
}

type DemandDeps = {
  db: Db;
  pool: Parameters<typeof listen>[0];
  encoders: SegmentEncoders;
  /** Segment tasks at once. */
  slots: number;
  report: (error: Error) => void;
};

/** Has segment tasks follow what viewers request, until `close`. */
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
      // Edges repeat their requests: what could not be read now is read then.
      makeRoom().catch((cause: unknown) => report(new Error('Waiting segments could not be read.', { cause })));
    },
    onConnected: () => undefined,
    onError: report,
  });
}

/**
 * Calls that come while one is under way become one call after it, also when that one fails; the last failure is
 * thrown.
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
