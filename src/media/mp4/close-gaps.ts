import type { ChunkIndex } from '../cmaf/idx.ts';

/** Maximum gap or overlap of two chunks, in seconds. Larger ones mean that a chunk is missing or damaged. */
const MAX_STEP_SEC = 1;

/**
 * Returns the indexes with small gaps and overlaps closed by the durations of the samples before them. The segments of
 * a recording have these where an encoder reconnected, because each track continues at its own time. The sample tables
 * of an MP4 file have durations only (ISO 14496-12 section 8.6.1.2). Leaves steps of more than a second unchanged.
 */
export function closeGaps(indexes: readonly ChunkIndex[]): ChunkIndex[] {
  return indexes.map((index, number) => {
    const next = indexes[number + 1];
    if (next === undefined) return index;
    const stepTicks = next.startTick - index.startTick - index.durationTicks;
    const isSmall = Math.abs(stepTicks) <= MAX_STEP_SEC * index.timescale && index.durationTicks + stepTicks > 0;
    if (stepTicks === 0 || !isSmall) return index;
    const sampleDurationsTicks = index.sampleDurationsTicks.slice();
    addToEnd(sampleDurationsTicks, stepTicks);
    return { ...index, durationTicks: index.durationTicks + stepTicks, sampleDurationsTicks };
  });
}

/** Extends the last sample, or shortens as many of the last samples as an overlap covers. */
function addToEnd(durationsTicks: Uint32Array, stepTicks: number): void {
  let restTicks = stepTicks;
  for (let sample = durationsTicks.length - 1; sample >= 0 && restTicks !== 0; sample -= 1) {
    const ticks = durationsTicks[sample] ?? 0;
    const changed = Math.max(0, ticks + restTicks);
    durationsTicks[sample] = changed;
    restTicks -= changed - ticks;
  }
}
