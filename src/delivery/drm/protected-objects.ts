import { HeldCache } from '../cache/held-cache.ts';
import type { EdgeLimits, EdgeStorage } from '../edge-deps.ts';
import type { ObjectWindow } from '../http/answer.ts';
import { ByteBudget } from '../objects/byte-budget.ts';
import { readWindow } from '../objects/read-window.ts';

/** Bytes lent to an answer, which counts them until it calls `release`. */
export type LentBytes = { bytes: Buffer; release(): void };

/** What is wanted: the encrypted form of a window. `name` stands for these very bytes; null for such as nobody asks for twice. */
export type ProtectedWindow = { name: string | null; window: ObjectWindow; encrypt(clear: Buffer): Buffer };

/**
 * Encrypts stored bytes while they are served. The last ones are kept, and made once for all who ask at the same
 * time; what answers under way hold is bounded too.
 */
export class ProtectedObjects {
  readonly #storage: EdgeStorage;
  readonly #kept: HeldCache<Buffer>;
  readonly #budget: ByteBudget;
  #unnamed = 0;

  constructor(storage: EdgeStorage, limits: EdgeLimits) {
    this.#storage = storage;
    this.#kept = new HeldCache(limits.protectedCacheBytes, (bytes) => bytes.length);
    this.#budget = new ByteBudget(limits.protectedAnswerBytes);
  }

  /** The caller releases what is lent. Refuses (`unavailable`) while too many bytes are under way. */
  async lend({ name, window, encrypt }: ProtectedWindow, leave: () => AbortSignal): Promise<LentBytes> {
    this.#unnamed += 1;
    const holding = name ?? `#${this.#unnamed}`;
    await this.#budget.take(holding, window.sizeBytes, leave);
    try {
      const make = async () => encrypt(await readWindow(this.#storage, window));
      const bytes = name === null ? await make() : await this.#kept.get(name, make);
      return { bytes, release: () => this.#budget.give(holding) };
    } catch (error) {
      this.#budget.give(holding);
      throw error;
    }
  }
}
