import { putBoxHead, putFullBoxHead, putU32, writeInto } from '../bmff/box-writer.ts';
import { toU64Words } from '../bmff/boxes.ts';
import type { FragmentEntry } from '../cmaf/fragment-table.ts';
import { decodeTicks, delaySamples, presentationDelayTicks } from '../cmaf/presentation-delay.ts';
import { NON_SYNC_FLAGS, SYNC_FLAGS } from '../cmaf/write-fragment.ts';
import type { Mp4Index } from './mp4-index.ts';
import type { PassThroughPlan } from './plan-pass-through.ts';
import { fragmentPrefixBytes, fragmentRanges, type PlannedSegment } from './segments.ts';
import { pictureTick } from './timeline.ts';

/** A byte range of the source file. */
export type ByteRun = { offset: number; length: number };

/** One sample as listed in the header of its fragment. `compositionOffsetTicks` may be negative. */
export type WrittenSample = {
  durationTicks: number;
  sizeBytes: number;
  compositionOffsetTicks: number;
  isSync: boolean;
};

/** One fragment: `prefix` (moof and the mdat header), then the payload, which is the `runs` of the source in order. */
export type PassThroughFragment = { prefix: Buffer; runs: ByteRun[] };

/**
 * One segment without its payload bytes. `fragments` and `fragmentEntries` are parallel and have one element, or
 * several above 32,000 samples. `baseTick` is the first tfdt and the time of the first frame.
 */
export type PassThroughSegment = {
  segmentNumber: number;
  fragments: PassThroughFragment[];
  fragmentEntries: FragmentEntry[];
  samples: WrittenSample[];
  baseTick: number;
  durationTicks: number;
};

/** Builds segments `from` (inclusive) to `to` (exclusive), one at a time. Throws for numbers outside the plan. */
export function* passThroughSegments(
  index: Mp4Index,
  plan: PassThroughPlan,
  from: number,
  to: number,
): Generator<PassThroughSegment> {
  for (let segmentNumber = from; segmentNumber < to; segmentNumber += 1) yield buildSegment(index, plan, segmentNumber);
}

/**
 * Builds one segment of a planned pass-through. Decode times are the presentation times in ascending order
 * (`decodeTicks`), so they begin at the keyframe's own time, whatever the reorder delay. Headers include the
 * presentation delay. In a segment of one fragment, the samples at the indices `without`, never the first, become the
 * tail of the previous sample: their frames are not shown, and the previous one lasts longer. Throws for a number
 * outside the plan.
 */
export function buildSegment(
  index: Mp4Index,
  plan: PassThroughPlan,
  segmentNumber: number,
  without: readonly number[] = [],
): PassThroughSegment {
  const segment = plan.segments[segmentNumber];
  if (segment === undefined) {
    throw new Error(`Expected a segment below ${plan.segments.length}, got ${segmentNumber}.`);
  }
  const samples = listSamples(index, plan, segment, new Set(without.map((offset) => segment.firstSample + offset)));
  const fragments: PassThroughFragment[] = [];
  const fragmentEntries: FragmentEntry[] = [];
  let baseTick = segment.startTicks;
  for (const [number, range] of fragmentRanges(segment.firstSample, segment.endSample).entries()) {
    const own = samples.slice(range[0] - segment.firstSample, range[1] - segment.firstSample);
    const payloadBytes = own.reduce((sum, sample) => sum + sample.sizeBytes, 0);
    const delayed = delaySamples(own, presentationDelayTicks(plan.cutList.timescale));
    const prefix = writePrefix(delayed, { baseTick, payloadBytes, sequence: segment.firstFragment + number + 1 });
    fragments.push({ prefix, runs: mergeRuns(index, range) });
    const entry = { payloadBytes, prefixBytes: prefix.length, samples: own.length, startsSegment: number === 0 };
    fragmentEntries.push(entry);
    baseTick += own.reduce((sum, sample) => sum + sample.durationTicks, 0);
  }
  const { startTicks, durationTicks } = segment;
  return { segmentNumber, fragments, fragmentEntries, samples, baseTick: startTicks, durationTicks };
}

