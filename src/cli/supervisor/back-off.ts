const FIRST_MS = 100;
const MAX_MS = 10_000;
/** Lifetime after which a process counts as healthy: its next death restarts with the shortest wait. */
const WELL_AFTER_MS = 30_000;

/** Time to wait before restarting a process that died. It doubles each time. */
export class BackOff {
  #nextMs = FIRST_MS;

  afterLifeOf(livedMs: number): number {
    if (livedMs >= WELL_AFTER_MS) this.#nextMs = FIRST_MS;
    const waitMs = this.#nextMs;
    this.#nextMs = Math.min(waitMs * 2, MAX_MS);
    return waitMs;
  }
}
