const WINDOW_MS = 30_000;
const SLOT_MS = 1_000;

/**
 * Relates media time to the wall clock: media that arrived soonest after it was taken says by how much they differ,
 * so that bursts and stalls of the network do not move EXT-X-PROGRAM-DATE-TIME. Looks back over 30 s of arrivals.
 */
export class WallClock {
  #slots: { slot: number; leastMs: number }[] = [];

  arrived(mediaMs: number, nowMs: number): void {
    const slot = Math.floor(nowMs / SLOT_MS);
    const differenceMs = nowMs - mediaMs;
    const newest = this.#slots.at(-1);
    if (newest?.slot === slot) newest.leastMs = Math.min(newest.leastMs, differenceMs);
    else this.#slots.push({ slot, leastMs: differenceMs });
    const oldest = slot - WINDOW_MS / SLOT_MS;
    while ((this.#slots[0]?.slot ?? slot) < oldest) this.#slots.shift();
  }

  /** ms since 1970 of a media time. */
  wallMs(mediaMs: number): number {
    return Math.round(mediaMs + Math.min(...this.#slots.map(({ leastMs }) => leastMs)));
  }
}
