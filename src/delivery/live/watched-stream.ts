import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { StoredLive } from '../../catalog/live/viewing/live-media-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { type IndexedPeriod, LiveIndex, programmeStartMs } from '../../media/live/playlist/live-index.ts';
import { openFeed } from './feed-connection.ts';
import { ViewerCounter } from './viewer-counter.ts';

export type WatchDeps = {
  secret: string;
  /** Rows of a stream's segments within the last seconds. */
  loadStored(windowSec: number): Promise<StoredLive>;
  warn(error: unknown, message: string): void;
};

/** How far back a stream without DVR goes. */
const PLAIN_WINDOW_SEC = 30;
/** Kept beyond the window, for viewers who are behind. */
const SLACK_SEC = 60;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 3_000;
const SNAPSHOT_LIMIT_MS = 3_000;
/** A rendition that one edge lists is known to the others after this time; a wrong address is refused then. */
const ANNOUNCE_LIMIT_MS = 1_000;
/** Viewers who wait for one stream. */
const MOST_WAITING = 5_000;

type Waiter = { check(): boolean; done(): void };

/** A stream that somebody watches at this edge: its index, and the one feed that keeps it. */
export class WatchedStream {
  #index = new LiveIndex();
  readonly viewers = new ViewerCounter();
  readonly #mediaId: string;
  readonly #deps: WatchDeps;
  readonly #waiters = new Set<Waiter>();
  #head: LiveHead;
  #windowSec: number;
  #feed: { close(): void } | null = null;
  #feedUrl: string | null = null;
  #retry: NodeJS.Timeout | null = null;
  #failures = 0;
  #isClosed = false;
  #ready: Promise<void>;
  /** When the media at the beginning of each period was taken, ms since 1970, by its number. */
  readonly #periodStartsMs = new Map<number, number>();
  /** What was computed of the index as it is, by name. */
  #derived = { version: -1, values: new Map<string, unknown>() };
  lastUsedMs = Date.now();

  constructor(mediaId: string, head: LiveHead, deps: WatchDeps) {
    this.#mediaId = mediaId;
    this.#deps = deps;
    this.#head = head;
    this.#windowSec = windowOf(head);
    this.#ready = this.#start();
  }

  get index(): LiveIndex {
    return this.#index;
  }

