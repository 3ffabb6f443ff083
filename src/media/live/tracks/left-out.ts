import { BrokenMedia } from '../../bmff/broken-media.ts';

/** Thrown for unsupported media. The message tells the publisher what was received and what to send instead. */
export class LeftOut extends BrokenMedia {}

/** Maximum number of reasons kept per publisher. */
const MAX_REASONS = 4;

/** Collects the first distinct reasons why parts of a publisher's media are not shown. */
export class LeftOutReasons {
  readonly #reasons = new Set<string>();

  /** Adds a reason. Returns true if it is new. */
  add(reason: string): boolean {
    if (this.#reasons.size >= MAX_REASONS || this.#reasons.has(reason)) return false;
    this.#reasons.add(reason);
    return true;
  }

  /** Removes a reason that no longer holds. */
  remove(reason: string): void {
    this.#reasons.delete(reason);
  }

  get all(): readonly string[] {
    return [...this.#reasons];
  }
}
