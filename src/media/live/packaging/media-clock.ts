import type { AccessUnit } from '../tracks/access-unit.ts';

/** A step of a publisher's clock beyond this, forwards or back, is a jump unless the other track says otherwise. */
const MAX_STEP_MS = 10_000;
const MAX_REWIND_MS = 2_000;
/** Tracks whose times are this near to each other are on one clock. */
const SAME_CLOCK_MS = 1_500;

type Kind = AccessUnit['kind'];

/**
 * Places a publisher's times on the timeline of a period: the first frame is shown at `startMs`, and the tracks keep
 * their distance. Where the publisher's clock jumps, the timeline goes on as if it had not. A track that was away while
 * the other went on has not jumped: its next frame belongs where the other track is.
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
    // The other track has jumped already, or has gone on while this one was away.
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

/** A track that was away and comes back with another clock goes on where the other track is. */
function jumpTarget(last: number, other: number | undefined): number {
  return other !== undefined && other - last > SAME_CLOCK_MS ? other : last + 1;
}