  /** Resolves when the past is known and the owner, if there is one, has sent what it holds. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /**
   * Takes the stream's newest head: another owner has another feed, the recording of all periods a longer past, and
   * later other renditions or segments.
   */
  update(head: LiveHead): void {
    this.lastUsedMs = Date.now();
    const windowSec = windowOf(head);
    const isLonger = windowSec > this.#windowSec;
    const known = this.#head.extent;
    const hasOthers = known !== null && head.extent !== null && head.extent !== known;
    if (hasOthers) {
      this.#head = head;
      this.#ready = this.#ready.then(() => this.#readAgain(known));
      return;
    }
    if (head.feedUrl === this.#head.feedUrl && !isLonger) return;
    this.#head = head;
    this.#failures = 0;
    if (isLonger) this.#windowSec = windowSec;
    const started = this.#start();
    // A playlist of a recording is read once: it must not lack what was let go of. A stream that was asked for before
    // its publisher connected has nothing to show until its owner sent it.
    if (isLonger || this.#index.periods.length === 0) this.#ready = started;
    started.catch((error: unknown) => this.#deps.warn(error, 'live feed failed'));
  }

  /** What is computed of the index once for all viewers until the stream grows. A name stands for one computation. */
  derived<T>(name: string, compute: () => T): T {
    if (this.#derived.version !== this.index.version)
      this.#derived = { version: this.index.version, values: new Map() };
    const { values } = this.#derived;
    if (!values.has(name)) values.set(name, compute());
    // It was put there under this name.
    return values.get(name) as T;
  }

  /** When the media at the beginning of a period was taken, ms since 1970: the same for as long as it is watched. */
  periodStartMs(period: IndexedPeriod): number {
    const known = this.#periodStartsMs.get(period.number);
    if (known !== undefined) return known;
    const startMs = programmeStartMs(period);
    if (startMs !== null) this.#periodStartsMs.set(period.number, startMs);
    return startMs ?? Date.now();
  }

  /** Waits until `check` holds, asking again after each change. False when it does not in time, or the viewer left. */
  async until(check: () => boolean, limitMs: number, signal: AbortSignal): Promise<boolean> {
    if (check()) return true;
    if (this.#waiters.size >= MOST_WAITING || signal.aborted || this.#isClosed) return false;
    return new Promise((resolve) => {
      const finish = (found: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        this.#waiters.delete(waiter);
        resolve(found);
      };
      const waiter = { check, done: () => finish(true) };
      const leave = () => finish(false);
      const timer = setTimeout(() => finish(check()), limitMs);
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.add(waiter);
    });
  }

  /**
   * Waits for a rendition that the feed has not announced here yet: a viewer may have its address from another edge.
   */
  async untilKnown(renditionId: Guid, signal: AbortSignal): Promise<void> {
    if (this.#feedUrl === null || this.#index.hasEnded) return;
    await this.until(() => this.#index.find(renditionId) !== null, ANNOUNCE_LIMIT_MS, signal);
  }

  close(): void {
    this.#isClosed = true;
    this.#feed?.close();
    if (this.#retry !== null) clearTimeout(this.#retry);
    for (const waiter of this.#waiters) waiter.done();
  }

  async #start(): Promise<void> {
    await this.#connect();
    await this.#loadPast();
  }

  /** After the snapshot: what was stored before it has its row by then. */
  async #loadPast(index = this.#index): Promise<void> {
    const { periods, segments } = await this.#deps.loadStored(this.#windowSec + SLACK_SEC);
    for (const { period, inits, retired } of periods) index.addPeriod(period, inits, retired);
    for (const segment of segments) index.addRow(segment);
    this.#wake();
  }

  /**
   * Reads a recording anew: what it lists may have changed, not only grown. Where it cannot be read, as `known` it goes
   * on.
   */
  async #readAgain(known: number): Promise<void> {
    const index = new LiveIndex();
    index.hasEnded = this.#index.hasEnded;
    try {
      await this.#loadPast(index);
    } catch (error) {
      // The next head has it read.
      this.#head = { ...this.#head, extent: known };
      this.#deps.warn(error, 'a recording could not be read again');
      return;
    }
    this.#index = index;
    this.#derived = { version: -1, values: new Map() };
  }

  async #connect(): Promise<void> {
    this.#feed?.close();
    this.#feedUrl = this.#head.feedUrl;
    if (this.#feedUrl === null || this.#isClosed) return;
    const url = `${this.#feedUrl}/feed/${this.#mediaId}`;
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, SNAPSHOT_LIMIT_MS);
      this.#feed = openFeed(url, this.#deps.secret, {
        frame: (frame) => {
          if (frame.message.type === 'snapshot') {
            clearTimeout(limit);
            this.#failures = 0;
            resolve();
          }
          if (this.index.apply(frame)) this.#changed();
        },
        lost: (reason) => {
          clearTimeout(limit);
          resolve();
          this.#lose(reason);
        },
      });
    });
  }

  #lose(reason: string): void {
    this.index.isConnected = false;
    if (this.#isClosed || this.index.hasEnded || this.#feedUrl === null) return;
    if (this.#failures === 3) this.#deps.warn(new Error(reason), 'live feed lost');
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#retry = setTimeout(() => {
      this.#start().catch((error: unknown) => this.#deps.warn(error, 'live feed failed'));
    }, pauseMs);
  }

  #changed(): void {
    this.index.trim((this.#windowSec + SLACK_SEC) * 1000, Date.now());
    this.#wake();
  }

  #wake(): void {
    for (const waiter of this.#waiters) if (waiter.check()) waiter.done();
  }
}

/** How far back viewers may go, seconds. */
export function windowOf({ dvrWindowSec }: LiveHead): number {
  return dvrWindowSec ?? PLAIN_WINDOW_SEC;
}
