import type { Mp4Index } from './mp4-index.ts';
import { MAX_PICTURE_SEC, pictureTick, sortedTicks, type Timeline } from './timeline.ts';

/**
 * One segment before it is written: samples `firstSample` (inclusive) to `endSample` (exclusive), in fragments of at
 * most `MAX_FRAGMENT_SAMPLES`. `sizeBytes` is the exact size of headers and payload. `firstFragment` is the number of
 * fragments in earlier segments.
 */
export type PlannedSegment = {
  firstSample: number;
  endSample: number;
  startTicks: number;
  durationTicks: number;
  payloadBytes: number;
  sizeBytes: number;
  firstFragment: number;
};

/** Stable, machine-readable reason why segments cannot be planned. */
export type SegmentsFault = 'leading-pictures' | 'picture-times' | 'segment-too-large';

export type SegmentsAnswer =
  | { kind: 'segments'; segments: PlannedSegment[] }
  | { kind: 'refused'; reason: SegmentsFault; message: string };

/** Maximum number of samples of a fragment. Fragment tables store the count in 16 bits. */
export const MAX_FRAGMENT_SAMPLES = 32_000;

// Bytes of moof, mfhd, traf, tfhd, tfdt, trun and the mdat header without samples. `SAMPLE_HEAD_BYTES` are the four
// fields of each sample.
const FRAGMENT_HEAD_BYTES = 96;
const SAMPLE_HEAD_BYTES = 16;
// Maximum bytes of a segment. Chromium keeps at most 150 MB of video in a source buffer and cannot append a larger
// segment.
const MAX_SEGMENT_BYTES = 128 * 2 ** 20;
const MAX_OFFSET_TICKS = 2 ** 31 - 1;

/** Returns the bytes before the payload of a fragment with a given number of samples. */
export function fragmentPrefixBytes(samples: number): number {
  return FRAGMENT_HEAD_BYTES + SAMPLE_HEAD_BYTES * samples;
}

/**
 * Plans the segments that begin at `cuts`. Returns `refused` for frames shown before the sync sample that precedes them
 * in the file (leading frames of an open GOP), two frames at the same time, frames after the next cut, a frame longer
 * than 30 s, and segments above 128 MiB.
 */
export function planSegments(index: Mp4Index, timeline: Timeline, cuts: readonly number[]): SegmentsAnswer {
  if (hasLeadingPictures(index)) {
    return { kind: 'refused', reason: 'leading-pictures', message: 'Frames are presented before their keyframe.' };
  }
  const segments: PlannedSegment[] = [];
  let firstFragment = 0;
  for (const [number, firstSample] of cuts.entries()) {
    const endSample = cuts[number + 1] ?? index.sizesBytes.length;
    const isLast = endSample === index.sizesBytes.length;
    const startTicks = pictureTick(index, timeline.shiftTicks, firstSample);
    const endTicks = isLast ? timeline.endTicks : pictureTick(index, timeline.shiftTicks, endSample);
    const fault = timesFault(index, timeline.shiftTicks, { firstSample, endSample, startTicks, endTicks });
    if (fault !== null) return { kind: 'refused', reason: 'picture-times', message: `Segment ${number}: ${fault}` };
    const payloadBytes = index.sizesBytes.subarray(firstSample, endSample).reduce((sum, size) => sum + size, 0);
    if (payloadBytes > MAX_SEGMENT_BYTES) {
      const message = `Expected at most ${MAX_SEGMENT_BYTES} bytes in segment ${number}, got ${payloadBytes}.`;
      return { kind: 'refused', reason: 'segment-too-large', message };
    }
    const fragments = fragmentRanges(firstSample, endSample);
    const sizeBytes = fragments.reduce((sum, [from, to]) => sum + fragmentPrefixBytes(to - from), payloadBytes);
    const durationTicks = endTicks - startTicks;
    segments.push({ firstSample, endSample, startTicks, durationTicks, payloadBytes, sizeBytes, firstFragment });
    firstFragment += fragments.length;
  }
  return { kind: 'segments', segments };
}

/** Returns the sample ranges of a segment's fragments, with exclusive ends. */
export function fragmentRanges(firstSample: number, endSample: number): [number, number][] {
  const ranges: [number, number][] = [];
  for (let from = firstSample; from < endSample; from += MAX_FRAGMENT_SAMPLES) {
    ranges.push([from, Math.min(endSample, from + MAX_FRAGMENT_SAMPLES)]);
  }
  return ranges;
}

function hasLeadingPictures({ mediaTicks, syncSamples }: Mp4Index): boolean {
  let keyTick = Number.NEGATIVE_INFINITY;
  let nextSync = 0;
  for (let sample = 0; sample < mediaTicks.length; sample += 1) {
    const tick = mediaTicks[sample] ?? 0;
    if (tick < keyTick) return true;
    if (syncSamples[nextSync] === sample) {
      keyTick = tick;
      nextSync += 1;
    }
  }
  return false;
}

type Span = { firstSample: number; endSample: number; startTicks: number; endTicks: number };

function timesFault(index: Mp4Index, shiftTicks: number, span: Span): string | null {
  const ticks = sortedTicks(index, shiftTicks, [span.firstSample, span.endSample]);
  if (ticks[0] !== span.startTicks) return `a frame at ${ticks[0]} is before the keyframe at ${span.startTicks}.`;
  for (let at = 0; at < ticks.length; at += 1) {
    const tick = ticks[at] ?? 0;
    const durationTicks = (ticks[at + 1] ?? span.endTicks) - tick;
    if (durationTicks <= 0) return `the frame at ${tick} lasts ${durationTicks} ticks.`;
    if (durationTicks > MAX_PICTURE_SEC * index.timescale) return `the frame at ${tick} lasts over 30 s.`;
    const offsetTicks = pictureTick(index, shiftTicks, span.firstSample + at) - tick;
    if (Math.abs(offsetTicks) > MAX_OFFSET_TICKS)
      return `the frame at ${tick} is shown ${offsetTicks} ticks from its decode time, more than a file can store.`;
  }
  return null;
}
