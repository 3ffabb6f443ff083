import { toPx, type View } from './view.ts';

/** A part of the video with a name, such as a chapter. Its start equals its end if it is a point. */
export type TimelineItem = { startSec: number; endSec: number; label: string };

/** A drawn item, or several adjacent ones that are too narrow to draw alone. `index` is the index of the first item. */
export type Block = { index: number; count: number; leftPx: number; widthPx: number };

/** Blocks narrower than this are drawn together. */
const NARROW_PX = 5;
/** Blocks end this far beyond the visible part, so that their label starts at its edge. */
const BEYOND_PX = 8;

/** Lays out the visible items. Narrow neighbours become one block, so that the number of blocks is bounded. */
export function layBlocks(items: readonly TimelineItem[], view: View, widthPx: number): Block[] {
  const toSec = view.fromSec + view.spanSec;
  const visible = items
    .map(({ startSec, endSec }, index) => ({ startSec, endSec, index }))
    .filter(({ startSec, endSec }) => endSec >= view.fromSec && startSec <= toSec)
    .sort((first, second) => first.startSec - second.startSec);
  const blocks: Block[] = [];
  for (const { startSec, endSec, index } of visible) {
    const leftPx = Math.max(-BEYOND_PX, toPx(startSec, view, widthPx));
    const rightPx = Math.max(leftPx + 1, Math.min(widthPx + BEYOND_PX, toPx(endSec, view, widthPx)));
    const last = blocks.at(-1);
    const isNarrow = rightPx - leftPx < NARROW_PX;
    const canJoin = last !== undefined && (last.count > 1 || last.widthPx < NARROW_PX);
    if (isNarrow && canJoin && leftPx <= last.leftPx + last.widthPx + 2) {
      last.widthPx = Math.max(last.widthPx, rightPx - last.leftPx);
      last.count += 1;
    } else blocks.push({ index, count: 1, leftPx, widthPx: rightPx - leftPx });
  }
  return blocks;
}

/** Returns the index of the item at a position, or else the nearest within the tolerance. Null if there is none. */
export function findItemAt(items: readonly TimelineItem[], sec: number, toleranceSec: number): number | null {
  let found: number | null = null;
  let least = toleranceSec;
  items.forEach(({ startSec, endSec }, index) => {
    const distance = Math.max(0, startSec - sec, sec - endSec);
    // If two items are adjacent, the later one starts here.
    if (distance <= least) [found, least] = [index, distance];
  });
  return found;
}

/** Returns the index of the item before (-1) or after (1) a position. Null if there is none. */
export function findNeighbour(items: readonly TimelineItem[], sec: number, direction: -1 | 1): number | null {
  let found: number | null = null;
  items.forEach(({ startSec }, index) => {
    const ahead = (startSec - sec) * direction;
    const best = found === null ? Number.POSITIVE_INFINITY : ((items[found]?.startSec ?? 0) - sec) * direction;
    if (ahead > 0.0005 && ahead < best) found = index;
  });
  return found;
}
