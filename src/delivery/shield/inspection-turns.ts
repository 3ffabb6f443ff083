/** Maximum number of requests that are inspected before the event loop handles other work. */
const REQUESTS_PER_TURN = 4;

/**
 * Admits a few inspected requests per turn of the event loop, in order of arrival, so that a flood of requests for
 * missing files does not delay segments. The queue is bounded, because each connection waits with at most one request
 * and the number of connections is limited.
 */
export class InspectionTurns {
  readonly #waiting: (() => void)[] = [];
  #left = REQUESTS_PER_TURN;
  #isPlanned = false;

  /** Returns null if the request is admitted immediately, or else a promise that resolves in a later turn. */
  enter(): Promise<void> | null {
    this.#plan();
    if (this.#left === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#left -= 1;
    return null;
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => this.#begin());
  }

  #begin(): void {
    this.#isPlanned = false;
    const passing = this.#waiting.splice(0, REQUESTS_PER_TURN);
    this.#left = REQUESTS_PER_TURN - passing.length;
    if (passing.length > 0) this.#plan();
    for (const pass of passing) pass();
  }
}
