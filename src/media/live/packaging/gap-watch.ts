/**
 * Without frames for this long, ms of media, a track is missing. Players of parts are 0.78 s behind the live edge.
 * Transport streams send sound in packets of up to 0.4 s.
 */
const MIN_PATIENCE_MS = { audio: 600, video: 400 } as const;
const MAX_PATIENCE_MS = 6_000;
/** Frames may be this many of their usual distances apart. */
const MISSED_FRAMES = 3;
const MAX_DISTANCE_MS = 2_000;
/** Part of the newest distance in the usual one. */
const DISTANCE_WEIGHT = 1 / 4;
/** A track that is sent late is waited for this much longer than it was late. */
const LATE_MARGIN_MS = 300;
/** Part of the longest delay that is left after each frame. */
const LATE_DECAY = 0.995;
/** Encoders hold the last frames before a gap back until it ends: frames this soon after it do not count as late. */
const RETURN_MS = 500;

/**
 * Tells from the frames of one track, and the time of the other, whether the track is missing or only late. Times in ms
 * on the timeline.
 */
export class GapWatch {
  readonly #leastMs: number;
  #lastMs: number;
  #distanceMs = 0;
  #lateMs = 0;
  #frames = 0;
  /** Time of the other track at the newest frame, and where frames came again after a gap. */
  #cameAtMs = 0;
  #backAtMs = Number.NEGATIVE_INFINITY;

  /** `startMs`: from where on frames are expected. */
  constructor(kind: 'audio' | 'video', startMs: number) {
    this.#leastMs = MIN_PATIENCE_MS[kind];
    this.#lastMs = startMs;
  }

  /** Notes a frame of the track; `otherMs` is the newest time of the other track. */
  came(mediaMs: number, otherMs: number): void {
    if (this.#frames > 0) {
      if (otherMs - this.#cameAtMs > this.#patienceMs()) this.#backAtMs = otherMs;
      const distanceMs = Math.min(MAX_DISTANCE_MS, Math.max(0, mediaMs - this.#lastMs));
      this.#distanceMs += (distanceMs - this.#distanceMs) * DISTANCE_WEIGHT;
      const lateMs = otherMs - this.#backAtMs < RETURN_MS ? 0 : otherMs - mediaMs;
      this.#lateMs = Math.max(this.#lateMs * LATE_DECAY, lateMs);
    }
    this.#frames += 1;
    this.#cameAtMs = otherMs;
    this.#lastMs = Math.max(this.#lastMs, mediaMs);
  }

  /** Whether the track is missing when the other one is at `otherMs`. */
  isMissing(otherMs: number): boolean {
    return otherMs - this.#lastMs > this.#patienceMs();
  }

  #patienceMs(): number {
    // One frame says neither how often frames come nor how late.
    if (this.#frames === 1) return MAX_PATIENCE_MS;
    const patienceMs = Math.max(this.#leastMs, MISSED_FRAMES * this.#distanceMs, this.#lateMs + LATE_MARGIN_MS);
    return Math.min(patienceMs, MAX_PATIENCE_MS);
  }
}
