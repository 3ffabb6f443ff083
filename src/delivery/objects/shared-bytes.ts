import { metrics } from '../../lib/metrics/metrics.ts';
import { Refused } from '../../lib/refused.ts';
import type { BufferPool } from './buffer-pool.ts';

/** Bytes lent to a response, which calls `release` once when it has finished with them. */
export type LentBytes = { bytes: Buffer; release(): void };

/**
 * Requested bytes. `name` identifies exactly these bytes and is null if no other request needs them. `make` writes the
 * bytes into a buffer from `take`, or returns a different buffer. `sizeBytes` is their approximate size.
 */
export type WantedBytes = {
  name: string | null;
  sizeBytes: number;
  make(take: (sizeBytes: number) => Buffer): Promise<Buffer>;
};

export type SharedBytesLimits = {
  /** Name of the cache in the metrics. */
  layer: string;
  /** Maximum total bytes lent and cached. */
  maxBytes: number;
  /** Maximum bytes cached for later requests, as part of `maxBytes`. */
  keptBytes: number;
};

type Holding = {
  name: string | null;
  sizeBytes: number;
  made: Promise<Buffer>;
  /** Buffers to return to the pool. */
  taken: Buffer[];
  users: number;
  isMade: boolean;
};

type Waiter = { wanted: WantedBytes; admit(holding: Holding): void };

const WAIT_MS = 5_000;
const MAX_WAITERS = 2_000;

/**
 * Creates bytes for responses, once for all concurrent requests, and caches a limited amount of them. Drops the least
 * recently used ones first. If memory is exhausted, requests wait in order for a limited time. A request larger than
 * the limit is admitted when nothing else is lent.
 */
export class SharedBytes {
  readonly #limits: SharedBytesLimits;
  readonly #pool: BufferPool;
  readonly #named = new Map<string, Holding>();
  /** Unused bytes, least recently used first. */
  readonly #idle = new Set<Holding>();
  readonly #waiters = new Set<Waiter>();
  #bytes = 0;
  #idleBytes = 0;

  constructor(limits: SharedBytesLimits, pool: BufferPool) {
    this.#limits = limits;
    this.#pool = pool;
  }

  /**
   * Lends bytes, and creates them if necessary. Throws `Refused` (`unavailable`) if memory does not become free in
   * time. Calls `leave` only if it must wait. `leave` returns a signal that aborts when no request needs the bytes any
   * more.
   */
  async lend(wanted: WantedBytes, leave: () => AbortSignal): Promise<LentBytes> {
    return this.#lent(this.#holdAtOnce(wanted) ?? (await this.#waitFor(wanted, leave())));
  }

  /** Like `lend`, but returns null instead of waiting for memory. */
  async lendAtOnce(wanted: WantedBytes): Promise<LentBytes | null> {
    const holding = this.#holdAtOnce(wanted);
    return holding === null ? null : this.#lent(holding);
  }

  #holdAtOnce(wanted: WantedBytes): Holding | null {
    return this.#join(wanted) ?? (this.#waiters.size === 0 ? this.#begin(wanted) : null);
  }

  async #lent(holding: Holding): Promise<LentBytes> {
    try {
      const bytes = await holding.made;
      holding.isMade = true;
      return { bytes, release: () => this.#release(holding) };
    } catch (error) {
      this.#release(holding);
      throw error;
    }
  }

  #join({ name }: WantedBytes): Holding | null {
    const holding = name === null ? undefined : this.#named.get(name);
    if (name !== null)
      metrics.edgeCache.inc({ layer: this.#limits.layer, result: holding === undefined ? 'miss' : 'hit' });
    if (holding === undefined) return null;
    holding.users += 1;
    if (this.#idle.delete(holding)) this.#idleBytes -= holding.sizeBytes;
    return holding;
  }

  /** Starts to create bytes. Returns null if there is not enough memory. */
  #begin(wanted: WantedBytes): Holding | null {
    const { name, sizeBytes } = wanted;
    if (!this.#hasRoom(sizeBytes)) return null;
    const taken: Buffer[] = [];
    const take = (bytes: number) => {
      const buffer = this.#pool.take(bytes);
      taken.push(buffer);
      return buffer;
    };
    const holding = { name, sizeBytes, made: wanted.make(take), taken, users: 1, isMade: false };
    if (name !== null) this.#named.set(name, holding);
    this.#bytes += sizeBytes;
    return holding;
  }

  /** Drops unused bytes until there is enough memory or nothing is left to drop. */
  #hasRoom(sizeBytes: number): boolean {
    for (const holding of this.#idle) {
      if (this.#bytes + sizeBytes <= this.#limits.maxBytes) return true;
      this.#drop(holding);
    }
    return this.#bytes === 0 || this.#bytes + sizeBytes <= this.#limits.maxBytes;
  }

  async #waitFor(wanted: WantedBytes, signal: AbortSignal): Promise<Holding> {
    if (signal.aborted || this.#waiters.size >= MAX_WAITERS) throw noRoom();
    const { promise, resolve, reject } = Promise.withResolvers<Holding>();
    const waiter = { wanted, admit: resolve };
    const giveUp = () => {
      this.#waiters.delete(waiter);
      reject(noRoom());
      this.#admitWaiters();
    };
    const timer = setTimeout(giveUp, WAIT_MS);
    signal.addEventListener('abort', giveUp);
    this.#waiters.add(waiter);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Admits waiters in order while there is enough memory for the next one. */
  #admitWaiters(): void {
    for (const waiter of this.#waiters) {
      const holding = this.#join(waiter.wanted) ?? this.#begin(waiter.wanted);
      if (holding === null) return;
      this.#waiters.delete(waiter);
      waiter.admit(holding);
    }
  }

  #release(holding: Holding): void {
    holding.users -= 1;
    if (holding.users > 0) return;
    if (holding.isMade && holding.name !== null && holding.sizeBytes <= this.#limits.keptBytes) this.#keep(holding);
    else this.#drop(holding);
    this.#admitWaiters();
  }

  #keep(holding: Holding): void {
    this.#idle.add(holding);
    this.#idleBytes += holding.sizeBytes;
    for (const oldest of this.#idle) {
      if (this.#idleBytes <= this.#limits.keptBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(holding: Holding): void {
    if (this.#idle.delete(holding)) this.#idleBytes -= holding.sizeBytes;
    if (holding.name !== null) this.#named.delete(holding.name);
    this.#bytes -= holding.sizeBytes;
    for (const buffer of holding.taken) this.#pool.give(buffer);
  }
}

function noRoom(): Refused {
  return new Refused('unavailable', 'Too many responses are in progress. Try again later.');
}
