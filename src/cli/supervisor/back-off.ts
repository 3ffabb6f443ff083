const FIRST_MS = 100;
const MOST_MS = 10_000;
/** A process that lived this long was well: its next death starts from the shortest wait. */
const WELL_AFTER_MS = 30_000;

/** How long to wait before the next start of something that died, twice as long each time. */
export class BackOff {
  #nextMs = FIRST_MS;

  afterLifeOf(livedMs: number): number {
    if (livedMs >= WELL_AFTER_MS) this.#nextMs = FIRST_MS;
    const waitMs = this.#nextMs;
    this.#nextMs = Math.min(waitMs * 2, MOST_MS);
    return waitMs;
  }
}
