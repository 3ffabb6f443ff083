import { BrokenMedia } from '../bmff/broken-media.ts';
import type { ChunkIndex } from '../cmaf/idx.ts';

/** Counters that determine the size of a track's tables. Times are in ticks of the track's timescale. */
export type TrackCounters = {
  startTick: number;
  durationTicks: number;
  samples: number;
  syncCount: number;
  fragments: number;
  payloadBytes: number;
  /** Number of stts entries: runs of equal durations over the whole track. */
  durationRuns: number;
  /** Number of ctts entries: runs of equal offsets, each within a chunk. 0 if all offsets are 0. */
  offsetRuns: number;
};

/**
 * Times of a track that are derived from its samples. `shiftTicks` raises the lowest composition offset to 0 (ctts
 * version 0). `mediaTimeTicks` is the resulting media time of the first presented sample.
 */
export type TrackTimes = { shiftTicks: number; mediaTimeTicks: number };

/**
 * Computes the counters of a track from its indexes, one chunk per step. Throws BrokenMedia for gaps, a wrong timescale
 * and empty fragments.
 */
export function* countIndexes(
  indexes: readonly ChunkIndex[],
  timescale: number,
): Generator<void, { counters: TrackCounters; times: TrackTimes }> {
  const counters = emptyCounters(indexes[0]);
  let lowestOffset = 0;
  let lastDuration = -1;
  for (const index of indexes) {
    checkChunk(index, counters, timescale);
    counters.durationTicks += index.durationTicks;
    counters.samples += index.syncs.length;
    counters.syncCount += countSyncs(index.syncs);
    counters.fragments += index.fragments.length;
    for (const { payloadBytes } of index.fragments) counters.payloadBytes += payloadBytes;
    counters.durationRuns += countRuns(index.sampleDurationsTicks, lastDuration);
    counters.offsetRuns += index.ctsRuns || 1;
    lastDuration = index.sampleDurationsTicks.at(-1) ?? lastDuration;
    if (index.ctsRuns > 0) lowestOffset = Math.min(lowestOffset, findLowest(index.compositionOffsetsTicks));
    yield;
  }
  if (indexes.every((index) => index.ctsRuns === 0)) counters.offsetRuns = 0;
  const shiftTicks = -lowestOffset;
  return { counters, times: { shiftTicks, mediaTimeTicks: shiftTicks + firstPresentation(indexes[0]) } };
}

function emptyCounters(first: { startTick: number } | undefined): TrackCounters {
  if (first === undefined) throw new Error('Expected at least one chunk in a track, got none.');
  const none = { durationTicks: 0, samples: 0, syncCount: 0, fragments: 0, payloadBytes: 0 };
  return { startTick: first.startTick, ...none, durationRuns: 0, offsetRuns: 0 };
}

function checkChunk(index: ChunkIndex, before: TrackCounters, timescale: number): void {
  checkContinuous(index.startTick, before);
  if (index.timescale !== timescale) {
    throw new BrokenMedia(`Expected chunks of timescale ${timescale}, as in the init segment, got ${index.timescale}.`);
  }
  if (index.fragments.some((fragment) => fragment.samples === 0)) {
    throw new BrokenMedia(`Expected samples in every fragment, got none in one of the chunk at ${index.startTick}.`);
  }
}

function checkContinuous(startTick: number, before: TrackCounters): void {
  const expected = before.startTick + before.durationTicks;
  if (startTick !== expected) throw new BrokenMedia(`Expected the next chunk at tick ${expected}, got ${startTick}.`);
}

// Index loops are used here because `for of` over a typed array is several times slower, and these loops run over every
// sample.

function countSyncs(syncs: Uint8Array): number {
  let count = 0;
  for (let sample = 0; sample < syncs.length; sample += 1) count += syncs[sample] ?? 0;
  return count;
}

function countRuns(durations: Uint32Array, before: number): number {
  let runs = 0;
  let last = before;
  for (let sample = 0; sample < durations.length; sample += 1) {
    const ticks = durations[sample] ?? 0;
    if (ticks !== last) runs += 1;
    last = ticks;
  }
  return runs;
}

function findLowest(offsets: Int32Array): number {
  let lowest = 0;
  for (let sample = 0; sample < offsets.length; sample += 1) lowest = Math.min(lowest, offsets[sample] ?? 0);
  return lowest;
}

/**
 * Returns the ticks from the first decode time of a track to its first presented frame. It is 0 for chunks written by
 * this project.
 */
function firstPresentation(index: ChunkIndex | undefined): number {
  if (index === undefined) return 0;
  let earliest = Number.POSITIVE_INFINITY;
  let decodeTicks = 0;
  index.compositionOffsetsTicks.forEach((offset, sample) => {
    earliest = Math.min(earliest, decodeTicks + offset);
    decodeTicks += index.sampleDurationsTicks[sample] ?? 0;
  });
  return Number.isFinite(earliest) ? earliest : 0;
}
