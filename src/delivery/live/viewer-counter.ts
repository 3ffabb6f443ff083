/**
 * Time without a playlist request after which a viewer counts as gone, in ms. This is three times the usual target
 * duration.
 */
const GONE_MS = 15_000;
const MAX_VIEWERS = 100_000;

/** Counts the viewers of one stream, which are the clients that read its playlists. */
export class ViewerCounter {
  readonly #lastMs = new Map<string, number>();

  seen(viewer: string, nowMs: number): void {
    if (this.#lastMs.size < MAX_VIEWERS || this.#lastMs.has(viewer)) this.#lastMs.set(viewer, nowMs);
  }

  /** Returns the number of viewers and forgets those who left. */
  count(nowMs: number): number {
    for (const [viewer, lastMs] of this.#lastMs) if (nowMs - lastMs > GONE_MS) this.#lastMs.delete(viewer);
    return this.#lastMs.size;
  }
}
