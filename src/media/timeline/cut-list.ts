import { reduceRatio, toNumber } from '../probe/frame-rate.ts';
import type { Rational, SourceFacts } from '../probe/source-facts.ts';

/**
 * Start times of a timeline's segments, shared by all its video renditions. `startTicks[n]` is the presentation time of
 * the first frame of segment n in ticks of `timescale`, ascending, with `startTicks[0]` = 0. `endTicks` is the end of
 * the last segment. Segment n lasts until the next start.
 */
export type CutList = {
  timescale: number;
  startTicks: readonly number[];
  endTicks: number;
  /**
   * `frames`: every frame lasts `den` of `num` ticks (encoded grid). `source`: frames have the source's own times
   * (pass-through grid).
   */
  grid: { kind: 'frames'; rate: Rational; segmentFrames: number; totalFrames: number } | { kind: 'source' };
};

const HALF_SEGMENT_SEC = 2;
/** Frame rate of audio without video, which is cut on AAC frames: 1024 samples at 48 kHz. */
const AUDIO_FRAME_RATE: Rational = { num: 48_000 / 128, den: 1024 / 128 };

/**
 * Plans the frame grid of a fully encoded timeline: segments of two equal halves of round(2 s x rate) frames. The last
 * segment has the remaining frames. Time 0 is the start of the source's earliest stream, and the grid covers the
 * longest stream. A file without video gets a grid of AAC frames (188 per segment).
 */
export function planFrameGrid(facts: SourceFacts): CutList {
  const rate = facts.video?.rate ?? AUDIO_FRAME_RATE;
  const { timescale, frameTicks } = frameTimescale(rate);
  const segmentFrames = segmentFramesOf(rate);
  const totalFrames = Math.max(1, Math.round(facts.durationSec * toNumber(rate)));
  const startTicks: number[] = [];
  for (let frame = 0; frame < totalFrames; frame += segmentFrames) startTicks.push(frame * frameTicks);
  const grid = { kind: 'frames', rate, segmentFrames, totalFrames } as const;
  return { timescale, startTicks, endTicks: totalFrames * frameTicks, grid };
}

/** Returns the number of frames of a segment of two equal halves. */
export function segmentFramesOf(rate: Rational): number {
  return 2 * Math.max(1, Math.round(HALF_SEGMENT_SEC * toNumber(rate)));
}

/**
 * Returns the timescale of a frame rate and the ticks of one frame: numerator and denominator. For an integer rate, a
 * tick is a thousandth of a frame, so that parts of a frame (audio, captions) stay accurate.
 */
export function frameTimescale(rate: Rational): { timescale: number; frameTicks: number } {
  const { num, den } = reduceRatio(rate.num, rate.den);
  return den === 1 ? { timescale: num * 1000, frameTicks: 1000 } : { timescale: num, frameTicks: den };
}

/**
 * Returns the start of segment `index`, in ticks, or the end of the timeline if `index` is the number of segments.
 * Throws for any other index.
 */
export function segmentStartTicks(cutList: CutList, index: number): number {
  const ticks = index === cutList.startTicks.length ? cutList.endTicks : cutList.startTicks[index];
  if (ticks === undefined) throw new Error(`Expected segment 0 to ${cutList.startTicks.length}, got ${index}.`);
  return ticks;
}
