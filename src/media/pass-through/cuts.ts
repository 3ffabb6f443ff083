import type { Mp4Index } from './mp4-index.ts';
import { pictureTick, readTimeline, type Timeline } from './timeline.ts';

const SHORTEST_SEGMENT_SEC = 2;
const SHORTEST_LAST_SEGMENT_SEC = 1;
// 27 hours at the shortest segment: each cut costs a read of the file.
const MAX_CUTS = 50_000;
/**
 * More sync samples than this are those of a file in which nearly every picture is one: their heads are not all read.
 */
const MOST_READ_SYNC_SAMPLES = 20_000;

/**
 * Chooses the samples at which segments begin: the first, then each sync sample at least 2 s after the one
 * chosen before; a last segment under 1 s joins the one before. Empty when the track cannot be cut at all:
 * its edits forbid it, its first sample is no sync sample, or it would need more than 50,000 segments.
 */
export function cutSamples(index: Mp4Index): number[] {
  const answer = readTimeline(index);
  return answer.kind === 'timeline' ? chooseCuts(index, answer.timeline) : [];
}

/**
 * The samples whose heads are read before a copy: the cuts, and the sync samples between them, at which a picture of
 * another size may begin. In rising order.
 */
export function headSamples(index: Mp4Index): number[] {
  const cuts = cutSamples(index);
  return cuts.length === 0 || index.syncSamples.length > MOST_READ_SYNC_SAMPLES ? cuts : [...index.syncSamples];
}

/** As `cutSamples`, for a timeline already known. */
export function chooseCuts(index: Mp4Index, { shiftTicks, endTicks }: Timeline): number[] {
  if (index.syncSamples[0] !== 0) return [];
  const cuts = [0];
  let lastTick = 0;
  for (const sample of index.syncSamples) {
    const tick = pictureTick(index, shiftTicks, sample);
    if (tick - lastTick < SHORTEST_SEGMENT_SEC * index.timescale) continue;
    if (cuts.length === MAX_CUTS) return [];
    cuts.push(sample);
    lastTick = tick;
  }
  if (cuts.length > 1 && endTicks - lastTick < SHORTEST_LAST_SEGMENT_SEC * index.timescale) cuts.pop();
  return cuts;
}
