import { toU64Words } from '../bmff/boxes.ts';
import type { ChunkIndex } from '../cmaf/idx.ts';
import type { TrackCounters, TrackTimes } from './count-track.ts';
import { hasSyncTable, type MovieLayout } from './movie-layout.ts';

/** What the tables of a track are written from. `fragmentOffsets` are bytes of the file. */
export type TableSource = {
  indexes: readonly ChunkIndex[];
  counters: TrackCounters;
  times: TrackTimes;
  fragmentOffsets: Float64Array;
};

type Cursor = { view: DataView; at: number };

/**
 * Writes the head of the file into one buffer: ftyp, moov and the mdat header, a chunk of a table a step. Each
 * fragment is a chunk of the sample table, with an stsc entry of its own, so that sizes follow from counts.
 * Throws when the tables do not fill the layout exactly.
 */
export function* writeHead(layout: MovieLayout, sources: readonly TableSource[]): Generator<void, Buffer> {
  const head = Buffer.allocUnsafeSlow(layout.headBytes);
  const cursor = { view: new DataView(head.buffer, head.byteOffset, head.length), at: 0 };
  putBytes(head, cursor, layout.opening);
  for (const [number, source] of sources.entries()) {
    putBytes(head, cursor, layout.trackOpenings[number] ?? Buffer.alloc(0));
    yield* writeDurations(cursor, source);
    if (hasSyncTable(source.counters)) yield* writeSyncs(cursor, source);
    if (source.counters.offsetRuns > 0) yield* writeOffsets(cursor, source);
    yield* writeFragments(cursor, source);
    yield* writeSizes(cursor, source);
    writeFragmentOffsets(cursor, source);
  }
  putBytes(head, cursor, layout.mdatHeader);
  if (cursor.at !== head.length) throw new Error(`Expected a head of ${head.length} bytes, got ${cursor.at}.`);
  return head;
}

function putBytes(head: Buffer, cursor: Cursor, bytes: Buffer): void {
  bytes.copy(head, cursor.at);
  cursor.at += bytes.length;
}

function put(cursor: Cursor, ...words: readonly number[]): void {
  for (const word of words) {
    cursor.view.setUint32(cursor.at, word);
    cursor.at += 4;
  }
}

/** Box header, version and flags 0, the fields before the rows. */
function openTable(cursor: Cursor, type: string, rowBytes: number, fields: readonly number[]): void {
  put(cursor, 12 + 4 * fields.length + rowBytes, Buffer.from(type, 'latin1').readUInt32BE(), 0, ...fields);
}

// Counted loops below: a `for of` over a typed array takes several times as long, and these see every sample.

function* writeDurations(cursor: Cursor, { indexes, counters }: TableSource): Generator<void> {
  openTable(cursor, 'stts', 8 * counters.durationRuns, [counters.durationRuns]);
  let run = { value: -1, count: 0 };
  for (const { sampleDurationsTicks } of indexes) {
    run = putRuns(cursor, sampleDurationsTicks, run);
    yield;
  }
  put(cursor, run.count, run.value);
}

/** Goes on with a run, puts each that ends, and gives back the one still open. */
function putRuns(cursor: Cursor, values: Uint32Array, open: { value: number; count: number }) {
  let { value, count } = open;
  for (let sample = 0; sample < values.length; sample += 1) {
    const next = values[sample] ?? 0;
    if (next !== value) {
      if (count > 0) put(cursor, count, value);
      value = next;
      count = 0;
    }
    count += 1;
  }
  return { value, count };
}

function* writeSyncs(cursor: Cursor, { indexes, counters }: TableSource): Generator<void> {
  openTable(cursor, 'stss', 4 * counters.syncCount, [counters.syncCount]);
  let number = 1;
  for (const { syncs } of indexes) {
    for (let sample = 0; sample < syncs.length; sample += 1) if (syncs[sample] === 1) put(cursor, number + sample);
    number += syncs.length;
    yield;
  }
}

/** ctts of version 0, which the oldest readers know: offsets are shifted up, and the edit list takes that back. */
function* writeOffsets(cursor: Cursor, { indexes, counters, times }: TableSource): Generator<void> {
  openTable(cursor, 'ctts', 8 * counters.offsetRuns, [counters.offsetRuns]);
  for (const { compositionOffsetsTicks } of indexes) {
    putOffsetRuns(cursor, compositionOffsetsTicks, times.shiftTicks);
    yield;
  }
}

function putOffsetRuns(cursor: Cursor, offsets: Int32Array, shiftTicks: number): void {
  const { view } = cursor;
  let at = cursor.at;
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
  cursor.at = at + 8;
}

function* writeFragments(cursor: Cursor, { indexes, counters }: TableSource): Generator<void> {
  openTable(cursor, 'stsc', 12 * counters.fragments, [counters.fragments]);
  let number = 1;
  for (const { fragments } of indexes) {
    for (const { samples } of fragments) {
      put(cursor, number, samples, 1);
      number += 1;
    }
    yield;
  }
}

function* writeSizes(cursor: Cursor, { indexes, counters }: TableSource): Generator<void> {
  openTable(cursor, 'stsz', 4 * counters.samples, [0, counters.samples]);
  for (const { sampleSizesBytes } of indexes) {
    putColumn(cursor, sampleSizesBytes);
    yield;
  }
}

function putColumn(cursor: Cursor, values: Uint32Array): void {
  const { view } = cursor;
  let at = cursor.at;
  for (let index = 0; index < values.length; index += 1) {
    view.setUint32(at, values[index] ?? 0);
    at += 4;
  }
  cursor.at = at;
}

function writeFragmentOffsets(cursor: Cursor, { fragmentOffsets, counters }: TableSource): void {
  openTable(cursor, 'co64', 8 * counters.fragments, [counters.fragments]);
  for (const offset of fragmentOffsets) put(cursor, ...toU64Words(offset));
}
