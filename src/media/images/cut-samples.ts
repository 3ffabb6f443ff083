import type { Sample } from '../cmaf/fragment.ts';
import type { ChunkIndex } from '../cmaf/idx.ts';
import { TRACK_ID } from '../cmaf/init-segment.ts';
import { writeFragmentHead } from '../cmaf/write-fragment.ts';

/** Ticks `fromTick` up to, not including, `toTick`. */
export type Stretch = { fromTick: number; toTick: number };

/**
 * Samples of one fragment that lie one behind the other: `head` is the moof and mdat header to put before bytes
 * `startByte` to `endByte`, both included, of the chunk object. With the rendition's init
 * segment before them, they are shown `LEAD_SEC` later than in the rendition.
 */
export type SampleRun = { head: Buffer; startByte: number; endByte: number };

/** All that decoding stretches of a chunk takes, and when their frames are shown, in order of time. */
export type CutSamples = { runs: readonly SampleRun[]; ticks: readonly number[] };

/** `compositionOffsetTicks` is raised by lead and presentation delay, `shownTick` is not. */
type Placed = Sample & { fragment: number; startByte: number; decodeTick: number; shownTick: number };

/**
 * ffmpeg moves frames by the most negative composition offset that it has seen so far. Every offset is raised by
 * this, longer than any reordering takes, so none is negative and all move alike.
 */
export const LEAD_SEC = 60;

const MAX_SEQUENCE = 0xffffffff;

/**
 * Cuts out of a chunk what decoding the frames of stretches takes: from the keyframe before each on, nothing behind
 * its last frame. The frame that is shown at a stretch's start is always among them; what lies outside the chunk
 * is not. `ticks` lists the requested frames alone. `delayTicks` is the presentation delay of the init segment.
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

/** Samples one behind the other make a run; between two fragments lies a moof, so each begins a new one. */
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
  // A run is never empty.
  const [first, last] = [samples[0] as Placed, samples.at(-1) as Placed];
  // Any number that rises with time serves as a sequence.
  const sequence = (first.decodeTick % MAX_SEQUENCE) + 1;
  const head = writeFragmentHead({ sequence, baseTick: first.decodeTick, trackId: TRACK_ID, samples });
  return { head, startByte: first.startByte, endByte: last.startByte + last.sizeBytes - 1 };
}
