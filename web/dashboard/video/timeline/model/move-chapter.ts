import { limitTimes } from './limit-times.ts';
import type { Edge, Times } from './track.ts';

/** Chapters start and end at whole seconds. */
const UNIT_SEC = 1;

/**
 * Moves a chapter on the timeline. It ends before the next chapter and starts after the previous one. A neighbour that
 * ends or starts where the moved edge was follows it, so that no gap opens between them.
 */
export function moveChapter<T extends { start: number; end: number }>(
  chapters: readonly T[],
  index: number,
  { to, edge, lengthSec }: { to: Times; edge: Edge; lengthSec: number },
): T[] {
  const moved = chapters[index];
  if (moved === undefined) return [...chapters];
  const before = chapters[index - 1];
  const after = chapters[index + 1];
  const followsStart = edge !== 'both' && before?.end === moved.start;
  const followsEnd = edge !== 'both' && after?.start === moved.end;
  const { startSec: start, endSec: end } = limitTimes(to, edge, {
    firstSec: before === undefined ? 0 : followsStart ? before.start + UNIT_SEC : before.end,
    lastSec: after === undefined ? Math.ceil(lengthSec) : followsEnd ? after.end - UNIT_SEC : after.start,
    minSec: UNIT_SEC,
    unitSec: UNIT_SEC,
  });
  return chapters.map((one, at) => {
    if (at === index) return { ...one, start, end };
    if (at === index - 1 && followsStart) return { ...one, end: start };
    return at === index + 1 && followsEnd ? { ...one, start: end } : one;
  });
}
