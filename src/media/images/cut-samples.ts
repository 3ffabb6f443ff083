import type { Sample } from '../cmaf/fragment.ts';
import type { ChunkIndex } from '../cmaf/idx.ts';
import { TRACK_ID } from '../cmaf/init-segment.ts';
import { writeFragmentHead } from '../cmaf/write-fragment.ts';

/** A time range from `fromTick` (inclusive) to `toTick` (exclusive). */
export type Stretch = { fromTick: number; toTick: number };

/**
 * Consecutive samples of one fragment. `head` is the moof and mdat header to put before bytes `startByte` to `endByte`
 * (both inclusive) of the chunk object. After the rendition's init segment, the samples are shown `LEAD_SEC` later than
 * in the rendition.
 */
export type SampleRun = { head: Buffer; startByte: number; endByte: number };

/** Samples needed to decode time ranges of a chunk, and the presentation times of the requested frames, in order. */
export type CutSamples = { runs: readonly SampleRun[]; ticks: readonly number[] };

/** `compositionOffsetTicks` includes the lead and the presentation delay. `shownTick` does not. */
type Placed = Sample & { fragment: number; startByte: number; decodeTick: number; shownTick: number };

/**
 * Seconds added to every composition offset. ffmpeg shifts frames by the most negative composition offset so far. This
 * value exceeds any reordering, so no offset is negative and all frames shift equally.
 */
export const LEAD_SEC = 60;

const MAX_SEQUENCE = 0xffffffff;

/**
 * Returns the samples of a chunk needed to decode the frames of time ranges: from the keyframe before each range to its
 * last frame. Always includes the frame shown at the start of a range, but nothing outside the chunk. `ticks` lists
 * only the requested frames. `delayTicks` is the presentation delay of the init segment.
 */
export function cutSamples(index: ChunkIndex, stretches: readonly Stretch[], delayTicks: number): CutSamples {
  const samples = placeSamples(index, delayTicks + LEAD_SEC * index.timescale);
  const shown = samples.map(({ shownTick }) => shownTick).sort((a, b) => a - b);
  const needed = new Set<Placed>();
  const ticks = new Set<number>();
  for (const { fromTick, toTick } of stretches) {
    const first = shown.findLast((tick) => tick <= fromTick) ?? shown[0] ?? index.startTick;
    const isWanted = (tick: number) => tick === first || (tick > first && tick < toTick);
    const from = samples.findLastIndex(({ isSync, shownTick }) => isSync && shownTick <= first);
    const to = samples.findLastIndex(({ shownTick }) => isWanted(shownTick));
    for (const sample of samples.slice(Math.max(0, from), to + 1)) needed.add(sample);
    for (const tick of shown.filter(isWanted)) ticks.add(tick);
  }
  return { runs: groupRuns(samples, needed), ticks: [...ticks].sort((a, b) => a - b) };
}

function placeSamples(index: ChunkIndex, laterTicks: number): Placed[] {
  const placed: Placed[] = [];
  let [decodeTick, byte] = [index.startTick, 0];
  for (const [fragment, { samples, prefixBytes }] of index.fragments.entries()) {
    byte += prefixBytes;
    for (const end = placed.length + samples; placed.length < end; ) {
      const at = placed.length;
      const sizeBytes = index.sampleSizesBytes[at] ?? 0;
      const durationTicks = index.sampleDurationsTicks[at] ?? 0;
      const shownTick = decodeTick + (index.compositionOffsetsTicks[at] ?? 0);
      const compositionOffsetTicks = shownTick - decodeTick + laterTicks;
      const isSync = index.syncs[at] === 1;
      const sample = { sizeBytes, durationTicks, compositionOffsetTicks, isSync, decodeTick };
      placed.push({ ...sample, fragment, startByte: byte, shownTick });
      byte += sizeBytes;
      decodeTick += durationTicks;
    }
  }
  return placed;
}

/** Groups consecutive samples into runs. There is a moof between two fragments, so each fragment starts a new run. */
function groupRuns(samples: readonly Placed[], needed: ReadonlySet<Placed>): SampleRun[] {
  const runs: Placed[][] = [];
  let before: Placed | null = null;
  for (const sample of samples) {
    if (needed.has(sample)) {
      if (before?.fragment === sample.fragment) runs.at(-1)?.push(sample);
      else runs.push([sample]);
    }
    before = needed.has(sample) ? sample : null;
  }
  return runs.map(toRun);
}

function toRun(samples: readonly Placed[]): SampleRun {
  // Runs are never empty.
  const [first, last] = [samples[0] as Placed, samples.at(-1) as Placed];
  // Any number that increases with time is a valid sequence number.
  const sequence = (first.decodeTick % MAX_SEQUENCE) + 1;
  const head = writeFragmentHead({ sequence, baseTick: first.decodeTick, trackId: TRACK_ID, samples });
  return { head, startByte: first.startByte, endByte: last.startByte + last.sizeBytes - 1 };
}
