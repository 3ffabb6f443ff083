type Held = { bytes: Buffer } | { loading: Promise<Buffer> };

const ENTRY_BYTES = 200;

/**
 * Small immutable bytes by name, the least recently used dropped beyond `maxBytes`. Bytes that are being
 * made are made once for all who ask; a failure is told to all of them and not kept.
 */
export class ByteCache {
  readonly #maxBytes: number;
  readonly #held = new Map<string, Held>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The bytes at once when they are held, else a promise of them. */
  get(name: string, make: () => Buffer | Promise<Buffer>): Buffer | Promise<Buffer> {
    const held = this.#held.get(name);
    if (held === undefined) return this.#fill(name, make());
    if ('loading' in held) return held.loading;
    this.#held.delete(name);
    this.#held.set(name, held);
    return held.bytes;
  }

  #fill(name: string, made: Buffer | Promise<Buffer>): Buffer | Promise<Buffer> {
    if (!(made instanceof Promise)) return this.#keep(name, made);
    const loading = made.then(
      (bytes) => this.#keep(name, bytes),
      (error: unknown) => {
        this.#held.delete(name);
        throw error;
      },
    );
    this.#held.set(name, { loading });
    return loading;
  }

  #keep(name: string, bytes: Buffer): Buffer {
    this.#held.delete(name);
    this.#held.set(name, { bytes });
    this.#bytes += bytes.length + ENTRY_BYTES;
    for (const [oldest, held] of this.#held) {
      if (this.#bytes <= this.#maxBytes) break;
      if ('loading' in held) continue;
      this.#held.delete(oldest);
      this.#bytes -= held.bytes.length + ENTRY_BYTES;
    }
    return bytes;
  }
}
