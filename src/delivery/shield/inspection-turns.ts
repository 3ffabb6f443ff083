/** So many requests are inspected before the event loop serves what else has come. */
const REQUESTS_PER_TURN = 4;

/**
 * Lets requests that the firewall inspects pass a few in each turn of the event loop, in the order in which they came.
 * A flood of what does not exist is then no queue in front of segments. Each connection waits with one request at most,
 * and the number of connections is bounded.
 */
export class InspectionTurns {
  readonly #waiting: (() => void)[] = [];
  #left = REQUESTS_PER_TURN;
  #isPlanned = false;

  /** Null where this turn has room, else what resolves in a later one. */
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
