import { type CutList, segmentStartTicks } from './cut-list.ts';

/** Segments `fromSegment` (inclusive) to `toSegment` (exclusive), which form one object and one encode job. */
export type ChunkRange = { fromSegment: number; toSegment: number };

const FIRST_SEC = 8;
const NEXT_SEC = 32;
/**
 * Minimum duration that one encoder gets, in seconds. Video of at least twice this duration is divided between two
 * encoders, so that a short video is finished in half the time.
 */
const SHARE_SEC = 10;
/** Number of encoders between which the end of a longer video is divided, in chunks of at least `SHARE_SEC`. */
const LAST_SHARES = 3;
/**
 * Tolerance factor of the maximum length. At 24000/1001 fps, segments last 4.004 s, and eight of them still form one
 * object.
 */
const TOLERANCE = 1.05;

/**
 * Groups the segments of a timeline into objects: a first object of about 8 s, so that playback starts early, then
 * objects of similar lengths of up to 32 s. Every object has at least one segment, whatever its length.
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
 * Groups the segments from a given one on into as few objects of up to 32 s as possible, but at least two from 20 s on.
 * All objects have similar lengths, because with a short one at the end, workers would be idle while others encode.
 */
export function planEvenChunks(cutList: CutList, firstSegment: number): ChunkRange[] {
  return groupSegments(cutList, firstSegment, 1);
}

/**
 * Like `planEvenChunks`, but with three or more objects, splits the last 64 s into smaller objects, so that all
 * encoders finish at about the same time.
 */
export function planShrinkingChunks(cutList: CutList, firstSegment: number): ChunkRange[] {
  const leftTicks = cutList.endTicks - segmentStartTicks(cutList, Math.min(firstSegment, cutList.startTicks.length));
  const isLong = leftTicks > 2 * NEXT_SEC * TOLERANCE * cutList.timescale;
  return groupSegments(cutList, firstSegment, isLong ? LAST_SHARES : 1);
}

/**
 * Groups segments into objects. `lastShares` is the number of encoders between which the end is divided, if it is long
 * enough.
 */
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

/** Returns the segments of a range that are not stored, in order, with adjacent ones merged. */
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
