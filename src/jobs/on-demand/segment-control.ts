import type { Db } from '../../catalog/db.ts';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { renewSegmentTask, type SegmentDemand } from '../../catalog/on-demand/segment-task-store.ts';
import type { Claim } from '../../catalog/tasks/encode-task.ts';

/**
 * Reason why a segment task ended early: no viewer is left, or another task needs the slot more. This is not a failure.
 */
export class DemandOver extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'DemandOver';
  }
}

const RENEW_EVERY_MS = 1_000;
/** Time without a renewal after which the task may belong to another worker, in ms. */
const LOST_AFTER_MS = 2_500;

/**
 * Supervises one segment task. Renews its lease and reads the last segment that viewers request. `signal` aborts when
 * the task must end: no viewer is left, its rendition was deleted, its lease was lost, `end` was called, or `stopping`
 * aborted.
 */
export class SegmentControl {
  readonly claim: Claim;
  readonly signal: AbortSignal;
  readonly #db: Db;
  readonly #over = new AbortController();
  #demand: SegmentDemand;
  #isPaused = false;
  #renewedMs = performance.now();
  #renewing: Promise<void> | null = null;
  #isStale = false;
  #wake = Promise.withResolvers<void>();
  readonly #timer: NodeJS.Timeout;

  /** `first` is the viewers' demand at the time of the claim. */
  constructor(db: Db, claim: Claim, first: SegmentDemand, stopping: AbortSignal) {
    this.#db = db;
    this.claim = claim;
    this.#demand = first;
    this.signal = AbortSignal.any([this.#over.signal, stopping]);
    this.#timer = setInterval(() => this.renew(), RENEW_EVERY_MS);
    this.signal.addEventListener('abort', () => this.#wake.resolve());
  }

  /** Remaining range to encode, as of the last renewal. */
  get range(): { fromSegment: number; toSegment: number } {
    return { fromSegment: this.#demand.nextSegment, toSegment: this.#demand.toSegment };
  }

  /** Whether all requested segments are encoded and the task waits until viewers need more. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Whether a viewer waits for the current segment. */
  get isAwaited(): boolean {
    return this.#demand.isAwaited;
  }

  /** Renews the lease and reads the demand. Calls during a renewal cause one more renewal afterwards. */
  renew(): void {
    if (this.#renewing !== null) {
      this.#isStale = true;
      this.#endWithLease();
      return;
    }
    this.#isStale = false;
    this.#renewing = this.#renewOnce().finally(() => {
      this.#renewing = null;
      if (this.#isStale && !this.signal.aborted) this.renew();
    });
  }

  /** Returns whether the task must encode `segment` next. If the task is paced, first waits until viewers need it. */
  async goesOnTo(segment: number, isPaced: boolean): Promise<boolean> {
    try {
      for (;;) {
        this.signal.throwIfAborted();
        const { toSegment, requestedTo } = this.#demand;
        if (segment >= toSegment) return false;
        if (!isPaced || (requestedTo !== null && segment < requestedTo)) return true;
        this.#isPaused = true;
        await this.#wake.promise;
      }
    } finally {
      this.#isPaused = false;
    }
  }

  end(why: string): void {
    this.#over.abort(new DemandOver(why));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #renewOnce(): Promise<void> {
    try {
      const demand = await renewSegmentTask(this.#db, this.claim);
      if (demand === null)
        return this.end('The rendition was deleted, the lease was lost, or all segments are stored.');
      this.#renewedMs = performance.now();
      this.#demand = demand;
      if (demand.requestedTo === null) this.end('No viewer is left.');
    } catch {
      // A short database outage is harmless as long as the lease lasts.
    }
    this.#endWithLease();
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers();
    resolve();
  }

  /**
   * Aborts when the lease has expired, even if a renewal hangs. If the database host is down, a renewal hangs for
   * minutes.
   */
  #endWithLease(): void {
    if (performance.now() - this.#renewedMs > LOST_AFTER_MS) this.#over.abort(new LeaseLost());
  }
}
