import { open } from 'node:fs/promises';
import type { Segment } from '../../media/cmaf/segment.ts';
import type { CutHead } from '../../media/pass-through/cut-head.ts';
import { fillDamagedSamples } from '../../media/pass-through/damaged-samples.ts';
import type { Mp4Index } from '../../media/pass-through/mp4-index.ts';
import {
  type PassThroughAnswer,
  type PassThroughPlan,
  planPassThrough,
} from '../../media/pass-through/plan-pass-through.ts';
import { readCutHeads } from '../../media/pass-through/read-cut-heads.ts';
import { type RangeSource, readExactly, readMp4Index } from '../../media/pass-through/read-mp4-index.ts';
import { sortedTicks } from '../../media/pass-through/timeline.ts';
import { buildSegment, type PassThroughSegment } from '../../media/pass-through/write-segment.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { ChunkRange } from '../../media/timeline/chunk-plan.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { SourceCache } from './source-cache.ts';

/** A source file opened for range reads. */
export type OpenFile = RangeSource & { close(): Promise<void> };

/** An open original, and its path for tools such as ffmpeg. */
export type OpenSource = OpenFile & { path: string };

/**
 * Index of an MP4, and findings about each sample at which a segment could begin. A pass-through plan needs both, in
 * addition to the result of the probe.
 */
export type IndexedSource = { index: Mp4Index; heads: readonly CutHead[] };

export async function openRanges(path: string): Promise<OpenFile> {
  const file = await open(path);
  const { size } = await file.stat();
  return {
    sizeBytes: size,
    readRange: async (offset, length) => {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}

/** Opens an original for range reads. Closing the file also releases the original in the cache. */
export async function openSource(sources: SourceCache, key: StorageKey, signal: AbortSignal): Promise<OpenSource> {
  const local = await sources.open(key, signal);
  try {
    const file = await openRanges(local.path);
    return { ...file, path: local.path, close: () => file.close().finally(local.release) };
  } catch (error) {
    await local.release();
    throw error;
  }
}

/** Indexes a source. Returns null if it is not an MP4 suitable for pass-through. Rethrows read errors. */
export async function indexSource(file: RangeSource, signal: AbortSignal): Promise<IndexedSource | null> {
  const answer = await readMp4Index(file, signal);
  if (answer.kind === 'refused') return null;
  return { index: answer.index, heads: await readCutHeads(answer.index, file, signal) };
}

/**
 * Plans the pass-through of a file again. Throws if the result differs from the plan that was made when the video was
 * created.
 */
export async function replanPassThrough(
  file: RangeSource,
  facts: SourceFacts,
  signal: AbortSignal,
): Promise<{ index: Mp4Index; plan: PassThroughPlan }> {
  const indexed = await indexSource(file, signal);
  const answer: PassThroughAnswer | null =
    indexed === null ? null : planPassThrough(indexed.index, facts, indexed.heads, Number.POSITIVE_INFINITY);
  if (indexed === null || answer === null || answer.kind === 'refused') {
    const received = answer?.kind === 'refused' ? answer.message : 'no index';
    throw new Error(`The source cannot be passed through any more: ${received}`);
  }
  return { index: indexed.index, plan: answer.plan };
}

/**
 * Reads a segment of a pass-through rendition with its payload, and replaces damaged samples (`fillDamagedSamples`).
 */
export async function readSegment(
  file: RangeSource,
  { index, plan }: { index: Mp4Index; plan: PassThroughPlan },
  segmentNumber: number,
): Promise<Segment> {
  const built = buildSegment(index, plan, segmentNumber);
  const payloads: Buffer[] = [];
  for (const { runs } of built.fragments) {
    const read = await Promise.all(runs.map((run) => readExactly(file.readRange, run.offset, run.length)));
    const [only] = read;
    payloads.push(only !== undefined && read.length === 1 ? only : Buffer.concat(read));
  }
  const [payload] = payloads;
  const damaged =
    payload === undefined || payloads.length > 1
      ? []
      : fillDamagedSamples(
          payload,
          built.samples.map(({ sizeBytes }) => sizeBytes),
          index.description,
        );
  const shown = damaged.length === 0 ? built : buildSegment(index, plan, segmentNumber, damaged);
  return toSegment(shown, plan.cutList.timescale, payloads);
}

function toSegment(built: PassThroughSegment, timescale: number, payloads: readonly Buffer[]): Segment {
  let firstSample = 0;
  let baseTick = built.baseTick;
  const fragments: Segment['fragments'][number][] = [];
  for (const [index, { prefix }] of built.fragments.entries()) {
    const count = built.fragmentEntries[index]?.samples ?? 0;
    const samples = built.samples.slice(firstSample, firstSample + count);
    fragments.push({ head: prefix, payload: payloads[index] ?? Buffer.alloc(0), baseTick, samples });
    firstSample += count;
    baseTick += samples.reduce((sum, sample) => sum + sample.durationTicks, 0);
  }
  const { segmentNumber: number, durationTicks } = built;
  return { number, timescale, startTick: built.baseTick, durationTicks, fragments };
}

/** Returns the ascending display times of all frames of segments [from, to), in ticks of the plan's cut list. */
function pictureTicks(index: Mp4Index, plan: PassThroughPlan, from: number, to: number): number[] {
  return plan.segments
    .slice(from, to)
    .flatMap(({ firstSample, endSample }) => [...sortedTicks(index, plan.shiftTicks, [firstSample, endSample])]);
}

/**
 * Returns the times that the encoded frames of a range must have if the timeline uses the source's own time grid.
 * Returns null for a frame grid.
 */
export async function readPictureTicks(
  path: string,
  { facts, cutList }: { facts: SourceFacts; cutList: CutList },
  { fromSegment, toSegment }: ChunkRange,
  signal: AbortSignal,
): Promise<number[] | null> {
  if (cutList.grid.kind === 'frames') return null;
  const file = await openRanges(path);
  try {
    const { index, plan } = await replanPassThrough(file, facts, signal);
    return pictureTicks(index, plan, fromSegment, toSegment);
  } finally {
    await file.close();
  }
}
