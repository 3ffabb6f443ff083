import { type RunClaim, type RunStanding, renewRun } from '../../catalog/jit/run-store.ts';
import type { JobDeps } from '../job-deps.ts';

/** Why a run for viewers ends before its time; none of these is a fault. */
export class RunOver extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'RunOver';
  }
}

const RENEW_EVERY_MS = 1_000;
/** The lease has gone to somebody else by now. */
const LOST_AFTER_MS = 2_500;

/**
 * Watches over one run: keeps its lease and knows how far viewers want it. `signal` is given when it must end: nobody
 * wants more of it, its rendition is gone, its lease could not be kept, or `end` was called.
 */
export class RunControl {
  readonly claim: RunClaim;
  readonly #db: JobDeps['db'];
  readonly #over = new AbortController();
  #standing: RunStanding;
  #isPaused = false;
  #renewedMs = performance.now();
  #renewing: Promise<void> | null = null;
  #isStale = false;
  #wake = Promise.withResolvers<void>();
  readonly #timer: NodeJS.Timeout;

  constructor(db: JobDeps['db'], claim: RunClaim) {
    this.#db = db;
    this.claim = claim;
    this.#standing = { toSegment: claim.toSegment, wantedTo: claim.fromSegment + 1, isAwaited: true };
    this.#timer = setInterval(() => this.look(), RENEW_EVERY_MS);
    this.signal.addEventListener('abort', () => this.#wake.resolve());
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** It has made all that is wanted and waits for viewers to go on. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Somebody waits for what it makes now. */
  get isAwaited(): boolean {
    return this.#standing.isAwaited;
  }

  /** Renews the lease and asks what viewers want. What is called meanwhile is done once more afterwards. */
  look(): void {
    if (this.#renewing !== null) {
      this.#isStale = true;
      this.#endWithLease();
      return;
    }
    this.#isStale = false;
    this.#renewing = this.#renew().finally(() => {
      this.#renewing = null;
      if (this.#isStale && !this.signal.aborted) this.look();
    });
  }

  /** Whether the run goes on to a segment: at once, or, when it is paced, as soon as viewers come as far. */
  async goesOnTo(segment: number, isPaced: boolean): Promise<boolean> {
    try {
      for (;;) {
        this.signal.throwIfAborted();
        const { toSegment, wantedTo } = this.#standing;
        if (segment >= toSegment) return false;
        if (!isPaced || (wantedTo !== null && segment < wantedTo)) return true;
        this.#isPaused = true;
        await this.#wake.promise;
      }
    } finally {
      this.#isPaused = false;
    }
  }

  end(why: string): void {
    this.#over.abort(new RunOver(why));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    try {
      const standing = await renewRun(this.#db, this.claim);
      if (standing === null) return this.end('The run is not wanted any more: its video, or its lease, is gone.');
      this.#renewedMs = performance.now();
      this.#standing = standing;
      if (standing.wantedTo === null) this.end('Nobody watches any more.');
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
    if (performance.now() - this.#renewedMs > LOST_AFTER_MS) this.end('The lease could not be renewed.');
  }
}
