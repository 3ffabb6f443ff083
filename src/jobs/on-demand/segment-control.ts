import type { Db } from '../../catalog/db.ts';
import { renewSegmentTask, type SegmentDemand } from '../../catalog/on-demand/segment-task-store.ts';
import type { Claim } from '../../catalog/tasks/encode-task.ts';
import { LeaseLost } from '../queue/hold-lease.ts';

/** Why a segment task ends before its time: no viewer is left, or another needs the slot more. It is no fault. */
export class DemandOver extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'DemandOver';
  }
}

const RENEW_EVERY_MS = 1_000;
/** The task is another worker's by now. */
const LOST_AFTER_MS = 2_500;

/**
 * Watches over one segment task: renews its lease and reads how far viewers request it. `signal` is given when it must
 * end: no viewer is left, its rendition is gone, its lease could not be kept, `end` was called, or `stopping` was
 * given.
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

  /** `first` is the demand when the task was claimed. */
  constructor(db: Db, claim: Claim, first: SegmentDemand, stopping: AbortSignal) {
    this.#db = db;
    this.claim = claim;
    this.#demand = first;
    this.signal = AbortSignal.any([this.#over.signal, stopping]);
    this.#timer = setInterval(() => this.renew(), RENEW_EVERY_MS);
    this.signal.addEventListener('abort', () => this.#wake.resolve());
  }

  /** What is left to make, as it was read last. */
  get range(): { fromSegment: number; toSegment: number } {
    return { fromSegment: this.#demand.nextSegment, toSegment: this.#demand.toSegment };
  }

  /** It has made all that is requested and waits for viewers to go on. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** A viewer waits for what it makes now. */
  get isAwaited(): boolean {
    return this.#demand.isAwaited;
  }

  /** Renews the lease and reads the demand. What is called meanwhile is done once more afterwards. */
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

  /** Whether the task goes on to a segment: at once, or, when it is paced, as soon as viewers come as far. */
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
      if (demand === null) return this.end('Its rendition or its lease is gone, or all of it is stored.');
      this.#renewedMs = performance.now();
      this.#demand = demand;
      if (demand.requestedTo === null) this.end('No viewer is left.');
    } catch {
      // A database that is away for a moment costs nothing: the lease decides.
    }
    this.#endWithLease();
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers();
    resolve();
  }

  /** Also while a renewal hangs, as it does for minutes when the database's host is gone. */
  #endWithLease(): void {
    if (performance.now() - this.#renewedMs > LOST_AFTER_MS) this.#over.abort(new LeaseLost());
  }
}
