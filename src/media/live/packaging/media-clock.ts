import type { AccessUnit } from '../tracks/access-unit.ts';

/** A step of a publisher's clock beyond this, forwards or back, is a jump: the timeline goes on without it. */
const LONGEST_STEP_MS = 10_000;
const LARGEST_REWIND_MS = 2_000;
/** A track that jumps follows the other's jump when that leads it to within this of where it was. */
const SAME_JUMP_MS = 1_500;

type Kind = AccessUnit['kind'];

/**
 * Places a publisher's times on the timeline of a period: the first frame stands at `startMs`, and the tracks keep
 * their distance. Where the publisher's clock jumps, the timeline goes on as if it had not.
 */
export class MediaClock {
  readonly #startMs: number;
  readonly #shifts = new Map<Kind, number>();
  readonly #last = new Map<Kind, number>();
  #newestShift: number | null = null;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  /** Decode time of a frame on the timeline, in ms. The very first frame is shown at the start. */
  place({ kind, dtsMs, ptsMs }: Pick<AccessUnit, 'kind' | 'dtsMs' | 'ptsMs'>): number {
    this.#newestShift ??= this.#startMs - ptsMs;
    let shift = this.#shifts.get(kind) ?? this.#newestShift;
    const last = this.#last.get(kind);
    if (last !== undefined && !follows(last, dtsMs + shift)) {
      const other = this.#newestShift;
      shift = Math.abs(dtsMs + other - last) <= SAME_JUMP_MS ? other : last + 1 - dtsMs;
      this.#newestShift = shift;
    }
    this.#shifts.set(kind, shift);
    this.#last.set(kind, dtsMs + shift);
    return dtsMs + shift;
  }
}

function follows(last: number, next: number): boolean {
  return next - last <= LONGEST_STEP_MS && last - next <= LARGEST_REWIND_MS;
}
