import type { Guid } from '../../lib/guid.ts';
import type { AudioForm } from '../cmaf/audio-grid.ts';
import { decodeFragmentTable } from '../cmaf/fragment-table.ts';
import type { VideoRange } from '../cmaf/init-segment.ts';
import type { AudioRole } from '../probe/source-facts.ts';
import type { CutList } from '../timeline/cut-list.ts';

/**
 * Sizes and samples of consecutive segments. Segment i is at bytes `offsets[i]` (inclusive) to `offsets[i + 1]`
 * (exclusive).
 */
export type SegmentTable = { offsets: Float64Array; samples: Uint32Array };

/** Fields of a stored chunk for playlists and range reads. Times are in ticks of the rendition's timescale. */
export type PublishedChunk = {
  firstSegment: number;
  startTick: number;
  durationTicks: number;
  table: SegmentTable;
};

/**
 * A rendition as visible to viewers. `chunks` are in segment order and do not overlap. `planned` has one entry per
 * segment, and is set if the whole timeline is listed before all chunks are stored.
 */
export type PublishedRendition = {
  id: Guid;
  kind: 'video' | 'audio';
  state: 'building' | 'finished' | 'failed';
  isActive: boolean;
  /** Whether segments that are not stored are encoded on request. */
  isOnDemand: boolean;
  codecString: string | null;
  rung: number | null;
  widthPx: number | null;
  heightPx: number | null;
  /** Omitted for SDR and audio. */
  videoRange?: VideoRange;
  /** Number of audio channels. Omitted if the init segment is unknown. */
  channels?: number;
  language: string;
  name: string;
  /** Omitted for video and for the main audio. */
  role?: AudioRole;
  /** Omitted for video and for the usual form of an audio track. */
  form?: AudioForm;
  isDefault: boolean;
  timescale: number;
  cutList: CutList;
  planned: SegmentTable | null;
  chunks: readonly PublishedChunk[];
};

/**
 * Reduces a fragment table (12 bytes per fragment, see fragment-table.ts) to one entry per segment. Throws if the first
 * fragment does not start a segment, or if the number of segments is not `segmentCount`.
 */
export function readSegmentTable(fragmentTable: Uint8Array, segmentCount: number): SegmentTable {
  const offsets = new Float64Array(segmentCount + 1);
  const samples = new Uint32Array(segmentCount);
  let segment = -1;
  let offset = 0;
  for (const entry of decodeFragmentTable(fragmentTable)) {
    if (entry.startsSegment) segment += 1;
    else if (segment < 0)
      throw new Error('Expected the first fragment of a chunk to start a segment, got one that continues a segment.');
    offset += entry.prefixBytes + entry.payloadBytes;
    if (segment >= segmentCount) break;
    offsets[segment + 1] = offset;
    samples[segment] = (samples[segment] ?? 0) + entry.samples;
  }
  if (segment + 1 !== segmentCount) {
    throw new Error(`Expected ${segmentCount} segments in a fragment table, found ${segment + 1} or more.`);
  }
  return { offsets, samples };
}

/** Reads `planned_segments`, a fragment table in which every entry is a whole segment. */
export function readPlannedSegments(fragmentTable: Uint8Array): SegmentTable {
  const entries = decodeFragmentTable(fragmentTable);
  const offsets = new Float64Array(entries.length + 1);
  entries.forEach((entry, index) => {
    offsets[index + 1] = (offsets[index] ?? 0) + entry.prefixBytes + entry.payloadBytes;
  });
  return { offsets, samples: Uint32Array.from(entries, (entry) => entry.samples) };
}

export function segmentCount(table: SegmentTable): number {
  return table.samples.length;
}

/** Returns the byte size of entry `index`. Throws past the end. */
export function segmentBytes(table: SegmentTable, index: number): number {
  const start = table.offsets[index];
  const end = table.offsets[index + 1];
  if (start === undefined || end === undefined) throw new Error(`Expected a segment at ${index} of a segment table.`);
  return end - start;
}

/** Finds the stored chunk that contains a segment. Returns null if there is none. */
export function findChunk<Chunk extends PublishedChunk>(chunks: readonly Chunk[], segment: number): Chunk | null {
  let low = 0;
  let high = chunks.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const chunk = chunks[middle];
    if (chunk === undefined) break;
    if (segment < chunk.firstSegment) high = middle - 1;
    else if (segment >= chunk.firstSegment + segmentCount(chunk.table)) low = middle + 1;
    else return chunk;
  }
  return null;
}

/**
 * Returns the segment that contains a sample of a chunk, and the index in the chunk of that segment's first sample.
 * Throws past the end.
 */
export function locateSample(
  { firstSegment, table }: PublishedChunk,
  sample: number,
): { segment: number; firstSample: number } {
  let firstSample = 0;
  for (const [index, samples] of table.samples.entries()) {
    if (sample < firstSample + samples) return { segment: firstSegment + index, firstSample };
    firstSample += samples;
  }
  throw new Error(`Expected sample ${sample} in a chunk of ${firstSample} samples.`);
}
