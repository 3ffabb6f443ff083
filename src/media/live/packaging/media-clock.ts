import type { AccessUnit } from '../tracks/access-unit.ts';
import { StallWatch } from './stall-watch.ts';

/**
 * Maximum forward step of a publisher's clock, in ms. A larger step, or one back by more than `MAX_REWIND_MS`, counts
 * as a jump of the clock, unless the other track shows that this track has paused.
 */
const MAX_STEP_MS = 10_000;
const MAX_REWIND_MS = 2_000;
/** Maximum offset between two tracks on the same clock, in ms. */
const SAME_CLOCK_MS = 1_500;

/**
 * Minimum step back of the decode times of video, in ms, that counts as a step of the publisher's clock. Otherwise, the
 * decode times of a track never decrease.
 */
const MIN_REWIND_MS = 100;
/** Time that audio must continue without such a step, in ms, until the step counts as one of the video alone. */
const STEP_EVIDENCE_MS = 1_000;

type Kind = AccessUnit['kind'];

/**
 * Maps a publisher's times to the timeline of a period. The first frame is shown at `startMs`, and the tracks keep
 * their offset. If the publisher's clock jumps or steps back, the timeline continues without a jump. A track that
 * paused while the other continued has not jumped: its next frame is at the time of the other track. If its clock
 * stopped during the pause, it is moved by the pause.
 */
export class MediaClock {
  readonly #startMs: number;
  readonly #shifts = new Map<Kind, number>();
  readonly #last = new Map<Kind, number>();
  readonly #stalls = { video: new StallWatch(), audio: new StallWatch() };
  #newestShift: number | null = null;
  /** Shift of the video before its last step back, and the time of the audio at that step. */
  #step: { shift: number; audioMs: number } | null = null;
  /** Whether video alone stepped back, and has not reached its newest frame again. */
  #isBehind = false;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  /**
   * Returns a frame's decode time on the timeline, in ms. The very first frame is shown at the start. Returns null for
   * a frame of a time that was already shown.
   */
  place({ kind, dtsMs, ptsMs }: Pick<AccessUnit, 'kind' | 'dtsMs' | 'ptsMs'>): number | null {
    this.#newestShift ??= this.#startMs - ptsMs;
    const ownShift = this.#shiftOf(kind, dtsMs);
    const other = this.#last.get(kind === 'video' ? 'audio' : 'video');
    const shift = ownShift + (other === undefined ? 0 : this.#stalls[kind].came(dtsMs + ownShift, other));
    const placedMs = dtsMs + shift;
    this.#shifts.set(kind, shift);
    if (kind === 'video' && this.#isBehind) {
      if (placedMs <= (this.#last.get(kind) ?? placedMs)) return null;
      this.#isBehind = false;
    }
    this.#last.set(kind, Math.max(placedMs, this.#last.get(kind) ?? placedMs));
    if (kind === 'audio') this.#compareStep(shift, placedMs);
    return placedMs;
  }

  #shiftOf(kind: Kind, dtsMs: number): number {
    const newest = this.#newestShift ?? 0;
    const own = this.#shifts.get(kind) ?? newest;
    const other = this.#last.get(kind === 'video' ? 'audio' : 'video');
    const last = this.#last.get(kind) ?? other;
    if (last === undefined) return own;
    if (follows(last, dtsMs + own)) return this.#stepBack({ kind, dtsMs, own, last: this.#last.get(kind) }) ?? own;
    // The other track has already jumped, or has continued while this one paused.
    for (const shift of [newest, own]) {
      if ([last, other].some((ms) => ms !== undefined && Math.abs(dtsMs + shift - ms) <= SAME_CLOCK_MS)) return shift;
    }
    const shift = jumpTarget(last, other) - dtsMs;
    this.#newestShift = shift;
    this.#step = null;
    return shift;
  }

  /**
   * Returns the shift of a frame whose track stepped back. Returns null if it did not, and for audio that stepped back
   * alone: its times are right, and it continues when it reaches its newest frame again.
   */
  #stepBack({ kind, dtsMs, own, last }: { kind: Kind; dtsMs: number; own: number; last: number | undefined }) {
    if (last === undefined || last - (dtsMs + own) < MIN_REWIND_MS || this.#isBehind) return null;
    const newest = this.#newestShift ?? own;
    if (newest !== own && Math.abs(dtsMs + newest - last) <= SAME_CLOCK_MS) return newest;
    if (kind === 'audio') return null;
    const audioMs = this.#last.get('audio');
    this.#step = audioMs === undefined ? null : { shift: own, audioMs };
    this.#newestShift = last + 1 - dtsMs;
    return this.#newestShift;
  }

  /** Takes back a step of the video that the audio does not follow. */
  #compareStep(shift: number, audioMs: number): void {
    const step = this.#step;
    if (step === null) return;
    if (shift !== step.shift) this.#step = null;
    else if (audioMs - step.audioMs > STEP_EVIDENCE_MS) {
      this.#step = null;
      this.#shifts.set('video', step.shift);
      this.#newestShift = step.shift;
      this.#isBehind = true;
    }
  }
}

function follows(last: number, next: number): boolean {
  return next - last <= MAX_STEP_MS && last - next <= MAX_REWIND_MS;
}

/**
 * Returns the time at which a track continues. If the track paused and its clock has changed, that is the time of the
 * other track.
 */
function jumpTarget(last: number, other: number | undefined): number {
  return other !== undefined && other - last > SAME_CLOCK_MS ? other : last + 1;
}
