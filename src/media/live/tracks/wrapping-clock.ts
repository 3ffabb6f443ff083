/**
 * Unwraps a clock of `range` ticks: each time is the one nearest to the time before it. A transport stream's clock of
 * 33 bits wraps after 26.5 hours, an RTP clock of 32 bits at 90 kHz after 13.3.
 */
export class WrappingClock {
  readonly #range: number;
  #last: number | null = null;

  constructor(range: number) {
    this.#range = range;
  }

  unwrap(time: number): number {
    if (this.#last === null) {
      this.#last = time;
      return time;
    }
    const turns = Math.round((this.#last - time) / this.#range);
    this.#last = time + turns * this.#range;
    return this.#last;
  }
}
