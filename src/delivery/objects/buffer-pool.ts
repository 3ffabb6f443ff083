const STEP_BYTES = 256 * 1024;
/**
 * Maximum ratio of a buffer's size to the requested size. Segments differ in size, and a separate pool for each size
 * would need too much memory.
 */
const MAX_SLACK = 4;

/**
 * Lends and reuses large buffers. If each response allocated its own, V8 would collect the whole heap every few
 * responses.
 */
export class BufferPool {
  readonly #maxFreeBytes: number;
  /** Free buffers, least recently returned first. */
  readonly #free: Buffer[] = [];
  #freeBytes = 0;

  constructor(maxFreeBytes: number) {
    this.#maxFreeBytes = maxFreeBytes;
  }

  /** Returns a buffer of exactly `sizeBytes` with undefined contents. */
  take(sizeBytes: number): Buffer {
    const wholeBytes = Math.max(1, Math.ceil(sizeBytes / STEP_BYTES)) * STEP_BYTES;
    const fitting = this.#free.filter(({ length }) => length >= wholeBytes && length <= MAX_SLACK * wholeBytes);
    const [first] = fitting;
    if (first === undefined) return Buffer.allocUnsafeSlow(wholeBytes).subarray(0, sizeBytes);
    const best = fitting.reduce((least, buffer) => (buffer.length < least.length ? buffer : least), first);
    this.#free.splice(this.#free.indexOf(best), 1);
    this.#freeBytes -= best.length;
    return best.subarray(0, sizeBytes);
  }

  /** Returns a buffer from `take` to the pool. The caller must not read it afterwards. */
  give({ buffer }: Buffer): void {
    this.#free.push(Buffer.from(buffer));
    this.#freeBytes += buffer.byteLength;
    while (this.#freeBytes > this.#maxFreeBytes) this.#freeBytes -= this.#free.shift()?.length ?? 0;
  }
}
