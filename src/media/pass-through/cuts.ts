import type { Mp4Index } from './mp4-index.ts';
import { pictureTick, readTimeline, type Timeline } from './timeline.ts';

const MIN_SEGMENT_SEC = 2;
const MIN_LAST_SEGMENT_SEC = 1;
// Maximum number of cuts, because each requires a read of the file. It suffices for 27 hours of segments of the minimum
// length.
const MAX_CUTS = 50_000;
/**
 * Maximum number of sync samples for which all headers are read. If there are more, nearly every frame of the file is a
 * sync sample.
 */
const MAX_READ_SYNC_SAMPLES = 20_000;

/**
 * Chooses the samples at which segments begin: the first, then each sync sample at least 2 s after the previously
 * chosen one. A last segment shorter than 1 s is merged with the previous one. Returns an empty list if the track
 * cannot be cut: its edits forbid it, its first sample is not a sync sample, or it would need more than 50,000
 * segments.
 */
export function cutSamples(index: Mp4Index): number[] {
  const answer = readTimeline(index);
  return answer.kind === 'timeline' ? chooseCuts(index, answer.timeline) : [];
}

/**
 * Returns the samples whose headers are read before a copy, in ascending order: the cuts, and the sync samples between
 * them, at which the frame size may change.
 */
export function headSamples(index: Mp4Index): number[] {
  const cuts = cutSamples(index);
  return cuts.length === 0 || index.syncSamples.length > MAX_READ_SYNC_SAMPLES ? cuts : [...index.syncSamples];
}

/** Like `cutSamples`, for a given timeline. */
export function chooseCuts(index: Mp4Index, { shiftTicks, endTicks }: Timeline): number[] {
  if (index.syncSamples[0] !== 0) return [];
  const cuts = [0];
  let lastTick = 0;
  for (const sample of index.syncSamples) {
    const tick = pictureTick(index, shiftTicks, sample);
    if (tick - lastTick < MIN_SEGMENT_SEC * index.timescale) continue;
    if (cuts.length === MAX_CUTS) return [];
    cuts.push(sample);
    lastTick = tick;
  }
  if (cuts.length > 1 && endTicks - lastTick < MIN_LAST_SEGMENT_SEC * index.timescale) cuts.pop();
  return cuts;
}
