import type { Mp4Index } from './mp4-index.ts';

/**
 * Maps the track's times to the timeline, in ticks of the track. Every frame is shown at its media time plus
 * `shiftTicks`, except the first frame, which is shown at 0. If the video starts late, its first frame is extended
 * (`holdTicks`). If the edit list trims less than one frame, that frame is shortened (`clippedTicks`).
 */
export type Timeline = { shiftTicks: number; holdTicks: number; clippedTicks: number; endTicks: number };

/** Stable, machine-readable reason why a track's times cannot be copied. */
export type TimelineFault = 'several-edits' | 'edit-inside-gop' | 'edit-before-end' | 'picture-times';

export type TimelineAnswer =
  | { kind: 'timeline'; timeline: Timeline }
  | { kind: 'refused'; reason: TimelineFault; message: string };

/** Maximum duration of a frame, in seconds. */
export const MAX_PICTURE_SEC = 30;

// Number of frames to examine at each end of the file to find the earliest and the latest frame. H.264 reorders at most
// 16 frames (section A.3.1).
const REORDER_PICTURES = 64;

/**
 * Derives the timeline from the edit list, which may have one non-empty edit that begins at (or within) the first frame
 * and ends after the last. Returns `refused` for edits that start within a GOP, because players drop the whole GOP, and
 * edits that cut frames off the end, because an encoder would not output them.
 */
export function readTimeline(index: Mp4Index): TimelineAnswer {
  const { edits, mediaTicks } = index;
  if (edits.kind === 'complex') return refuse('several-edits', 'The edit list has more than one entry.');
  const shiftTicks = edits.emptyTicks - edits.startTicks;
  const firstTick = (mediaTicks[0] ?? 0) + shiftTicks;
  const holdTicks = Math.max(0, firstTick);
  const clippedTicks = Math.max(0, -firstTick);
  if (clippedTicks > 0 && clippedTicks >= firstPictureTicks(index)) {
    return refuse('edit-inside-gop', `The edit list starts ${clippedTicks} ticks after the first frame.`);
  }
  const { last, before } = latestTicks(mediaTicks);
  const endOfEdit = edits.lengthTicks === null ? Number.POSITIVE_INFINITY : edits.emptyTicks + edits.lengthTicks;
  if (last + shiftTicks >= endOfEdit) {
    return refuse(
      'edit-before-end',
      `The edit list ends at ${endOfEdit}, but the last frame is at ${last + shiftTicks}.`,
    );
  }
  const lastTicks = lastPictureTicks(index, last - before);
  if (lastTicks === null) return refuse('picture-times', 'The duration of the last frame is unknown.');
  return {
    kind: 'timeline',
    timeline: { shiftTicks, holdTicks, clippedTicks, endTicks: last + shiftTicks + lastTicks },
  };
}

/** Returns the presentation time of a sample, in ticks of the timeline. */
export function pictureTick(index: Mp4Index, shiftTicks: number, sample: number): number {
  return sample === 0 ? 0 : (index.mediaTicks[sample] ?? 0) + shiftTicks;
}

/** Returns the presentation times of samples `from` (inclusive) to `to` (exclusive), sorted. */
export function sortedTicks(index: Mp4Index, shiftTicks: number, [from, to]: readonly [number, number]): Float64Array {
  const ticks = index.mediaTicks.slice(from, to);
  for (let position = 0; position < ticks.length; position += 1) ticks[position] = (ticks[position] ?? 0) + shiftTicks;
  if (from === 0) ticks[0] = 0;
  return ticks.sort();
}

function firstPictureTicks(index: Mp4Index): number {
  const first = index.mediaTicks[0] ?? 0;
  let next = Number.POSITIVE_INFINITY;
  for (const tick of index.mediaTicks.subarray(1, REORDER_PICTURES)) if (tick > first) next = Math.min(next, tick);
  return next === Number.POSITIVE_INFINITY ? index.lastDurationTicks : next - first;
}

function latestTicks(mediaTicks: Float64Array): { last: number; before: number } {
  const [before, last] = mediaTicks.slice(-REORDER_PICTURES).sort().slice(-2);
  return last === undefined ? { last: before ?? 0, before: before ?? 0 } : { last, before: before ?? 0 };
}

// Returns the duration of the last frame. If writers do not know the duration, they write 0 or an unrelated value.
function lastPictureTicks(index: Mp4Index, previousTicks: number): number | null {
  const longest = MAX_PICTURE_SEC * index.timescale;
  if (index.lastDurationTicks > 0 && index.lastDurationTicks <= longest) return index.lastDurationTicks;
  return previousTicks > 0 ? previousTicks : null;
}

function refuse(reason: TimelineFault, message: string): TimelineAnswer {
  return { kind: 'refused', reason, message };
}
