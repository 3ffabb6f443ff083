import type { Guid } from '../../lib/guid.ts';

/** Time for which a worker leaves the tasks of a video to others, in ms. */
const AVOID_MS = 60_000;
const MAX_AVOIDED_TASKS = 1_000;

/** Videos whose tasks do not fit on this worker's disk, so it leaves them to other workers for a minute. */
export class AvoidedMedia {
  readonly #untilMs = new Map<Guid, number>();

  add(mediaId: Guid): void {
    if (this.#untilMs.size < MAX_AVOIDED_TASKS) this.#untilMs.set(mediaId, performance.now() + AVOID_MS);
  }

  list(): Guid[] {
    const nowMs = performance.now();
    for (const [mediaId, untilMs] of this.#untilMs) if (untilMs < nowMs) this.#untilMs.delete(mediaId);
    return [...this.#untilMs.keys()];
  }
}
