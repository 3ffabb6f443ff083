import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { decodeFragmentTable, encodeFragmentTable, type FragmentEntry } from './fragment-table.ts';
import { type ChunkIndex, countCtsRuns, encodeIdx, type IndexedFragment } from './idx.ts';
import { type Segment, type SegmentFragment, segmentSizeBytes } from './segment.ts';

/** Fields of a chunk's row. They suffice for playlists, bandwidths and the header length of an MP4 download. */
export type ChunkFacts = {
  firstSegment: number;
  segmentCount: number;
  sizeBytes: number;
  /** Lower-case hexadecimal. */
  sha256: string;
  startTick: number;
  durationTicks: number;
  /** Output of `encodeFragmentTable`: 12 bytes per fragment. */
  fragmentTable: Buffer;
  samples: number;
  /** Runs of equal composition offsets. 0 if all are 0 (a ctts box would still have one run). */
  ctsRuns: number;
  syncCount: number;
  /** Highest bit rate of a single segment over its own duration, in bits per second, rounded up. */
  peakSegmentBps: number;
};

/** A chunk ready to be stored: the bytes of its object in order, its `.idx` object and its row. */
export type Chunk = { pieces: Buffer[]; idx: Buffer; facts: ChunkFacts };

/** Byte range of one segment in its chunk object. `endByte` is inclusive, as in a Range header. */
export type SegmentRange = {
  segment: number;
  startByte: number;
  endByte: number;
  sizeBytes: number;
  payloadBytes: number;
  samples: number;
  fragments: readonly FragmentEntry[];
};

/**
 * Joins whole segments into one chunk object. `pieces` are the buffers of the segments, not copies. Throws if there is
 * no segment, if the segments are not numbered consecutively from `firstSegment`, or if a segment does not start at the
 * end of the previous one.
 */
export function buildChunk(segments: readonly Segment[], firstSegment: number): Chunk {
  const [first] = segments;
  if (first === undefined) throw new Error('Expected at least one segment in a chunk, got none.');
  checkSequence(segments, firstSegment);
  const fragments = segments.flatMap((segment) => segment.fragments);
  const pieces = fragments.flatMap((fragment) => [fragment.head, fragment.payload]);
  const index = indexChunk(first, fragments, pieces);
  const facts: ChunkFacts = {
    firstSegment,
    segmentCount: segments.length,
    sizeBytes: index.sizeBytes,
    sha256: index.sha256.toString('hex'),
    startTick: index.startTick,
    durationTicks: index.durationTicks,
    fragmentTable: encodeFragmentTable(segments.flatMap(tableEntries)),
    samples: index.syncs.length,
    ctsRuns: index.ctsRuns,
    syncCount: index.syncs.reduce((count, sync) => count + sync, 0),
    peakSegmentBps: Math.max(...segments.map(segmentBps)),
  };
  return { pieces, idx: encodeIdx(index), facts };
}

/** Locates every segment of a chunk from its row alone. Throws if the table and the row disagree. */
export function segmentRanges(
  facts: Pick<ChunkFacts, 'firstSegment' | 'segmentCount' | 'fragmentTable'>,
): SegmentRange[] {
  const groups: FragmentEntry[][] = [];
  for (const entry of decodeFragmentTable(facts.fragmentTable)) {
    const open = groups.at(-1);
    if (entry.startsSegment || open === undefined) groups.push([entry]);
    else open.push(entry);
  }
  if (groups.length !== facts.segmentCount || groups[0]?.[0]?.startsSegment !== true) {
    throw new Error(`Expected a fragment table of ${facts.segmentCount} segments, got ${groups.length}.`);
  }
  let startByte = 0;
  return groups.map((fragments, index) => {
    const payloadBytes = fragments.reduce((sum, entry) => sum + entry.payloadBytes, 0);
    const sizeBytes = fragments.reduce((sum, entry) => sum + entry.prefixBytes, payloadBytes);
    const samples = fragments.reduce((sum, entry) => sum + entry.samples, 0);
    const range = { startByte, endByte: startByte + sizeBytes - 1, sizeBytes, payloadBytes, samples, fragments };
    startByte += sizeBytes;
    return { segment: facts.firstSegment + index, ...range };
  });
}

function checkSequence(segments: readonly Segment[], firstSegment: number): void {
  let endTick = segments[0]?.startTick ?? 0;
  segments.forEach((segment, index) => {
    if (segment.number !== firstSegment + index || segment.startTick !== endTick) {
      throw new Error(
        `Expected segment ${firstSegment + index} at tick ${endTick}, got ${segment.number} at ${segment.startTick}.`,
      );
    }
    endTick += segment.durationTicks;
  });
}

function indexChunk(first: Segment, fragments: readonly SegmentFragment[], pieces: readonly Buffer[]): ChunkIndex {
  const samples = fragments.flatMap((fragment) => fragment.samples);
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  const offsets = Int32Array.from(samples, (sample) => sample.compositionOffsetTicks);
  return {
    timescale: first.timescale,
    startTick: first.startTick,
    durationTicks: samples.reduce((sum, sample) => sum + sample.durationTicks, 0),
    sizeBytes: pieces.reduce((sum, piece) => sum + piece.length, 0),
    sha256: hash.digest(),
    ctsRuns: countCtsRuns(offsets),
    fragments: fragments.map(indexFragment),
    sampleSizesBytes: Uint32Array.from(samples, (sample) => sample.sizeBytes),
    sampleDurationsTicks: Uint32Array.from(samples, (sample) => sample.durationTicks),
    compositionOffsetsTicks: offsets,
    syncs: Uint8Array.from(samples, (sample) => (sample.isSync ? 1 : 0)),
  };
}

function indexFragment({ head, payload, samples }: SegmentFragment): IndexedFragment {
  return {
    samples: samples.length,
    prefixBytes: head.length,
    payloadBytes: payload.length,
    crc32: crc32(payload, crc32(head)),
  };
}

function tableEntries(segment: Segment): FragmentEntry[] {
  return segment.fragments.map(({ head, payload, samples }, index) => ({
    payloadBytes: payload.length,
    prefixBytes: head.length,
    samples: samples.length,
    startsSegment: index === 0,
  }));
}

function segmentBps(segment: Segment): number {
  return Math.ceil((segmentSizeBytes(segment) * 8 * segment.timescale) / segment.durationTicks);
}
