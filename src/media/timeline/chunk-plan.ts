import { type CutList, segmentStartTicks } from './cut-list.ts';

/** Segments `fromSegment` up to, not including, `toSegment`: one object, one encode job. */
export type ChunkRange = { fromSegment: number; toSegment: number };

const FIRST_SEC = 8;
const NEXT_SEC = 32;
/** What is at least twice as long is shared by two encoders: a short video is finished in half the time. */
const SHARE_SEC = 10;
/** Of a longer video what is left in the end goes to so many encoders, in pieces of `SHARE_SEC` and more. */
const LAST_SHARES = 3;
/** 24000/1001 makes a segment of 4.004 s: eight of them are still one object. */
const TOLERANCE = 1.05;

/**
 * Groups the segments of a timeline into objects: a first one of about 8 s, so that playing starts early, then
 * even ones of up to 32 s. Every object holds at least one segment, however long that is.
 */
export function planChunks(cutList: CutList): ChunkRange[] {
  const limitTicks = FIRST_SEC * TOLERANCE * cutList.timescale;
  let toSegment = 1;
  while (toSegment < cutList.startTicks.length && segmentStartTicks(cutList, toSegment + 1) <= limitTicks) {
    toSegment += 1;
  }
  return [{ fromSegment: 0, toSegment }, ...planEvenChunks(cutList, toSegment)];
}

/**
 * Groups the segments from one on into as few objects of up to 32 s as possible, but two where there are 20 s, all
 * about as long: a short one at the end would leave workers idle that encode the others.
 */
export function planEvenChunks(cutList: CutList, firstSegment: number): ChunkRange[] {
  return groupSegments(cutList, firstSegment, 1);
}

/**
 * As `planEvenChunks`, but of three and more the last 64 s become smaller ones, so that encoders end together: while
 * one makes the last, the others have nothing to do.
 */
export function planShrinkingChunks(cutList: CutList, firstSegment: number): ChunkRange[] {
  const leftTicks = cutList.endTicks - segmentStartTicks(cutList, Math.min(firstSegment, cutList.startTicks.length));
  const isLong = leftTicks > 2 * NEXT_SEC * TOLERANCE * cutList.timescale;
  return groupSegments(cutList, firstSegment, isLong ? LAST_SHARES : 1);
}

/** `lastShares`: what is left is shared by so many, where it is long enough. */
function groupSegments(cutList: CutList, firstSegment: number, lastShares: number): ChunkRange[] {
  const chunks: ChunkRange[] = [];
  const segments = cutList.startTicks.length;
  const limitTicks = NEXT_SEC * TOLERANCE * cutList.timescale;
  for (let fromSegment = firstSegment; fromSegment < segments; ) {
    const startTicks = segmentStartTicks(cutList, fromSegment);
    const leftTicks = cutList.endTicks - startTicks;
    const most = Math.max(lastShares, fromSegment === firstSegment ? 2 : 1);
    const shares = Math.min(most, Math.floor(leftTicks / cutList.timescale / SHARE_SEC));
    const pieces = Math.max(1, shares, Math.ceil(leftTicks / limitTicks));
    const goalTicks = startTicks + leftTicks / pieces;
    let toSegment = fromSegment + 1;
    while (toSegment < segments) {
      const [from, to] = [segmentStartTicks(cutList, toSegment), segmentStartTicks(cutList, toSegment + 1)];
      if ((from + to) / 2 >= goalTicks || to - startTicks > limitTicks) break;
      toSegment += 1;
    }
    chunks.push({ fromSegment, toSegment });
    fromSegment = toSegment;
  }
  return chunks;
}

/** The segments of a range that are not among the stored ones, in order, neighbours together. */
export function missingRanges({ fromSegment, toSegment }: ChunkRange, stored: ReadonlySet<number>): ChunkRange[] {
  const ranges: ChunkRange[] = [];
  for (let segment = fromSegment; segment < toSegment; segment += 1) {
    if (stored.has(segment)) continue;
    const last = ranges.at(-1);
    if (last?.toSegment === segment) last.toSegment = segment + 1;
    else ranges.push({ fromSegment: segment, toSegment: segment + 1 });
  }
  return ranges;
}
