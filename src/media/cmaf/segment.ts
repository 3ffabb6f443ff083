import type { Sample } from './fragment.ts';
import { TRACK_ID } from './init-segment.ts';
import { delaySamples, presentationDelayTicks } from './presentation-delay.ts';
import { writeFragmentHead } from './write-fragment.ts';

/**
 * One fragment as stored. `head` is the moof and the mdat header. `payload` is the samples' bytes. The offsets in
 * `samples` exclude the presentation delay, and those in `head` include it. `delayTicks` is set only if that delay
 * differs from the usual one.
 */
export type SegmentFragment = FragmentParts & { head: Buffer };

/** Segment to which sealed fragments belong. `timescale` is the ticks per second of all its times. */
export type SealedSegment = { number: number; timescale: number };

/**
 * A whole segment ready to be stored: its fragments in order, with continuous decode times. The first sample is a sync
 * sample with `startTick` as decode and presentation time. The samples' durations add up to `durationTicks`. Times are
 * in ticks of `timescale`.
 */
export type Segment = {
  number: number;
  timescale: number;
  startTick: number;
  durationTicks: number;
  fragments: readonly SegmentFragment[];
};

/**
 * Input for one sealed fragment of a segment. `delayTicks` is the presentation delay of the track's init segment, and
 * is set only if it differs from the usual one.
 */
export type FragmentParts = { baseTick: number; samples: readonly Sample[]; payload: Buffer; delayTicks?: number };

/**
 * Maximum number of fragments per segment, and the difference between the first sequence numbers of two consecutive
 * segments.
 */
const MAX_SEGMENT_FRAGMENTS = 256;

/**
 * Adds headers with the presentation delay to the fragments of a segment. The mfhd sequence number of a fragment
 * depends only on the segment's number and on its position in the segment, so that it ascends over the timeline,
 * whichever run made the segment.
 */
export function sealFragments(
  { number, timescale }: SealedSegment,
  parts: readonly FragmentParts[],
): SegmentFragment[] {
  if (parts.length > MAX_SEGMENT_FRAGMENTS) {
    throw new Error(`Expected at most ${MAX_SEGMENT_FRAGMENTS} fragments in a segment, got ${parts.length}.`);
  }
  return parts.map((part, index) => {
    const sequence = number * MAX_SEGMENT_FRAGMENTS + index + 1;
    const delayed = delaySamples(part.samples, part.delayTicks ?? presentationDelayTicks(timescale));
    const head = writeFragmentHead({ sequence, baseTick: part.baseTick, trackId: TRACK_ID, samples: delayed });
    return { head, ...part };
  });
}

/** Returns the stored size of a segment in bytes. */
export function segmentSizeBytes(segment: Segment): number {
  return segment.fragments.reduce((sum, fragment) => sum + fragment.head.length + fragment.payload.length, 0);
}
