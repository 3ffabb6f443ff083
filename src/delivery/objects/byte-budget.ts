import { Refused } from '../../lib/refused.ts';

type Holding = { users: number; sizeBytes: number };
type Waiter = { name: string; sizeBytes: number; admit(): void };

const WAIT_MS = 5_000;
const MAX_WAITERS = 2_000;

/**
 * Bounds the memory that answers under way hold on to. Bytes of one name count once, however many answers hold
 * them; who finds no room waits for it, in turn and not for long. What is larger than the whole budget has its
 * turn when nobody else holds anything.
 */
export class ByteBudget {
  readonly #maxBytes: number;
  readonly #holdings = new Map<string, Holding>();
  readonly #waiters = new Set<Waiter>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes part in a name's bytes until `give`. Refuses (`unavailable`) when there is no room in time. `leave` is asked,
   * only when it has to wait, for a signal that is aborted when nobody wants the bytes any more.
   */
  async take(name: string, sizeBytes: number, leave: () => AbortSignal): Promise<void> {
    if (this.#hold(name, sizeBytes)) return;
    if (this.#waiters.size >= MAX_WAITERS) throw noRoom();
    const signal = leave();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { name, sizeBytes, admit: resolve };
    const giveUp = () => reject(noRoom());
    const timer = setTimeout(giveUp, WAIT_MS);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#waiters.add(waiter);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      this.#waiters.delete(waiter);
    }
  }

  give(name: string): void {
    const holding = this.#holdings.get(name);
    if (holding === undefined) throw new Error(`Expected ${name} to be taken before it is given back.`);
    holding.users -= 1;
    if (holding.users > 0) return;
    this.#holdings.delete(name);
    this.#bytes -= holding.sizeBytes;
    for (const waiter of this.#waiters) {
      if (!this.#hold(waiter.name, waiter.sizeBytes)) return;
      this.#waiters.delete(waiter);
      waiter.admit();
    }
  }

  #hold(name: string, sizeBytes: number): boolean {
    const holding = this.#holdings.get(name);
    if (holding === undefined) {
      if (this.#bytes > 0 && this.#bytes + sizeBytes > this.#maxBytes) return false;
      this.#bytes += sizeBytes;
      this.#holdings.set(name, { users: 1, sizeBytes });
      return true;
    }
    holding.users += 1;
    return true;
  }
}

function noRoom(): Refused {
  return new Refused('unavailable', 'Too many answers are under way at once; try again.');
}
