import { type ChunkFacts, segmentRanges } from './chunk.ts';
import { readFragment } from './fragment.ts';
import type { FragmentEntry } from './fragment-table.ts';
import { delaySamples } from './presentation-delay.ts';
import type { Segment, SegmentFragment } from './segment.ts';

/** A stored chunk as described by its row. */
export type StoredRow = Pick<ChunkFacts, 'firstSegment' | 'segmentCount' | 'startTick' | 'fragmentTable'>;

/** Reads the segments of a whole stored chunk in their original form. Throws BrokenMedia for damaged bytes. */
export function readStoredSegments(bytes: Buffer, chunk: StoredRow, timescale: number): Segment[] {
  let startTick = chunk.startTick;
  return segmentRanges(chunk).map((range): Segment => {
    const fragments = readStoredFragments(bytes.subarray(range.startByte, range.endByte + 1), range.fragments);
    const samples = fragments.flatMap((fragment) => fragment.samples);
    const durationTicks = samples.reduce((sum, sample) => sum + sample.durationTicks, 0);
    const segment = { number: range.segment, timescale, startTick, durationTicks, fragments };
    startTick += durationTicks;
    return segment;
  });
}

/**
 * Reads the fragments of one whole stored segment, with offsets that exclude the presentation delay. The first sample
 * of a segment is presented when it is decoded, so its offset is the delay that the segment was written with: 0 in live
 * streams and in fragments stored before the delay was introduced. Throws BrokenMedia for damaged bytes.
 */
export function readStoredFragments(bytes: Buffer, fragments: readonly FragmentEntry[]): SegmentFragment[] {
  let at = 0;
  let delayTicks: number | null = null;
  return fragments.map(({ prefixBytes, payloadBytes }): SegmentFragment => {
    const stored = bytes.subarray(at, at + prefixBytes + payloadBytes);
    at += stored.length;
    const { baseTick, samples, payload } = readFragment(stored);
    delayTicks ??= samples[0]?.compositionOffsetTicks ?? 0;
    const plain = delaySamples(samples, -delayTicks);
    return { head: stored.subarray(0, prefixBytes), payload, baseTick, samples: plain, delayTicks };
  });
}
