const WINDOW_MS = 30_000;
const SLOT_MS = 1_000;
/** Difference in ms above which the clock counts as changed. */
const CLOCK_STEP_MS = 250;

/**
 * Maps media time to the wall clock. The media with the shortest delay between capture and arrival determines the
 * offset between the two clocks, so that network bursts and stalls do not move EXT-X-PROGRAM-DATE-TIME. Considers the
 * last 30 s of arrivals.
 */
export class WallClock {
  #slots: { slot: number; leastMs: number }[] = [];
  /** Start and capture time of the newest segment. */
  #dated: { mediaMs: number; wallMs: number } | null = null;

  arrived(mediaMs: number, nowMs: number): void {
    const slot = Math.floor(nowMs / SLOT_MS);
    const differenceMs = nowMs - mediaMs;
    const newest = this.#slots.at(-1);
    if (newest?.slot === slot) newest.leastMs = Math.min(newest.leastMs, differenceMs);
    else this.#slots.push({ slot, leastMs: differenceMs });
    const oldest = slot - WINDOW_MS / SLOT_MS;
    while ((this.#slots[0]?.slot ?? slot) < oldest) this.#slots.shift();
  }

  /** Returns the wall-clock time of a media time, in ms since 1970. */
  wallMs(mediaMs: number): number {
    return Math.round(mediaMs + Math.min(...this.#slots.map(({ leastMs }) => leastMs)));
  }

  /**
   * Returns the capture time of a segment that begins at a media time. It is the capture time of the previous segment
   * plus its duration, so that EXT-X-PROGRAM-DATE-TIME agrees with EXTINF, unless the clock differs by more than
   * `CLOCK_STEP_MS`.
   */
  segmentMs(mediaMs: number): number {
    const measuredMs = this.wallMs(mediaMs);
    const expectedMs = this.#dated === null ? measuredMs : this.#dated.wallMs + mediaMs - this.#dated.mediaMs;
    const wallMs = Math.abs(measuredMs - expectedMs) > CLOCK_STEP_MS ? measuredMs : expectedMs;
    this.#dated = { mediaMs, wallMs };
    return Math.round(wallMs);
  }
}
