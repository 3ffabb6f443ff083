import { type BoxWriter, putBoxHead, putFullBoxHead, putU32, writeInto } from '../bmff/box-writer.ts';
import { toU64Words } from '../bmff/boxes.ts';
import { MAX_FRAGMENT_SAMPLES, type Sample } from './fragment.ts';

/** Contents of a fragment header. `sequence` is stored in mfhd, and `baseTick` in tfdt. */
export type FragmentHead = { sequence: number; baseTick: number; trackId: number; samples: readonly Sample[] };

/**
 * `sample_flags` of a sample that depends on no other sample. `NON_SYNC_FLAGS` is for all others (ISO 14496-12 section
 * 8.8.3.1).
 */
export const SYNC_FLAGS = 0x02000000;
export const NON_SYNC_FLAGS = 0x01010000;
const MAX_U32 = 0xffffffff;

/** Columns of the run. A value shared by all samples is written once, in tfhd. */
type Layout = {
  durationTicks: number | null;
  sizeBytes: number | null;
  flags: number | null;
  firstFlags: number | null;
  hasOffsets: boolean;
};

/**
 * Creates the compact moof and the mdat header before a fragment's payload (ISO 14496-12 section 8.8): one traf,
 * offsets from the moof, 64-bit tfdt, one trun, and constant columns as tfhd defaults. Writes the samples' composition
 * offsets unchanged, so they must include the presentation delay (`delaySamples`). The trun has version 0, or version 1
 * if an offset is negative. Throws for no samples, more than 65535 samples, or 4 GiB of payload.
 */
export function writeFragmentHead(head: FragmentHead): Buffer {
  const { samples } = head;
  if (samples.length === 0 || samples.length > MAX_FRAGMENT_SAMPLES) {
    throw new Error(`Expected 1 to ${MAX_FRAGMENT_SAMPLES} samples in a fragment, got ${samples.length}.`);
  }
  const payloadBytes = samples.reduce((sum, sample) => sum + sample.sizeBytes, 0);
  if (payloadBytes + 8 > MAX_U32) throw new Error(`Expected a payload below 4 GiB, got ${payloadBytes} bytes.`);
  const layout = chooseLayout(samples);
  const tfhdBytes = 16 + 4 * [layout.durationTicks, layout.sizeBytes, layout.flags].filter((it) => it !== null).length;
  const trunBytes = 20 + (layout.firstFlags === null ? 0 : 4) + samples.length * sampleBytes(layout);
  const moofBytes = 8 + 16 + 8 + tfhdBytes + 20 + trunBytes;
  const writer = writeInto(Buffer.alloc(moofBytes + 8));
  putBoxHead(writer, 'moof', moofBytes);
  putFullBoxHead(writer, { type: 'mfhd', sizeBytes: 16 });
  putU32(writer, head.sequence);
  putBoxHead(writer, 'traf', 8 + tfhdBytes + 20 + trunBytes);
  writeTfhd(writer, head.trackId, tfhdBytes, layout);
  putFullBoxHead(writer, { type: 'tfdt', sizeBytes: 20, version: 1 });
  putU32(writer, ...toU64Words(head.baseTick));
  writeTrun(writer, samples, trunBytes, layout, moofBytes + 8);
  putBoxHead(writer, 'mdat', payloadBytes + 8);
  return writer.bytes;
}

function chooseLayout(samples: readonly Sample[]): Layout {
  const syncCount = samples.reduce((count, sample) => count + (sample.isSync ? 1 : 0), 0);
  const firstIsOnlySync = syncCount === 1 && samples.length > 1 && samples[0]?.isSync === true;
  const flags = syncCount === samples.length ? SYNC_FLAGS : NON_SYNC_FLAGS;
  return {
    durationTicks: constant(samples, (sample) => sample.durationTicks),
    sizeBytes: constant(samples, (sample) => sample.sizeBytes),
    flags: syncCount === samples.length || syncCount === 0 || firstIsOnlySync ? flags : null,
    firstFlags: firstIsOnlySync ? SYNC_FLAGS : null,
    hasOffsets: samples.some((sample) => sample.compositionOffsetTicks !== 0),
  };
}

function constant(samples: readonly Sample[], read: (sample: Sample) => number): number | null {
  const [first] = samples;
  if (first === undefined) return null;
  const value = read(first);
  return samples.every((sample) => read(sample) === value) ? value : null;
}

function sampleBytes(layout: Layout): number {
  const columns = [layout.durationTicks === null, layout.sizeBytes === null, layout.flags === null, layout.hasOffsets];
  return 4 * columns.filter((present) => present).length;
}

function writeTfhd(writer: BoxWriter, trackId: number, sizeBytes: number, layout: Layout): void {
  const flags =
    0x020000 |
    (layout.durationTicks === null ? 0 : 0x08) |
    (layout.sizeBytes === null ? 0 : 0x10) |
    (layout.flags === null ? 0 : 0x20);
  putFullBoxHead(writer, { type: 'tfhd', sizeBytes, flags });
  putU32(writer, trackId);
  for (const value of [layout.durationTicks, layout.sizeBytes, layout.flags]) if (value !== null) putU32(writer, value);
}

function writeTrun(
  writer: BoxWriter,
  samples: readonly Sample[],
  sizeBytes: number,
  layout: Layout,
  dataOffset: number,
): void {
  const flags =
    0x000001 |
    (layout.firstFlags === null ? 0 : 0x04) |
    (layout.durationTicks === null ? 0x100 : 0) |
    (layout.sizeBytes === null ? 0x200 : 0) |
    (layout.flags === null ? 0x400 : 0) |
    (layout.hasOffsets ? 0x800 : 0);
  const version = samples.some(({ compositionOffsetTicks }) => compositionOffsetTicks < 0) ? 1 : 0;
  putFullBoxHead(writer, { type: 'trun', sizeBytes, version, flags });
  putU32(writer, samples.length, dataOffset);
  if (layout.firstFlags !== null) putU32(writer, layout.firstFlags);
  for (const sample of samples) {
    if (layout.durationTicks === null) putU32(writer, sample.durationTicks);
    if (layout.sizeBytes === null) putU32(writer, sample.sizeBytes);
    if (layout.flags === null) putU32(writer, sample.isSync ? SYNC_FLAGS : NON_SYNC_FLAGS);
    // Offsets are signed in version 1 and never negative in version 0, so the bytes are the same.
    if (layout.hasOffsets) putU32(writer, sample.compositionOffsetTicks);
  }
}
