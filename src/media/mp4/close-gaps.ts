import type { ChunkIndex } from '../cmaf/idx.ts';

/** Maximum gap between two chunks, in seconds. A larger one means that a chunk is missing or damaged. */
const MAX_GAP_SEC = 1;

/**
 * Returns the indexes with small gaps and overlaps closed by the duration of the sample before them. The segments of a
 * recording have these where an encoder reconnected, because each track continues at its own time. The sample tables of
 * an MP4 file have durations only (ISO 14496-12 section 8.6.1.2). Leaves gaps of more than a second and overlaps of a
 * whole sample unchanged.
 */
export function closeGaps(indexes: readonly ChunkIndex[]): ChunkIndex[] {
  return indexes.map((index, number) => {
    const next = indexes[number + 1];
    const lastTicks = index.sampleDurationsTicks.at(-1);
    if (next === undefined || lastTicks === undefined) return index;
    const stepTicks = next.startTick - index.startTick - index.durationTicks;
    const isSmall = stepTicks <= MAX_GAP_SEC * index.timescale && lastTicks + stepTicks > 0;
    if (stepTicks === 0 || !isSmall) return index;
    const sampleDurationsTicks = index.sampleDurationsTicks.slice();
    sampleDurationsTicks[sampleDurationsTicks.length - 1] = lastTicks + stepTicks;
    return { ...index, durationTicks: index.durationTicks + stepTicks, sampleDurationsTicks };
  });
}
