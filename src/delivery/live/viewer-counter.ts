/** A viewer who requested no playlist for so long is gone: three usual target durations. */
const GONE_MS = 15_000;
const MOST_VIEWERS = 100_000;

/** The viewers of one stream: whoever reads its playlists. */
export class ViewerCounter {
  readonly #lastMs = new Map<string, number>();

  seen(viewer: string, nowMs: number): void {
    if (this.#lastMs.size < MOST_VIEWERS || this.#lastMs.has(viewer)) this.#lastMs.set(viewer, nowMs);
  }

  /** How many there are; those who left are forgotten. */
  count(nowMs: number): number {
    for (const [viewer, lastMs] of this.#lastMs) if (nowMs - lastMs > GONE_MS) this.#lastMs.delete(viewer);
    return this.#lastMs.size;
  }
}
