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

  /** Number of free cores. */
  get free(): number {
    return Math.max(0, this.#cores - this.#taken);
  }

  /** Explains why `take` returned null for this number of cores, and what to do. */
  explain(cores: number): string {
    if (this.#cores === 0) return 'Live encoding is turned off on this server (MILLRACE_LIVE_CORES is 0).';
    const need = `It needs ${shown(cores)} of the ${shown(this.#cores)} processor cores for live encoding`;
    if (cores > this.#cores) return `${need}. Publish a lower resolution or frame rate.`;
    const others = `other live streams use ${shown(this.#taken)} of them`;
    return `${need}, and ${others}. End one of these streams, or publish a lower resolution or frame rate.`;
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

/** Rounds up, so that a small need is not shown as 0. */
function shown(cores: number): string {
  return String(Math.ceil(cores * 10) / 10);
}
