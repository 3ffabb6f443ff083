/**
 * Idle slots of one queue in this process. Only one of them looks for delayed jobs. A slot that finds a job wakes the
 * next one, because more jobs may be due.
 */
export class IdleSlots {
  readonly #idle = new Set<string>();
  readonly #wake: (slot: string) => void;

  /** `wake` lets a slot look for a job. */
  constructor(wake: (slot: string) => void) {
    this.#wake = wake;
  }

  /** Records that a slot runs a job. */
  begin(slot: string): void {
    this.#idle.delete(slot);
    this.wakeOne();
  }

  /** Records that a slot is idle, and lets it look for the next job. */
  end(slot: string): void {
    this.#idle.add(slot);
    this.#wake(slot);
  }

  /** Lets one idle slot look for a job, if there is one. */
  wakeOne(): void {
    const [slot] = this.#idle;
    if (slot !== undefined) this.#wake(slot);
  }

  get hasIdle(): boolean {
    return this.#idle.size > 0;
  }
}
