/**
 * Reason why a process takes no new work. `incompatible`: its version must not use the database, so it refuses
 * requests. `draining`: it finishes its work, hands it back, and exits.
 */
export type OffDuty = { state: 'incompatible' | 'draining'; reason: string };

/** State of a process: on duty until a reason ends it. Only a new process is on duty again. */
export class Duty {
  #off: OffDuty | null = null;
  readonly #listeners: ((off: OffDuty) => void)[] = [];

  /** Null while the process is on duty. */
  get off(): OffDuty | null {
    return this.#off;
  }

  /** Reason to refuse requests, or null if they are served. A draining process still serves them. */
  get refusal(): string | null {
    return this.#off?.state === 'incompatible' ? this.#off.reason : null;
  }

  /** Ends the duty. A draining process may become incompatible. Returns false if nothing changed. */
  end(off: OffDuty): boolean {
    if (this.#off !== null && (this.#off.state === off.state || this.#off.state === 'incompatible')) return false;
    const isFirst = this.#off === null;
    this.#off = off;
    if (isFirst) for (const listener of this.#listeners) listener(off);
    return true;
  }

  /** Calls the listener once, when the duty ends. */
  onEnd(listener: (off: OffDuty) => void): void {
    if (this.#off === null) this.#listeners.push(listener);
    else listener(this.#off);
  }
}
