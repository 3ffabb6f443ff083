import type { ChunkIndex } from '../cmaf/idx.ts';

/** Maximum gap or overlap of two chunks, in seconds. Larger ones mean that a chunk is missing or damaged. */
const MAX_STEP_SEC = 1;

/**
 * Returns the indexes with small gaps and overlaps closed by the duration of the sample before them. The segments of a
 * recording have these where an encoder reconnected, because each track continues at its own time. The sample tables of
 * an MP4 file have durations only (ISO 14496-12 section 8.6.1.2). Leaves steps of more than a second unchanged.
 */
export function closeGaps(indexes: readonly ChunkIndex[]): ChunkIndex[] {
  return indexes.map((index, number) => {
    const next = indexes[number + 1];
    const lastTicks = index.sampleDurationsTicks.at(-1);
    if (next === undefined || lastTicks === undefined) return index;
    const stepTicks = next.startTick - index.startTick - index.durationTicks;
    const isSmall = Math.abs(stepTicks) <= MAX_STEP_SEC * index.timescale && lastTicks + stepTicks > 0;
    if (stepTicks === 0 || !isSmall) return index;
    const sampleDurationsTicks = index.sampleDurationsTicks.slice();
    sampleDurationsTicks[sampleDurationsTicks.length - 1] = lastTicks + stepTicks;
    return { ...index, durationTicks: index.durationTicks + stepTicks, sampleDurationsTicks };
  });
}
