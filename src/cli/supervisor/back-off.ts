const FIRST_MS = 100;
const MAX_MS = 10_000;
/**
 * Uptime in ms after which a process counts as healthy, so that it is restarted with the shortest delay when it dies.
 */
const WELL_AFTER_MS = 30_000;

/** Delay before a process that died is restarted. It doubles each time. */
export class BackOff {
  #nextMs = FIRST_MS;

  afterLifeOf(livedMs: number): number {
    if (livedMs >= WELL_AFTER_MS) this.#nextMs = FIRST_MS;
    const waitMs = this.#nextMs;
    this.#nextMs = Math.min(waitMs * 2, MAX_MS);
    return waitMs;
  }
}
