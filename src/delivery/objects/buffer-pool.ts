const STEP_BYTES = 256 * 1024;
/** So many times too large a buffer may be: segments differ in size, and a pool of each size would hold too much. */
const MOST_SLACK = 4;

/**
 * Lends large buffers and takes them back. Memory of this size that is made and thrown away for each answer has the
 * whole heap searched for garbage every few answers.
 */
export class BufferPool {
  readonly #maxFreeBytes: number;
  /** Those given back longest ago first. */
  readonly #free: Buffer[] = [];
  #freeBytes = 0;

  constructor(maxFreeBytes: number) {
    this.#maxFreeBytes = maxFreeBytes;
  }

  /** A buffer of exactly `sizeBytes`, which holds anything. */
  take(sizeBytes: number): Buffer {
    const wholeBytes = Math.max(1, Math.ceil(sizeBytes / STEP_BYTES)) * STEP_BYTES;
    const fitting = this.#free.filter(({ length }) => length >= wholeBytes && length <= MOST_SLACK * wholeBytes);
    const [first] = fitting;
    if (first === undefined) return Buffer.allocUnsafeSlow(wholeBytes).subarray(0, sizeBytes);
    const best = fitting.reduce((least, buffer) => (buffer.length < least.length ? buffer : least), first);
    this.#free.splice(this.#free.indexOf(best), 1);
    this.#freeBytes -= best.length;
    return best.subarray(0, sizeBytes);
  }

  /** Takes back what `take` gave; it must not be read any more. */
  give({ buffer }: Buffer): void {
    this.#free.push(Buffer.from(buffer));
    this.#freeBytes += buffer.byteLength;
    while (this.#freeBytes > this.#maxFreeBytes) this.#freeBytes -= this.#free.shift()?.length ?? 0;
  }
}