function listSamples(
  index: Mp4Index,
  { shiftTicks }: PassThroughPlan,
  segment: PlannedSegment,
  without: ReadonlySet<number>,
): WrittenSample[] {
  const { firstSample, endSample } = segment;
  const shownTicks: number[] = [];
  for (let sample = firstSample; sample < endSample; sample += 1)
    if (!without.has(sample)) shownTicks.push(pictureTick(index, shiftTicks, sample));
  const ticks = decodeTicks(shownTicks, index.timescale);
  const endTicks = segment.startTicks + segment.durationTicks;
  const samples: WrittenSample[] = [];
  let nextSync = firstSyncFrom(index.syncSamples, firstSample);
  for (let sample = firstSample; sample < endSample; sample += 1) {
    const isSync = index.syncSamples[nextSync] === sample;
    if (isSync) nextSync += 1;
    const sizeBytes = index.sizesBytes[sample] ?? 0;
    const last = samples.at(-1);
    if (last !== undefined && without.has(sample)) {
      last.sizeBytes += sizeBytes;
      continue;
    }
    const offset = samples.length;
    const tick = ticks[offset] ?? 0;
    samples.push({
      durationTicks: (ticks[offset + 1] ?? endTicks) - tick,
      sizeBytes,
      compositionOffsetTicks: (shownTicks[offset] ?? 0) - tick,
      isSync,
    });
  }
  return samples;
}

function firstSyncFrom(syncSamples: Uint32Array, sample: number): number {
  let low = 0;
  let high = syncSamples.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((syncSamples[middle] ?? 0) < sample) low = middle + 1;
    else high = middle;
  }
  return low;
}

function mergeRuns(index: Mp4Index, [from, to]: readonly [number, number]): ByteRun[] {
  const runs: ByteRun[] = [];
  let last: ByteRun | null = null;
  for (let sample = from; sample < to; sample += 1) {
    const offset = index.offsets[sample] ?? 0;
    const length = index.sizesBytes[sample] ?? 0;
    if (last !== null && last.offset + last.length === offset) {
      last.length += length;
    } else {
      last = { offset, length };
      runs.push(last);
    }
  }
  return runs;
}

type PrefixFields = { baseTick: number; payloadBytes: number; sequence: number };

// Flags: tfhd 0x020000 (offsets from the moof), and trun 0xf01 (data offset, then duration, size, flags and offset per
// sample).
function writePrefix(samples: readonly WrittenSample[], { baseTick, payloadBytes, sequence }: PrefixFields): Buffer {
  const writer = writeInto(Buffer.alloc(fragmentPrefixBytes(samples.length)));
  const prefixBytes = writer.bytes.length;
  const moofBytes = prefixBytes - 8;
  putBoxHead(writer, 'moof', moofBytes);
  putFullBoxHead(writer, { type: 'mfhd', sizeBytes: 16 });
  putU32(writer, sequence);
  putBoxHead(writer, 'traf', moofBytes - 24);
  putFullBoxHead(writer, { type: 'tfhd', sizeBytes: 16, flags: 0x020000 });
  putU32(writer, 1);
  putFullBoxHead(writer, { type: 'tfdt', sizeBytes: 20, version: 1 });
  putU32(writer, ...toU64Words(baseTick));
  const version = samples.some(({ compositionOffsetTicks }) => compositionOffsetTicks < 0) ? 1 : 0;
  putFullBoxHead(writer, { type: 'trun', sizeBytes: moofBytes - 68, version, flags: 0xf01 });
  putU32(writer, samples.length, prefixBytes);
  for (const { durationTicks, sizeBytes, isSync, compositionOffsetTicks } of samples)
    putU32(writer, durationTicks, sizeBytes, isSync ? SYNC_FLAGS : NON_SYNC_FLAGS, compositionOffsetTicks);
  putBoxHead(writer, 'mdat', payloadBytes + 8);
  return writer.bytes;
}
