import { type CutList, segmentStartTicks } from '../timeline/cut-list.ts';

/**
 * A range of a source's timeline for a new video. `frameTicks` is the approximate length of a frame. Recorded streams
 * cannot be encoded, so all segments that the range touches are copied.
 */
export type PartRange = { cutList: CutList; fromSec: number; toSec: number; frameTicks: number; isRecorded: boolean };

/**
 * One segment of a new video. `segment` is the number of a segment of the part that is copied unchanged, or null if
 * only some frames are used, which must be encoded. Ticks refer to the part's timeline.
 */
export type Piece = { part: number; segment: number | null; fromTick: number; toTick: number };

/** Minimum segment length. A shorter segment is merged with its neighbour. */
const MIN_SEGMENT_SEC = 1;

/**
 * Cuts ranges of several timelines into segments of a new one. If exact, copies segments wholly within a range, and
 * plans segments to encode for the rest at its ends. Otherwise moves the ends to the nearest segment boundaries and
 * encodes nothing. An empty range has no pieces. All timelines must have the same timescale.
 */
export function planPieces(parts: readonly PartRange[], isExact: boolean): Piece[] {
  return parts.flatMap((range, part) => {
    if (range.isRecorded) return cutAround(range, part);
    return isExact ? cutExactly(range, part) : cutAtBorders(range, part);
  });
}

function cutExactly({ cutList, fromSec, toSec, frameTicks }: PartRange, part: number): Piece[] {
  // The length of a frame may be a fraction of ticks, as with 23.976 fps.
  const snap = (sec: number) =>
    Math.min(cutList.endTicks, Math.round(Math.round((sec * cutList.timescale) / frameTicks) * frameTicks));
  const ends = [toBorder(cutList, snap(fromSec), frameTicks), toBorder(cutList, snap(toSec), frameTicks)] as const;
  const inner = cutList.startTicks.filter((tick) => tick > ends[0] && tick < ends[1]);
  const borders = [ends[0], ...inner, ends[1]];
  const pieces = borders.slice(0, -1).map((fromTick, index): Piece => {
    const toTick = borders[index + 1] ?? fromTick;
    return { part, segment: findSegment(cutList, fromTick, toTick), fromTick, toTick };
  });
  return joinShortEnds(
    pieces.filter(({ fromTick, toTick }) => toTick > fromTick),
    MIN_SEGMENT_SEC * cutList.timescale,
  );
}

/** Moves a cut within one frame of a segment boundary to that boundary. */
function toBorder({ startTicks, endTicks }: CutList, tick: number, frameTicks: number): number {
  return [...startTicks, endTicks].find((border) => Math.abs(border - tick) < frameTicks) ?? tick;
}

function findSegment({ startTicks, endTicks }: CutList, fromTick: number, toTick: number): number | null {
  const segment = startTicks.indexOf(fromTick);
  return segment >= 0 && (startTicks[segment + 1] ?? endTicks) === toTick ? segment : null;
}

function joinShortEnds(pieces: readonly Piece[], leastTicks: number): Piece[] {
  const joined = [...pieces];
  const isShort = (piece: Piece | undefined) =>
    piece !== undefined && piece.segment === null && piece.toTick - piece.fromTick < leastTicks;
  const join = (at: number) => {
    const [first, second] = joined.slice(at, at + 2);
    if (first === undefined || second === undefined) return;
    joined.splice(at, 2, { part: first.part, segment: null, fromTick: first.fromTick, toTick: second.toTick });
  };
  if (isShort(joined[0])) join(0);
  if (isShort(joined.at(-1))) join(joined.length - 2);
  return joined;
}

function cutAtBorders({ cutList, fromSec, toSec }: PartRange, part: number): Piece[] {
  const [from, to] = [nearestBorder(cutList, fromSec), nearestBorder(cutList, toSec)];
  const first = Math.min(from, cutList.startTicks.length - 1);
  // Each part has at least one segment.
  return takeWhole(cutList, { part, first, end: Math.max(first + 1, to) });
}

function cutAround({ cutList, fromSec, toSec }: PartRange, part: number): Piece[] {
  const { startTicks, timescale } = cutList;
  const first = Math.max(
    0,
    startTicks.findLastIndex((tick) => tick <= fromSec * timescale),
  );
  const next = startTicks.findIndex((tick) => tick >= toSec * timescale);
  return takeWhole(cutList, { part, first, end: next === -1 ? startTicks.length : next });
}

function takeWhole(cutList: CutList, { part, first, end }: { part: number; first: number; end: number }): Piece[] {
  return Array.from({ length: end - first }, (_, index) => {
    const segment = first + index;
    const [fromTick, toTick] = [segmentStartTicks(cutList, segment), segmentStartTicks(cutList, segment + 1)];
    return { part, segment, fromTick, toTick };
  });
}

function nearestBorder({ startTicks, endTicks, timescale }: CutList, sec: number): number {
  const distances = [...startTicks, endTicks].map((tick) => Math.abs(tick / timescale - sec));
  return distances.indexOf(Math.min(...distances));
}

/** Returns the cut list of the new timeline. */
export function composeCutList(pieces: readonly Piece[], timescale: number): CutList {
  const startTicks: number[] = [];
  let endTicks = 0;
  for (const { fromTick, toTick } of pieces) {
    startTicks.push(endTicks);
    endTicks += toTick - fromTick;
  }
  return { timescale, startTicks, endTicks, grid: { kind: 'source' } };
}
