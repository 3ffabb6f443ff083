import { metrics } from '../../lib/metrics/metrics.ts';
import { Refused } from '../../lib/refused.ts';
import { patienceOfRequest, REQUEST_PATIENCE_MS } from './request-patience.ts';

export type FreshCacheOptions<Value> = {
  /** Name of the cache in the metrics. */
  layer: string;
  ttlMs: number;
  absentTtlMs: number;
  maxBytes: number;
  maxLoads: number;
  load(key: string, known: Value | null): Promise<Value | null>;
  sizeBytes(value: Value): number;
  /**
   * Maximum wait for the first value of a key, in ms. The default is for values without which nothing is served. The
   * waits of one request together take at most the default.
   */
  firstPatienceMs?: number;
  /** Called for each failed load. The cache keeps the last good value. */
  onLoadError(error: unknown, key: string): void;
};

type Entry<Value> = {
  value: Value | null;
  isKnown: boolean;
  freshUntilMs: number;
  bytes: number;
  loading: Promise<Value | null> | null;
  /** Whether a change arrived during the load, so that the loaded value may already be outdated. */
  isOutdated: boolean;
};

const ENTRY_BYTES = 300;

/** Time after which a request stops waiting for a reload and gets the older value, in ms. */
const PATIENCE_MS = 300;
/**
 * Maximum wait for the first value, in ms, while loads fail, and for requests beyond `MAX_PATIENT`. Together with a
 * reload of the policy, such a request waits less than 2 s.
 */
const DOWN_PATIENCE_MS = 1_300;
/** Maximum number of requests that wait for `firstPatienceMs`, which bounds their memory. */
const MAX_PATIENT = 2_000;

/**
 * Caches values and reloads them after `ttlMs`, or immediately after a notification. Runs one load per key and evicts
 * the least recently used values at `maxBytes`. While loads fail, it returns the last value.
 */
export class FreshCache<Value> {
  readonly #options: FreshCacheOptions<Value>;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #waiters = new Map<string, Set<() => void>>();
  #bytes = 0;
  #loads = 0;
  /**
   * Whether the last reload failed or took too long. Until a load succeeds, requests with a cached value do not wait
   * for loads.
   */
  #isAway = false;
  /** Whether the last load failed or exceeded `firstPatienceMs`. Until a load succeeds, first values wait briefly. */
  #isDown = false;
  #patient = 0;

  constructor(options: FreshCacheOptions<Value>) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async get(key: string): Promise<Value | null> {
    const entry = this.#touch(key);
    const isFresh = entry.isKnown && performance.now() < entry.freshUntilMs;
    this.#count(isFresh ? 'hit' : entry.value === null ? 'miss' : 'stale');
    if (isFresh) return entry.value;
    const loading = entry.loading ?? this.#load(key, entry);
    if (!entry.isKnown || entry.value === null) return this.#orRefused(loading);
    if (this.#isAway) {
      entry.freshUntilMs = performance.now() + PATIENCE_MS;
      // The loader reports the failure.
      loading.catch(() => undefined);
      return entry.value;
    }
    return this.#orLast(loading, entry.value, entry);
  }

  /** Returns the value if it is fresh, or else null. Never starts a load. */
  peek(key: string): Value | null {
    const entry = this.#entries.get(key);
    if (entry === undefined || performance.now() >= entry.freshUntilMs) return null;
    this.#touch(key);
    this.#count('hit');
    return entry.value;
  }

