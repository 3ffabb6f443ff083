/** Read sizes by number of pending responses: the more viewers, the smaller the reads. */
const STEPS = [
  { sizeBytes: 1024 * 1024, upTo: 32 },
  { sizeBytes: 256 * 1024, upTo: 128 },
  { sizeBytes: 64 * 1024, upTo: 1024 },
  { sizeBytes: 16 * 1024, upTo: Number.POSITIVE_INFINITY },
] as const;

const KEPT_PER_SIZE = 8;

/**
 * Lends buffers for reading. Reads of one megabyte are as fast as sendfile, but a slow client occupies its buffer.
 * Buffers therefore shrink as more responses are pending, which bounds the total.
 */
export class ReadBuffers {
  readonly #free = new Map<number, Buffer[]>();
  #lent = 0;

  /** Returns a buffer of at most `maxBytes`. */
  take(maxBytes: number): Buffer {
    const step = STEPS.find(({ upTo }) => this.#lent < upTo);
    const sizeBytes = Math.min(maxBytes, step?.sizeBytes ?? 16 * 1024);
    this.#lent += 1;
    return this.#free.get(sizeBytes)?.pop() ?? Buffer.allocUnsafeSlow(sizeBytes);
  }

  give(buffer: Buffer): void {
    this.#lent -= 1;
    const free = this.#free.get(buffer.length) ?? [];
    if (free.length < KEPT_PER_SIZE) free.push(buffer);
    this.#free.set(buffer.length, free);
  }
}
