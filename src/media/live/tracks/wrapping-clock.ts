/**
 * Unwraps a clock of `range` ticks by choosing the time nearest to the previous one. A transport stream's 33-bit clock
 * wraps after 26.5 hours, a 32-bit RTP clock at 90 kHz after 13.3 hours.
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
