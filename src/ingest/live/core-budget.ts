/**
 * CPU cores of this machine that are available for live encoding. A stream that needs more cores than are free is not
 * encoded.
 */
export class CoreBudget {
  readonly #cores: number;
  #taken = 0;

  constructor(cores: number) {
    this.#cores = cores;
  }

  get cores(): number {
    return this.#cores;
  }

  /** Number of free cores. */
  get free(): number {
    return Math.max(0, this.#cores - this.#taken);
  }

  /** Reserves cores until the returned function is called. Returns null if there are not enough. */
  take(cores: number): (() => void) | null {
    if (cores > this.free) return null;
    this.#taken += cores;
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken -= cores;
      isTaken = false;
    };
  }
}
