import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { StoredLive } from '../../catalog/live/viewing/live-media-store.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';
import { type IndexedPeriod, LiveIndex, programmeStartMs } from '../../media/live/playlist/live-index.ts';
import { MIN_TARGET_SEC } from '../../media/live/playlist/slot-segments.ts';
import { openFeedConnection } from './feed-connection.ts';
import { ViewerCounter } from './viewer-counter.ts';

export type WatchDeps = {
  secret: DerivedSecret<string>;
  /** Loads the rows of the segments in the last `windowSec` seconds of a stream. */
  loadStored(windowSec: number): Promise<StoredLive>;
  warn(error: unknown, message: string): void;
};

/** Window of a stream without DVR, in seconds. */
const PLAIN_WINDOW_SEC = 30;
/** Time in seconds for which segments are kept after they leave the window, for viewers who are behind. */
const SLACK_SEC = 60;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 3_000;
const SNAPSHOT_LIMIT_MS = 3_000;
/**
 * Delay of responses to requests that wait for a change, in ms. Parts that a publisher delivers in one burst then
 * appear in one playlist: hls.js 1.7 leaves out the last part of a segment if the next playlist already has a later
 * segment.
 */
const GATHER_MS = 10;
/**
 * Time in ms for which players may still expect responses within the previous target duration after it grew: hls.js 1.7
 * derives the time limit of a request from the playlist before the last one.
 */
const TARGET_GROWTH_MS = 10_000;
/**
 * Time without new parts after which a connected publisher counts as silent, in ms. Players of parts have used up their
 * media by then.
 */
const SILENT_MS = 1_500;
/** Maximum number of concurrent waits for one stream. */
const MAX_QUEUED = 5_000;

type Waiter = { check(): boolean; done(): void };