  #count(result: 'hit' | 'stale' | 'miss'): void {
    metrics.edgeCache.inc({ layer: this.#options.layer, result });
  }

  /** Returns whether a load of the value is running, which another request can await without another query. */
  isLoading(key: string): boolean {
    return (this.#entries.get(key)?.loading ?? null) !== null;
  }

  /** Marks the value of a key as outdated. The next request reloads it. */
  invalidate(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#outdate(entry);
    for (const wake of this.#waiters.get(key) ?? []) wake();
  }

  /**
   * Like `invalidate`, for each value for which `isMeant` returns true. It is called with null for a key without a
   * value.
   */
  invalidateWhere(isMeant: (value: Value | null) => boolean): void {
    for (const [key, { value }] of this.#entries) if (isMeant(value)) this.invalidate(key);
  }

  invalidateAll(): void {
    for (const entry of this.#entries.values()) this.#outdate(entry);
    for (const waiting of this.#waiters.values()) for (const wake of waiting) wake();
  }

  /** Waits until a key changes, for at most `maxMs` or until the signal aborts. */
  async untilChange(key: string, maxMs: number, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiters.get(key) ?? new Set();
    this.#waiters.set(key, waiting);
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const timer = setTimeout(wake, maxMs);
    waiting.add(wake);
    signal.addEventListener('abort', wake);
    if (signal.aborted) wake();
    await promise;
    clearTimeout(timer);
    waiting.delete(wake);
    // Node never releases a combined signal that has a listener.
    signal.removeEventListener('abort', wake);
    if (waiting.size === 0 && this.#waiters.get(key) === waiting) this.#waiters.delete(key);
  }

  /** Returns the entry of a key and makes it the most recently used one. */
  #touch(key: string): Entry<Value> {
    const found = this.#entries.get(key);
    if (found !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, found);
      return found;
    }
    const entry = { value: null, isKnown: false, freshUntilMs: 0, bytes: 0, loading: null, isOutdated: false };
    this.#entries.set(key, entry);
    return entry;
  }

  #outdate(entry: Entry<Value>): void {
    entry.freshUntilMs = 0;
    entry.isOutdated = true;
  }

  #load(key: string, entry: Entry<Value>): Promise<Value | null> {
    if (this.#loads >= this.#options.maxLoads) {
      if (!entry.isKnown) this.#entries.delete(key);
      return Promise.reject(new Refused('unavailable', 'Too many videos are being looked up. Try again later.'));
    }
    this.#loads += 1;
    entry.isOutdated = false;
    const startedMs = performance.now();
    const loading = this.#options.load(key, entry.value).then(
      (value) => this.#keep(key, entry, value, startedMs),
      (error: unknown) => this.#fail(key, entry, error),
    );
    entry.loading = loading.finally(() => {
      entry.loading = null;
      this.#loads -= 1;
    });
    return entry.loading;
  }

  #keep(key: string, entry: Entry<Value>, value: Value | null, startedMs: number): Value | null {
    const bytes = (value === null ? 0 : this.#options.sizeBytes(value)) + ENTRY_BYTES;
    if (this.#entries.get(key) === entry) {
      this.#bytes += bytes - entry.bytes;
      entry.bytes = bytes;
    }
    entry.value = value;
    entry.isKnown = true;
    this.#isAway = false;
    this.#isDown = false;
    const ttlMs = value === null ? this.#options.absentTtlMs : this.#options.ttlMs;
    entry.freshUntilMs = entry.isOutdated ? 0 : startedMs + ttlMs;
    this.#evict();
    return value;
  }

  #fail(key: string, entry: Entry<Value>, error: unknown): never {
    this.#isDown = true;
    this.#options.onLoadError(error, key);
    if (!entry.isKnown && this.#entries.get(key) === entry) this.#entries.delete(key);
    throw new Refused('unavailable', 'The video cannot be looked up now. Try again.', { cause: error });
  }

  /**
   * Returns the new value if it arrives within `PATIENCE_MS`, or else the last one. After such a timeout, requests do
   * not wait until a load succeeds.
   */
  async #orLast(loading: Promise<Value | null>, last: Value, entry: Entry<Value>): Promise<Value | null> {
    const { promise, resolve } = Promise.withResolvers<Value | null>();
    const showLast = () => {
      this.#isAway = true;
      entry.freshUntilMs = performance.now() + PATIENCE_MS;
      resolve(last);
    };
    const timer = setTimeout(showLast, PATIENCE_MS);
    loading.then(resolve, showLast);
    const value = await promise;
    clearTimeout(timer);
    return value;
  }

  /** Returns the value. Throws `Refused` (`unavailable`) if it does not arrive in time. */
  async #orRefused(loading: Promise<Value | null>): Promise<Value | null> {
    const { firstPatienceMs = REQUEST_PATIENCE_MS } = this.#options;
    const isPatient = !this.#isDown && this.#patient < MAX_PATIENT;
    const ofRequest = patienceOfRequest();
    const fullMs = isPatient ? firstPatienceMs : Math.min(firstPatienceMs, DOWN_PATIENCE_MS);
    const waitMs = Math.min(fullMs, ofRequest.leftMs);
    const startedMs = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<Value | null>();
    const giveUp = () => {
      // If the request also waited for other values, its time says nothing about these loads.
      if (isPatient && waitMs === fullMs) this.#isDown = true;
      reject(new Refused('unavailable', 'The video cannot be looked up now. Try again.'));
    };
    const timer = setTimeout(giveUp, waitMs);
    loading.then(resolve, reject);
    if (isPatient) this.#patient += 1;
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      ofRequest.leftMs = Math.max(0, ofRequest.leftMs - (performance.now() - startedMs));
      if (isPatient) this.#patient -= 1;
    }
  }

  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#options.maxBytes) return;
      if (entry.loading !== null && !entry.isKnown) continue;
      this.#entries.delete(key);
      this.#bytes -= entry.bytes;
      entry.bytes = 0;
    }
  }
}
