/** Interval in ms at which an idle slot looks for delayed jobs, which no notification announces. */
const DELAYED_POLL_MS = 2_000;

/**
 * Idle slots of one queue in this process. Only one of them polls for delayed jobs. A slot that finds a job wakes the
 * next one, because more jobs may be due.
 */
export class IdleSlots {
  readonly #idle = new Set<string>();
  readonly #wake: (slot: string) => void;

  /** `wake` lets a slot look for a job. Polls until `stopping` aborts. */
  constructor(wake: (slot: string) => void, stopping: AbortSignal) {
    this.#wake = wake;
    const timer = setInterval(() => this.#wakeOne(), DELAYED_POLL_MS);
    stopping.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  /** Records that a slot runs a job. */
  begin(slot: string): void {
    this.#idle.delete(slot);
    this.#wakeOne();
  }

  /** Records that a slot is idle, and lets it look for the next job. */
  end(slot: string): void {
    this.#idle.add(slot);
    this.#wake(slot);
  }

  #wakeOne(): void {
    const [slot] = this.#idle;
    if (slot !== undefined) this.#wake(slot);
  }
}
