import { type CutList, segmentStartTicks } from './cut-list.ts';

/** Segments `fromSegment` up to, not including, `toSegment`: one object, one encode job. */
export type ChunkRange = { fromSegment: number; toSegment: number };

const FIRST_SEC = 8;
const NEXT_SEC = 32;
/** 24000/1001 makes a segment of 4.004 s: eight of them are still one object. */
const TOLERANCE = 1.05;

/**
 * Groups the segments of a timeline into objects: a first one of about 8 s, so that playing starts early, then
 * of about 32 s. Every object holds at least one segment, however long that is.
 */
export function planChunks(cutList: CutList): ChunkRange[] {
  const chunks: ChunkRange[] = [];
  const segments = cutList.startTicks.length;
  for (let fromSegment = 0; fromSegment < segments; ) {
    const targetSec = (fromSegment === 0 ? FIRST_SEC : NEXT_SEC) * TOLERANCE;
    const limitTicks = segmentStartTicks(cutList, fromSegment) + targetSec * cutList.timescale;
    let toSegment = fromSegment + 1;
    while (toSegment < segments && segmentStartTicks(cutList, toSegment + 1) <= limitTicks) toSegment += 1;
    chunks.push({ fromSegment, toSegment });
    fromSegment = toSegment;
  }
  return chunks;
}
