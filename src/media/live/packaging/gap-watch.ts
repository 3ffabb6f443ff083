/**
 * Minimum time without frames after which a track counts as missing, in ms of media. Players of parts are 0.78 s behind
 * the live edge. Transport streams send audio in packets of up to 0.4 s.
 */
const MIN_PATIENCE_MS = { audio: 600, video: 400 } as const;
const MAX_PATIENCE_MS = 6_000;
/** Maximum frame interval, as a multiple of the usual one. */
const MISSED_FRAMES = 3;
const MAX_DISTANCE_MS = 2_000;
/** Minimum frame interval, in ms, of a source that counts as a still screen, whose frames are repeated. */
const STILL_DISTANCE_MS = 1_500;
/** Weight of the newest frame interval in the running mean. */
const DISTANCE_WEIGHT = 1 / 4;
/** Extra wait for a late track beyond its usual delay, in ms. */
const LATE_MARGIN_MS = 300;
/** Factor by which the longest delay decays with each frame. */
const LATE_DECAY = 0.995;
/**
 * Time after a gap in which frames do not count as late, in ms. Encoders delay the last frames before a gap until it
 * ends.
 */
const RETURN_MS = 500;

/**
 * Decides whether a track is missing or only late, from its frames and the time of the other track. Times are in ms on
 * the timeline.
 */
export class GapWatch {
  readonly #leastMs: number;
  #lastMs: number;
  #distanceMs = 0;
  /** Interval between the two newest frames. */
  #stepMs = 0;
  #lateMs = 0;
  #frames = 0;
  /** Time of the other track at the newest frame. `#backAtMs` is its time at the end of the last gap. */
  #cameAtMs = 0;
  #backAtMs = Number.NEGATIVE_INFINITY;

  /** `startMs` is the time from which frames are expected, in ms on the timeline. */
  constructor(kind: 'audio' | 'video', startMs: number) {
    this.#leastMs = MIN_PATIENCE_MS[kind];
    this.#lastMs = startMs;
  }

  /** Records a frame of the track. `otherMs` is the newest time of the other track. */
  came(mediaMs: number, otherMs: number): void {
    if (this.#frames > 0) {
      if (otherMs - this.#cameAtMs > this.#patienceMs()) this.#backAtMs = otherMs;
      const distanceMs = Math.min(MAX_DISTANCE_MS, Math.max(0, mediaMs - this.#lastMs));
      this.#stepMs = distanceMs;
      // The first interval counts fully, so that the distance between the frames of a slow source is not a gap.
      const weight = this.#frames === 1 ? 1 : DISTANCE_WEIGHT;
      this.#distanceMs += (distanceMs - this.#distanceMs) * weight;
      const lateMs = otherMs - this.#backAtMs < RETURN_MS ? 0 : otherMs - mediaMs;
      this.#lateMs = Math.max(this.#lateMs * LATE_DECAY, lateMs);
    }
    this.#frames += 1;
    this.#cameAtMs = otherMs;
    this.#lastMs = Math.max(this.#lastMs, mediaMs);
  }

  /**
   * Whether the track is missing if the other track is at `otherMs`. `isStill`: its last frame can be repeated and
   * continued without a loss, so a long usual interval does not matter.
   */
  isMissing(otherMs: number, isStill = false): boolean {
    return otherMs - this.#lastMs > this.#patienceMs(isStill);
  }

  #patienceMs(isStill = false): number {
    // A single frame shows neither the frame interval nor the delay.
    if (this.#frames === 1) return MAX_PATIENCE_MS;
    const distanceMs = isStill && this.#stepMs > STILL_DISTANCE_MS ? 0 : MISSED_FRAMES * this.#distanceMs;
    const patienceMs = Math.max(this.#leastMs, distanceMs, this.#lateMs + LATE_MARGIN_MS);
    return Math.min(patienceMs, MAX_PATIENCE_MS);
  }
}
