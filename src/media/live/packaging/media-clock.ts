import type { AccessUnit } from '../tracks/access-unit.ts';

/**
 * Maximum forward step of a publisher's clock, in ms. A larger step, or one back by more than `MAX_REWIND_MS`, counts
 * as a jump of the clock, unless the other track shows that this track has paused.
 */
const MAX_STEP_MS = 10_000;
const MAX_REWIND_MS = 2_000;
/** Maximum offset between two tracks on the same clock, in ms. */
const SAME_CLOCK_MS = 1_500;

type Kind = AccessUnit['kind'];

/**
 * Maps a publisher's times to the timeline of a period. The first frame is shown at `startMs`, and the tracks keep
 * their offset. If the publisher's clock jumps, the timeline continues without a jump. A track that paused while the
 * other continued has not jumped: its next frame is at the time of the other track.
 */
export class MediaClock {
  readonly #startMs: number;
  readonly #shifts = new Map<Kind, number>();
  readonly #last = new Map<Kind, number>();
  #newestShift: number | null = null;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  /** Returns a frame's decode time on the timeline, in ms. The very first frame is shown at the start. */
  place({ kind, dtsMs, ptsMs }: Pick<AccessUnit, 'kind' | 'dtsMs' | 'ptsMs'>): number {
    this.#newestShift ??= this.#startMs - ptsMs;
    const shift = this.#shiftOf(kind, dtsMs);
    this.#shifts.set(kind, shift);
    this.#last.set(kind, dtsMs + shift);
    return dtsMs + shift;
  }

  #shiftOf(kind: Kind, dtsMs: number): number {
    const newest = this.#newestShift ?? 0;
    const own = this.#shifts.get(kind) ?? newest;
    const other = this.#last.get(kind === 'video' ? 'audio' : 'video');
    const last = this.#last.get(kind) ?? other;
    if (last === undefined || follows(last, dtsMs + own)) return own;
    // The other track has already jumped, or has continued while this one paused.
    for (const shift of [newest, own]) {
      if ([last, other].some((ms) => ms !== undefined && Math.abs(dtsMs + shift - ms) <= SAME_CLOCK_MS)) return shift;
    }
    const shift = jumpTarget(last, other) - dtsMs;
    this.#newestShift = shift;
    return shift;
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
