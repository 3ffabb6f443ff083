import { type BoxWriter, putBytes, putFullBoxHead, putU32, writeInto } from '../bmff/box-writer.ts';
import { toU64Words } from '../bmff/boxes.ts';
import type { ChunkIndex } from '../cmaf/idx.ts';
import type { TrackCounters, TrackTimes } from './count-indexes.ts';
import { hasSyncTable, type MovieLayout } from './movie-layout.ts';

/** Input for the tables of a track. `fragmentOffsets` are byte offsets in the file. */
export type TableSource = {
  indexes: readonly ChunkIndex[];
  counters: TrackCounters;
  times: TrackTimes;
  fragmentOffsets: Float64Array;
};

/**
 * Writes the header of the file into one buffer: ftyp, moov and the mdat header. Each step writes one chunk of a table.
 * Each fragment is a chunk of the sample table, with its own stsc entry, so that sizes follow from counts. Throws if
 * the tables do not fill the layout exactly.
 */
export function* writeHead(layout: MovieLayout, sources: readonly TableSource[]): Generator<void, Buffer> {
  const writer = writeInto(Buffer.allocUnsafeSlow(layout.headBytes));
  putBytes(writer, layout.opening);
  for (const [number, source] of sources.entries()) {
    putBytes(writer, layout.trackOpenings[number] ?? Buffer.alloc(0));
    yield* writeDurations(writer, source);
    if (hasSyncTable(source.counters)) yield* writeSyncs(writer, source);
    if (source.counters.offsetRuns > 0) yield* writeOffsets(writer, source);
    yield* writeFragments(writer, source);
    yield* writeSizes(writer, source);
    writeFragmentOffsets(writer, source);
  }
  putBytes(writer, layout.mdatHeader);
  const { at, bytes } = writer;
  if (at !== bytes.length) throw new Error(`Expected a head of ${bytes.length} bytes, got ${at}.`);
  return bytes;
}

/** Writes the box header, version and flags 0, and the fields before the rows. */
function openTable(writer: BoxWriter, type: string, rowBytes: number, fields: readonly number[]): void {
  putFullBoxHead(writer, { type, sizeBytes: 12 + 4 * fields.length + rowBytes });
  putU32(writer, ...fields);
}

// Index loops are used below because `for of` over a typed array is several times slower, and these loops run over
// every sample.

function* writeDurations(writer: BoxWriter, { indexes, counters }: TableSource): Generator<void> {
  openTable(writer, 'stts', 8 * counters.durationRuns, [counters.durationRuns]);
  let run = { value: -1, count: 0 };
  for (const { sampleDurationsTicks } of indexes) {
    run = putRuns(writer, sampleDurationsTicks, run);
    yield;
  }
  putU32(writer, run.count, run.value);
}

/** Continues a run, writes each run that ends, and returns the open one. */
function putRuns(writer: BoxWriter, values: Uint32Array, open: { value: number; count: number }) {
  let { value, count } = open;
  for (let sample = 0; sample < values.length; sample += 1) {
    const next = values[sample] ?? 0;
    if (next !== value) {
      if (count > 0) putU32(writer, count, value);
      value = next;
      count = 0;
    }
    count += 1;
  }
  return { value, count };
}

function* writeSyncs(writer: BoxWriter, { indexes, counters }: TableSource): Generator<void> {
  openTable(writer, 'stss', 4 * counters.syncCount, [counters.syncCount]);
  let number = 1;
  for (const { syncs } of indexes) {
    for (let sample = 0; sample < syncs.length; sample += 1) if (syncs[sample] === 1) putU32(writer, number + sample);
    number += syncs.length;
    yield;
  }
}

/**
 * Writes ctts version 0, which the oldest readers support. Offsets are shifted up, and the edit list subtracts the
 * shift.
 */
function* writeOffsets(writer: BoxWriter, { indexes, counters, times }: TableSource): Generator<void> {
  openTable(writer, 'ctts', 8 * counters.offsetRuns, [counters.offsetRuns]);
  for (const { compositionOffsetsTicks } of indexes) {
    putOffsetRuns(writer, compositionOffsetsTicks, times.shiftTicks);
    yield;
  }
}

function putOffsetRuns(writer: BoxWriter, offsets: Int32Array, shiftTicks: number): void {
  const { view } = writer;
  let at = writer.at;
  let value = offsets[0] ?? 0;
  let count = 0;
  for (let sample = 0; sample < offsets.length; sample += 1) {
    const next = offsets[sample] ?? 0;
    if (next !== value) {
      view.setUint32(at, count);
      view.setUint32(at + 4, value + shiftTicks);
      at += 8;
      value = next;
      count = 0;
    }
    count += 1;
  }
  view.setUint32(at, count);
  view.setUint32(at + 4, value + shiftTicks);
  writer.at = at + 8;
}

function* writeFragments(writer: BoxWriter, { indexes, counters }: TableSource): Generator<void> {
  openTable(writer, 'stsc', 12 * counters.fragments, [counters.fragments]);
  let number = 1;
  for (const { fragments } of indexes) {
    for (const { samples } of fragments) {
      putU32(writer, number, samples, 1);
      number += 1;
    }
    yield;
  }
}

function* writeSizes(writer: BoxWriter, { indexes, counters }: TableSource): Generator<void> {
  openTable(writer, 'stsz', 4 * counters.samples, [0, counters.samples]);
  for (const { sampleSizesBytes } of indexes) {
    putColumn(writer, sampleSizesBytes);
    yield;
  }
}

function putColumn(writer: BoxWriter, values: Uint32Array): void {
  const { view } = writer;
  let at = writer.at;
  for (let index = 0; index < values.length; index += 1) {
    view.setUint32(at, values[index] ?? 0);
    at += 4;
  }
  writer.at = at;
}

function writeFragmentOffsets(writer: BoxWriter, { fragmentOffsets, counters }: TableSource): void {
  openTable(writer, 'co64', 8 * counters.fragments, [counters.fragments]);
  for (const offset of fragmentOffsets) putU32(writer, ...toU64Words(offset));
}