/** A stream watched at this edge: its index and the single feed that updates it. */
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
  #waking: NodeJS.Timeout | null = null;
  #failures = 0;
  #isClosed = false;
  #ready: Promise<void>;
  /** Capture time of each period's first media, in ms since 1970, by period number. */
  readonly #periodStartsMs = new Map<number, number>();
  /** Values computed from the current index, by name. */
  #derived = { version: -1, values: new Map<string, unknown>() };
  lastUsedMs = Date.now();
  /** `longestSec` of the index, and its value before it grew most recently. */
  #longest = { sec: 0, beforeSec: 0, grewMs: 0 };
  /** Arrival time of the newest part, in ms since 1970. Null before the first. */
  #partAtMs: number | null = null;

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

  /** Whether no media arrives, because the publisher is disconnected or sends nothing. Null before the first part. */
  get isSilent(): boolean | null {
    if (this.#partAtMs === null) return null;
    return !this.#index.isConnected || Date.now() - this.#partAtMs > SILENT_MS;
  }

  /** Resolves when the stored segments are loaded and the owner, if any, has sent its current state. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /**
   * Updates the stream's head. A new owner has a new feed. A recording covers all periods, and may later have other
   * renditions or segments.
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
    // A player reads the playlist of a recording once, so it must include segments that were already dropped. A stream
    // requested before its publisher connected is empty until its owner sends its state.
    if (isLonger || this.#index.periods.length === 0) this.#ready = started;
    started.catch((error: unknown) => this.#deps.warn(error, 'A live feed could not be opened.'));
  }

  /**
   * Computes a value from the index once for all viewers until the stream grows. Each name must identify one
   * computation.
   */
  derived<T>(name: string, compute: () => T): T {
    if (this.#derived.version !== this.index.version)
      this.#derived = { version: this.index.version, values: new Map() };
    const { values } = this.#derived;
    if (!values.has(name)) values.set(name, compute());
    // Each name has one value type.
    return values.get(name) as T;
  }

  /**
   * Returns the capture time of a period's first media, in ms since 1970. It is constant while the stream is watched.
   */
  periodStartMs(period: IndexedPeriod): number {
    const known = this.#periodStartsMs.get(period.number);
    if (known !== undefined) return known;
    const startMs = programmeStartMs(period);
    if (startMs !== null) this.#periodStartsMs.set(period.number, startMs);
    return startMs ?? Date.now();
  }

  /**
   * Capture time of the stream's first media, in ms since 1970. It is the same at all edges. Null if it was not
   * recorded.
   */
  get originMs(): number | null {
    return this.index.periods[0]?.startMs ?? null;
  }

  /** Returns the target duration that players of this stream may still assume, in seconds. */
  assumedTargetSec(targetSec: number): number {
    const { beforeSec, grewMs } = this.#longest;
    if (beforeSec === 0 || Date.now() > grewMs + TARGET_GROWTH_MS) return targetSec;
    return Math.min(targetSec, Math.max(MIN_TARGET_SEC, beforeSec));
  }

  /**
   * Waits until `check` returns true. It is called again after each change. Returns false after `limitMs` or if the
   * viewer disconnects.
   */
  async until(check: () => boolean, limitMs: number, signal: AbortSignal): Promise<boolean> {
    if (check()) return true;
    if (this.#waiters.size >= MAX_QUEUED || signal.aborted || this.#isClosed) return false;
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

  close(): void {
    this.#isClosed = true;
    this.#feed?.close();
    if (this.#retry !== null) clearTimeout(this.#retry);
    if (this.#waking !== null) clearTimeout(this.#waking);
    for (const waiter of this.#waiters) waiter.done();
  }

  async #start(): Promise<void> {
    await this.#connect();
    await this.#loadPast();
  }

  /**
   * Loads the stored segments. This runs after the owner's snapshot has arrived, so that all segments stored before the
   * snapshot have rows.
   */
  async #loadPast(index = this.#index): Promise<void> {
    const { periods, segments } = await this.#deps.loadStored(this.#windowSec + SLACK_SEC);
    for (const { period, inits, retired } of periods) index.addPeriod(period, inits, retired);
    for (const segment of segments) index.addRow(segment);
    this.#wake();
  }

  /**
   * Reloads a recording, because its existing segments may have changed. If this fails, keeps the loaded data and the
   * extent `known`.
   */
  async #readAgain(known: number): Promise<void> {
    const index = new LiveIndex();
    index.hasEnded = this.#index.hasEnded;
    try {
      await this.#loadPast(index);
    } catch (error) {
      // The next head triggers a reload.
      this.#head = { ...this.#head, extent: known };
      this.#deps.warn(error, 'A recording could not be reloaded.');
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
      this.#feed = openFeedConnection(url, this.#deps.secret()[0], {
        frame: (frame) => {
          if (frame.message.type === 'snapshot') {
            clearTimeout(limit);
            this.#failures = 0;
            resolve();
          }
          if (frame.message.type === 'part') this.#partAtMs = Date.now();
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
    this.index.connect(false);
    this.#wake();
    if (this.#isClosed || this.index.hasEnded || this.#feedUrl === null) return;
    if (this.#failures === 3) this.#deps.warn(new Error(reason), 'A live feed was lost.');
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#retry = setTimeout(() => {
      this.#start().catch((error: unknown) => this.#deps.warn(error, 'A live feed could not be opened.'));
    }, pauseMs);
  }

  #changed(): void {
    const { longestSec } = this.index;
    if (longestSec !== this.#longest.sec) {
      const { sec, beforeSec: earlierSec, grewMs } = this.#longest;
      const isRecent = earlierSec > 0 && Date.now() <= grewMs + TARGET_GROWTH_MS;
      const beforeSec = isRecent ? Math.min(earlierSec, sec) : sec;
      this.#longest = { sec: longestSec, beforeSec, grewMs: Date.now() };
    }
    this.index.trim((this.#windowSec + SLACK_SEC) * 1000, Date.now());
    this.#waking ??= setTimeout(() => this.#wake(), GATHER_MS);
  }

  #wake(): void {
    if (this.#waking !== null) clearTimeout(this.#waking);
    this.#waking = null;
    for (const waiter of this.#waiters) if (waiter.check()) waiter.done();
  }
}

/** Returns the length of the DVR window, in seconds. */
export function windowOf({ dvrWindowSec }: LiveHead): number {
  return dvrWindowSec ?? PLAIN_WINDOW_SEC;
}
