import { metrics } from '../../lib/metrics/metrics.ts';

type Held<Value> = { value: Value; bytes: number } | { loading: Promise<Value> };

const ENTRY_BYTES = 200;

/**
 * Caches immutable values by name and evicts the least recently used ones beyond `maxBytes`. Concurrent requests for a
 * missing value share one creation. A failure rejects all of them and is not cached.
 */
export class HeldCache<Value extends object> {
  readonly #layer: string;
  readonly #maxBytes: number;
  readonly #sizeBytes: (value: Value) => number;
  readonly #held = new Map<string, Held<Value>>();
  #bytes = 0;

  /** `layer`: name of the cache in the metrics. */
  constructor(layer: string, maxBytes: number, sizeBytes: (value: Value) => number) {
    this.#layer = layer;
    this.#maxBytes = maxBytes;
    this.#sizeBytes = sizeBytes;
  }

  /** Returns a cached value synchronously, or else a promise. */
  get(name: string, make: () => Value | Promise<Value>): Value | Promise<Value> {
    const held = this.#held.get(name);
    metrics.edgeCache.inc({ layer: this.#layer, result: held === undefined ? 'miss' : 'hit' });
    if (held === undefined) return this.#fill(name, make());
    if ('loading' in held) return held.loading;
    this.#held.delete(name);
    this.#held.set(name, held);
    return held.value;
  }

  /** Returns a cached value, or null. */
  peek(name: string): Value | null {
    const held = this.#held.get(name);
    return held === undefined || 'loading' in held ? null : held.value;
  }

  #fill(name: string, made: Value | Promise<Value>): Value | Promise<Value> {
    if (!(made instanceof Promise)) return this.#keep(name, made);
    const loading = made.then(
      (value) => this.#keep(name, value),
      (error: unknown) => {
        this.#held.delete(name);
        throw error;
      },
    );
    this.#held.set(name, { loading });
    return loading;
  }

  #keep(name: string, value: Value): Value {
    const bytes = this.#sizeBytes(value) + ENTRY_BYTES;
    this.#held.delete(name);
    this.#held.set(name, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, held] of this.#held) {
      if (this.#bytes <= this.#maxBytes) break;
      if ('loading' in held) continue;
      this.#held.delete(oldest);
      this.#bytes -= held.bytes;
    }
    return value;
  }
}
