import { AAC_FRAME_TICKS, AAC_SEGMENT_FRAMES } from '../cmaf/aac.ts';
import type { CutList } from '../timeline/cut-list.ts';
import { peakOfWindows } from './peak-of-windows.ts';
import { findChunk, type PublishedRendition, segmentBytes, segmentCount } from './published-rendition.ts';

/**
 * Segments that a playlist may list: the contiguous run from segment 0. Segment n lasts from `boundaryTicks[n]` to
 * `boundaryTicks[n + 1]` in ticks of `timescale`. `isWhole` means that no segment will follow. `longestTicks` also
 * covers segments of the timeline that are not listed yet, so that the target duration of a growing playlist never
 * changes (RFC 8216 section 6.2.1).
 */
export type SegmentRun = {
  timescale: number;
  boundaryTicks: Float64Array;
  sizeBytes: Float64Array;
  isWhole: boolean;
  longestTicks: number;
};

/** Bytes that encryption adds to segments on delivery. */
export type AddedBytes = { eachSegment: number; eachSample: number };

export const NOTHING_ADDED: AddedBytes = { eachSegment: 0, eachSample: 0 };

/** Computes the run of a rendition from its cut list, its chunks and its plan, if any. */
export function computeSegmentRun(rendition: PublishedRendition, added = NOTHING_ADDED): SegmentRun {
  const count = rendition.planned === null ? countStored(rendition) : segmentCount(rendition.planned);
  const boundaryTicks =
    rendition.kind === 'video' ? videoBoundaries(rendition, count) : audioBoundaries(rendition, count);
  const ends = rendition.kind === 'video' && count >= rendition.cutList.startTicks.length;
  const isWhole = count > 0 && (rendition.planned !== null || ends || finishedAt(rendition) === count);
  return {
    timescale: rendition.kind === 'video' ? rendition.cutList.timescale : rendition.timescale,
    boundaryTicks,
    sizeBytes: sizes(rendition, count, added),
    isWhole,
    longestTicks: Math.max(longest(boundaryTicks), isWhole ? 0 : longestToCome(rendition)),
  };
}

/**
 * Returns the EXT-X-TARGETDURATION of all playlists of a multivariant playlist, in seconds: "Each Media Playlist in
 * each Variant Stream MUST have the same target duration" (RFC 8216 section 6.2.4). Includes renditions that are not
 * encoded yet, so that it does not change during the encode.
 */
export function targetDurationSec(renditions: readonly PublishedRendition[]): number {
  const wanted = renditions.filter(({ isActive, state }) => isActive && state !== 'failed');
  return wanted.reduce((longest, rendition) => {
    const { longestTicks, timescale } = computeSegmentRun(rendition);
    return Math.max(longest, Math.round(longestTicks / timescale));
  }, 1);
}

export function runLength(run: SegmentRun): number {
  return run.sizeBytes.length;
}

/** Returns the peak bit rate of a run whose playlist has the given target duration (see `peakOfWindows`). */
export function peakBps({ sizeBytes, boundaryTicks, timescale }: SegmentRun, targetSec: number): number {
  const segments = Array.from(sizeBytes, (bytes, index) => {
    return { bytes, sec: ((boundaryTicks[index + 1] ?? 0) - (boundaryTicks[index] ?? 0)) / timescale };
  });
  return peakOfWindows(segments, targetSec);
}

/** Returns the average bit rate over the whole duration, in bits per second, rounded up. */
export function averageBps(run: SegmentRun): number {
  const bytes = run.sizeBytes.reduce((sum, size) => sum + size, 0);
  const ticks = (run.boundaryTicks.at(-1) ?? 0) - (run.boundaryTicks[0] ?? 0);
  return Math.ceil((bytes * 8 * run.timescale) / ticks);
}

function countStored({ chunks }: PublishedRendition): number {
  let next = 0;
  for (const chunk of chunks) {
    if (chunk.firstSegment !== next) break;
    next += segmentCount(chunk.table);
  }
  return next;
}

function finishedAt({ state, chunks }: PublishedRendition): number | null {
  const last = chunks.at(-1);
  return state === 'finished' && last !== undefined ? last.firstSegment + segmentCount(last.table) : null;
}

function videoBoundaries(rendition: PublishedRendition, count: number): Float64Array {
  const { startTicks, endTicks, timescale } = rendition.cutList;
  if (count > startTicks.length) {
    throw new Error(`Expected at most ${startTicks.length} segments on the cut list, found ${count}.`);
  }
  const boundaries = Float64Array.from({ length: count + 1 }, (_, index) => startTicks[index] ?? endTicks);
  const last = rendition.chunks.at(-1);
  const isEnd = count === startTicks.length || finishedAt(rendition) === count;
  // The end of the timeline is predicted from the source. Use the actual end of the last chunk.
  if (last !== undefined && isEnd && last.firstSegment + segmentCount(last.table) === count) {
    boundaries[count] = Math.round(((last.startTick + last.durationTicks) * timescale) / rendition.timescale);
  }
  return boundaries;
}

function audioBoundaries({ chunks, planned }: PublishedRendition, count: number): Float64Array {
  const boundaries = new Float64Array(count + 1);
  for (let segment = 0; segment < count; segment += 1) {
    const chunk = findChunk(chunks, segment);
    const index = chunk === null ? segment : segment - chunk.firstSegment;
    if (chunk !== null && index === 0) boundaries[segment] = chunk.startTick;
    const table = chunk === null ? planned : chunk.table;
    const ends = chunk !== null && index + 1 === segmentCount(chunk.table);
    boundaries[segment + 1] = ends
      ? chunk.startTick + chunk.durationTicks
      : (boundaries[segment] ?? 0) + (table?.samples[index] ?? 0) * AAC_FRAME_TICKS;
  }
  return boundaries;
}

function sizes(
  { chunks, planned }: PublishedRendition,
  count: number,
  { eachSegment, eachSample }: AddedBytes,
): Float64Array {
  return Float64Array.from({ length: count }, (_, segment) => {
    const chunk = findChunk(chunks, segment);
    const table = chunk === null ? planned : chunk.table;
    if (table === null) return 0;
    const index = segment - (chunk?.firstSegment ?? 0);
    return segmentBytes(table, index) + eachSegment + eachSample * (table.samples[index] ?? 0);
  });
}

function longest(boundaryTicks: Float64Array): number {
  return boundaryTicks.reduce((most, tick, index) => Math.max(most, tick - (boundaryTicks[index - 1] ?? tick)), 0);
}

/** Returns the longest segment of the whole rendition. Audio is cut every 188 frames. */
function longestToCome({ kind, cutList, timescale }: PublishedRendition): number {
  if (kind === 'video') return longestCut(cutList);
  const endTicks = Math.round((cutList.endTicks * timescale) / cutList.timescale);
  return Math.min(endTicks, AAC_SEGMENT_FRAMES * AAC_FRAME_TICKS);
}

function longestCut({ startTicks, endTicks }: CutList): number {
  return startTicks.reduce((most, tick, index) => Math.max(most, (startTicks[index + 1] ?? endTicks) - tick), 0);
}
