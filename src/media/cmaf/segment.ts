import type { Sample } from './fragment.ts';
import { TRACK_ID } from './init-segment.ts';
import { writeFragmentHead } from './write-fragment.ts';

/** One fragment as it is stored: `head` is the moof and the mdat header, `payload` the samples' bytes. */
export type SegmentFragment = { head: Buffer; payload: Buffer; baseTick: number; samples: readonly Sample[] };

/**
 * A whole segment, ready to be stored: its fragments in order, decode times continuous. The first sample is
 * a sync sample whose decode and presentation time is `startTick`; the samples' durations sum to
 * `durationTicks`. Ticks of `timescale`.
 */
export type Segment = {
  number: number;
  timescale: number;
  startTick: number;
  durationTicks: number;
  fragments: readonly SegmentFragment[];
};

/** What a fragment of a segment is sealed from. */
export type FragmentParts = { baseTick: number; samples: readonly Sample[]; payload: Buffer };

/** Fragments that one segment may hold; sequence numbers are spread by it. */
const MAX_SEGMENT_FRAGMENTS = 256;

/**
 * Gives the fragments of segment `number` their heads. A fragment's mfhd sequence number follows from the
 * segment's number alone, so that it rises over the timeline whoever made the segment.
 */
export function sealFragments(number: number, parts: readonly FragmentParts[]): SegmentFragment[] {
  if (parts.length > MAX_SEGMENT_FRAGMENTS) {
    throw new Error(`Expected at most ${MAX_SEGMENT_FRAGMENTS} fragments in a segment, got ${parts.length}.`);
  }
  return parts.map(({ baseTick, samples, payload }, index) => {
    const sequence = number * MAX_SEGMENT_FRAGMENTS + index + 1;
    return { head: writeFragmentHead({ sequence, baseTick, trackId: TRACK_ID, samples }), payload, baseTick, samples };
  });
}

/** Bytes of the segment as stored. */
export function segmentSizeBytes(segment: Segment): number {
  return segment.fragments.reduce((sum, fragment) => sum + fragment.head.length + fragment.payload.length, 0);
}
