/** Collects bits, highest first. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #current = 0;
  #used = 0;

  bit(value: number): void {
    this.#current = (this.#current << 1) | (value & 1);
    this.#used += 1;
    if (this.#used < 8) return;
    this.#bytes.push(this.#current);
    this.#current = 0;
    this.#used = 0;
  }

  /** Writes an unsigned number of 0 to 32 bits. */
  bits(value: number, count: number): void {
    for (let index = count - 1; index >= 0; index -= 1) this.bit(Math.floor(value / 2 ** index) % 2);
  }

  /** Writes an unsigned Exp-Golomb number (ITU-T H.264 section 9.1). */
  ue(value: number): void {
    const length = Math.floor(Math.log2(value + 1));
    this.bits(0, length);
    this.bits(value + 1, length + 1);
  }

  /** Writes a signed Exp-Golomb number. */
  se(value: number): void {
    this.ue(value > 0 ? 2 * value - 1 : -2 * value);
  }

  /** Returns the bytes. Fills the last one with `filler` bits. */
  end(filler: 0 | 1): Buffer {
    while (this.#used > 0) this.bit(filler);
    return Buffer.from(this.#bytes);
  }
}
