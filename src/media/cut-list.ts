import type { Rational } from './source-facts.ts';

/**
 * Where the segments of a timeline begin, shared by all its video renditions. `startTicks[n]` is the
 * presentation time of segment n's first frame in ticks of `timescale`, rising, `startTicks[0]` = 0;
 * `endTicks` is where the last segment ends. Segment n lasts to the next start.
 */
export type CutList = {
  timescale: number;
  startTicks: readonly number[];
  endTicks: number;
  /** `frames`: every frame lasts `den` of `num` ticks (encoded grid). `source`: the source's own times (pass-through grid). */
  grid: { kind: 'frames'; rate: Rational; segmentFrames: number; totalFrames: number } | { kind: 'source' };
};
