import type { Sample } from './fragment.ts';
import { TRACK_ID } from './init-segment.ts';
import { delaySamples, presentationDelayTicks } from './presentation-delay.ts';
import { writeFragmentHead } from './write-fragment.ts';

/**
 * One fragment as it is stored: `head` is the moof and the mdat header, `payload` the samples' bytes. The samples'
 * offsets are without the presentation delay, which only the head has.
 */
export type SegmentFragment = { head: Buffer; payload: Buffer; baseTick: number; samples: readonly Sample[] };

/** Which segment fragments are sealed for. `timescale`: ticks per second of all its times. */
export type SealedSegment = { number: number; timescale: number };

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
 * Gives the fragments of a segment their heads, with the presentation delay. A fragment's mfhd sequence number follows
 * from the segment's number alone, so that it rises over the timeline whoever made the segment.
 */
export function sealFragments(
  { number, timescale }: SealedSegment,
  parts: readonly FragmentParts[],
): SegmentFragment[] {
  if (parts.length > MAX_SEGMENT_FRAGMENTS) {
    throw new Error(`Expected at most ${MAX_SEGMENT_FRAGMENTS} fragments in a segment, got ${parts.length}.`);
  }
  return parts.map(({ baseTick, samples, payload }, index) => {
    const sequence = number * MAX_SEGMENT_FRAGMENTS + index + 1;
    const delayed = delaySamples(samples, presentationDelayTicks(timescale));
    const head = writeFragmentHead({ sequence, baseTick, trackId: TRACK_ID, samples: delayed });
    return { head, payload, baseTick, samples };
  });
}

/** Bytes of the segment as stored. */
export function segmentSizeBytes(segment: Segment): number {
  return segment.fragments.reduce((sum, fragment) => sum + fragment.head.length + fragment.payload.length, 0);
}
