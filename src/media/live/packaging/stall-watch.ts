/** Minimum time without a frame, in ms, after which the clock of a track may have stopped. */
const MIN_PAUSE_MS = 500;
/** Maximum step of a clock that stopped, as a share of the pause. */
const MAX_STEP_SHARE = 0.5;
/** Minimum delay beyond the usual one, in ms, that shows that the clock stopped. */
const MIN_STALL_MS = 250;
/** Media time, in ms, and number of frames during which the delay must persist. */
const OBSERVED_MS = 300;
const OBSERVED_FRAMES = 8;
/** Minimum share of the observed time by which a track catches up that is only sent late. */
const MIN_CATCH_UP_SHARE = 0.25;
/** Maximum time without a frame of the other track, in ms, during which the usual delay is learned. */
const MAX_ALONE_MS = 100;
/** Weight of a delay that is longer than the usual one. A shorter one replaces it immediately. */
const RISE_WEIGHT = 0.01;

/**
 * Detects that the clock of a track stopped while the track was missing, such as the clock of an encoder that counts
 * samples. Its first frames after the gap have times right after the last ones before it, although the other track has
 * continued. Times are in ms on the timeline.
 */
export class StallWatch {
  /** Usual time by which the track is behind the other one, negative if it is ahead. Null before the first frame. */
  #usualMs: number | null = null;
  #placedMs = Number.NEGATIVE_INFINITY;
  #newestMs = Number.NEGATIVE_INFINITY;
  #otherMs = Number.NEGATIVE_INFINITY;
  /** Time of this track when the other one last continued. */
  #aloneSinceMs = Number.NEGATIVE_INFINITY;
  /** Time of the newest frame of both tracks at the last frame of this one. */
  #cameAtMs = Number.NEGATIVE_INFINITY;
  /** Frames after a pause that are later than usual. */
  #late: { sinceMs: number; firstMs: number; leastMs: number; frames: number } | null = null;

  /**
   * Records a frame. `otherMs` is the time of the newest frame of the other track. Returns the time by which the track
   * must be moved from this frame on, usually 0.
   */
  came(placedMs: number, otherMs: number): number {
    if (otherMs !== this.#otherMs) this.#aloneSinceMs = placedMs;
    this.#otherMs = otherMs;
    this.#newestMs = Math.max(this.#newestMs, otherMs, placedMs);
    const newestMs = this.#newestMs;
    const behindMs = otherMs - placedMs;
    const lateMs = behindMs - (this.#usualMs ?? behindMs);
    const pauseMs = newestMs - this.#cameAtMs;
    const hasStopped = pauseMs >= MIN_PAUSE_MS && placedMs - this.#placedMs < MAX_STEP_SHARE * pauseMs;
    this.#cameAtMs = newestMs;
    // Another pause starts the observation again.
    if (hasStopped) this.#late = null;
    this.#placedMs = placedMs;
    if (lateMs <= MIN_STALL_MS || (this.#late === null && !hasStopped)) {
      this.#late = null;
      if (placedMs - this.#aloneSinceMs < MAX_ALONE_MS) this.#learn(behindMs);
      return 0;
    }
    this.#late ??= { sinceMs: newestMs, firstMs: lateMs, leastMs: lateMs, frames: 0 };
    this.#late.frames += 1;
    this.#late.leastMs = Math.min(this.#late.leastMs, lateMs);
    return this.#judge(this.#late, newestMs - this.#late.sinceMs, lateMs);
  }

  #judge(
    { firstMs, leastMs, frames }: { firstMs: number; leastMs: number; frames: number },
    observedMs: number,
    lateMs: number,
  ): number {
    if (observedMs < OBSERVED_MS || frames < OBSERVED_FRAMES) return 0;
    this.#late = null;
    return firstMs - lateMs < MIN_CATCH_UP_SHARE * observedMs ? leastMs : 0;
  }

  #learn(behindMs: number): void {
    const usualMs = this.#usualMs ?? behindMs;
    this.#usualMs = Math.min(behindMs, usualMs + (behindMs - usualMs) * RISE_WEIGHT);
  }
}
