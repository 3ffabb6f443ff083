/** Cores of this machine that encoding live streams may take; a stream that does not fit is not encoded. */
export class CoreBudget {
  readonly #cores: number;
  #taken = 0;

  constructor(cores: number) {
    this.#cores = cores;
  }

  get cores(): number {
    return this.#cores;
  }

  /** Cores that nothing has taken. */
  get free(): number {
    return Math.max(0, this.#cores - this.#taken);
  }

  /** Takes cores until the answer is called; null when so many are not there. */
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
