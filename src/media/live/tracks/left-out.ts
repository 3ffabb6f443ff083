import { BrokenMedia } from '../../bmff/broken-media.ts';

/** Media of a kind that is not taken, in words for the publisher: what it is, and what to send instead. */
export class LeftOut extends BrokenMedia {}

/** Reasons that are kept of one publisher. */
const MAX_REASONS = 4;

/** Why parts of what a publisher sends are not shown, each once, the first ones. */
export class LeftOutReasons {
  readonly #reasons = new Set<string>();

  /** True when it was not known. */
  add(reason: string): boolean {
    if (this.#reasons.size >= MAX_REASONS || this.#reasons.has(reason)) return false;
    this.#reasons.add(reason);
    return true;
  }

  get all(): readonly string[] {
    return [...this.#reasons];
  }
}
