import { type ClockRange, touches } from '../../hls/clock-range.ts';
import {
  findSegment,
  type IndexedPeriod,
  type IndexedRendition,
  type IndexedSegment,
  type LiveIndex,
} from './live-index.ts';

/** What a viewer gets to see of a stream. */
export type LiveView = {
  /** How far back the playlist reaches, seconds. */
  windowSec: number;
  /** Media from before the start is shown instead. */
  isPreview: boolean;
  /** Only what was taken within this time. */
  range?: ClockRange;
};

/** A segment of a slot (audio, or one size of the pictures) with its place in the stream. */
export type ListedSegment = {
  sequence: number;
  period: IndexedPeriod;
  rendition: IndexedRendition;
  /** Null: this rendition has nothing there. */
  segment: IndexedSegment | null;
  durationSec: number;
};

export const SHORTEST_TARGET_SEC = 2;
/** Media is listed no later than this after it was taken. */
const LATE_MS = 10_000;
export const LEAST_LISTED = 4;
/** Players without partial segments begin three target durations back: what they begin with must not be removed. */
const LEAST_TARGETS = 4;
/** Sums of ticks of several clocks are not exact. */
const EXACT_SEC = 1e-6;

/** The segments that a viewer may see of a slot, oldest first; the last may be open. */
export function listSlot(index: LiveIndex, slot: string, view: LiveView): ListedSegment[] {
  return listTail(spansOf(index, slot, view), Number.POSITIVE_INFINITY);
}

/** What a slot lists of one period: numbers from `first` to `last`. */
export type Span = { period: IndexedPeriod; rendition: IndexedRendition; first: number; last: number };

/** What a slot lists, period by period, without going through its segments: a window may hold 20,000 of them. */
export function spansOf(index: LiveIndex, slot: string, { windowSec, isPreview, range }: LiveView): Span[] {
  const periods = index.periods.filter((period) => period.isPreview === isPreview);
  const newest = index.hasEnded ? undefined : periods.at(-1);
  const spans = periods.flatMap((period, at): Span[] => {
    const rendition = renditionFor(period, slot, period.isLadderPending && period === newest);
    const end = rendition?.segments.at(-1);
    if (rendition === undefined || end === undefined) return [];
    // All slots list as many segments of a period that is over: the numbers of the next one follow. What an owner that
    // is gone had begun and not stored has its number there; audio that a publisher did not send any more is a gap.
    const following = periods[at + 1];
    const last = following === undefined ? end.number : following.firstSequence - period.firstSequence - 1;
    return [{ period, rendition, first: firstNumber(period, rendition), last }];
  });
  const begun = spans.filter(({ first, last }) => first <= last);
  // At least three target durations stay (RFC 8216 section 6.2.2), whatever the window.
  const least = listTail(begun, LEAST_LISTED)[0]?.sequence ?? 0;
  const shown = cutToWindow(begun, Math.max(windowSec, LEAST_TARGETS * index.longestSec), least);
  return range === undefined ? shown : cutToRange(shown, range);
}

/** Leaves out what was not taken within a time. */
function cutToRange(spans: readonly Span[], range: ClockRange): Span[] {
  const taken = listTail(spans, Number.POSITIVE_INFINITY).filter(takenIn(range));
  return spans.flatMap((span) => {
    const own = taken.filter(({ period }) => period === span.period);
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { firstSequence } = span.period;
    return [{ ...span, first: first.sequence - firstSequence, last: last.sequence - firstSequence }];
  });
}

/** Whether a segment was taken within a time; one that does not say when follows the one before. */
function takenIn(range: ClockRange): (one: ListedSegment) => boolean {
  let endMs: number | null = null;
  return ({ segment, durationSec }) => {
    const startMs: number | null = segment?.wallMs ?? endMs;
    endMs = startMs === null ? null : startMs + durationSec * 1000;
    return startMs !== null && endMs !== null && touches(range, startMs, endMs);
  };
}

/** Whether nothing follows in a range: media from after it is there, or its time is long over. */
export function isRangeOver(index: LiveIndex, { toMs }: ClockRange, nowMs: number): boolean {
  if (toMs === null) return false;
  const newest = index.periods.at(-1)?.renditions[0]?.segments.findLast(({ wallMs }) => wallMs !== null);
  return (newest?.wallMs ?? 0) >= toMs || nowMs > toMs + LATE_MS;
}

/** What began late has gaps before, or the numbers of all that follows an earlier period were too low. */
function firstNumber({ renditions }: IndexedPeriod, rendition: IndexedRendition): number {
  const source = renditions.find(({ slot }) => slot === 'source');
  return source?.segments[0]?.number ?? rendition.segments[0]?.number ?? 0;
}

/** Leaves out what is older than the window; what is listed from `leastSequence` on stays. */
function cutToWindow(spans: readonly Span[], windowSec: number, leastSequence: number): Span[] {
  let leftSec = windowSec;
  const kept: Span[] = [];
  for (const span of spans.toReversed()) {
    const number = leftSec <= 0 ? span.last + 1 : firstWithin(span, leftSec);
    const first = Math.max(span.first, Math.min(number, leastSequence - span.period.firstSequence));
    leftSec -= secondsOf(span);
    if (first <= span.last) kept.unshift({ ...span, first });
    if (first > span.first) break;
  }
  return kept;
}

/**
 * The number from which on a span lasts so long at most. The edge keeps little more than the window: the way is short.
 */
function firstWithin(span: Span, sec: number): number {
  let excessSec = secondsOf(span) - sec;
  let number = span.first;
  for (; excessSec > EXACT_SEC && number <= span.last; number += 1) excessSec -= durationOf(span, number);
  return number;
}

/** The timeline of a period has no holes: its first and its last segment say how long it is. */
function secondsOf({ period, rendition, first, last }: Span): number {
  const from = { period, rendition, first, last };
  let sec = 0;
  let [low, high] = [first, last];
  // A gap says nothing of its time.
  for (; low <= last && startOf(from, low) === null; low += 1) sec += durationOf(from, low);
  for (; high > low && startOf(from, high) === null; high -= 1) sec += durationOf(from, high);
  if (low > last) return sec;
  return sec + ((startOf(from, high) ?? 0) - (startOf(from, low) ?? 0)) + durationOf(from, high);
}

function startOf({ rendition: { segments, timescale } }: Span, number: number): number | null {
  const segment = findSegment(segments, number);
  return segment === null || segment.isGap ? null : segment.startTick / timescale;
}

function durationOf({ period, rendition: { segments, timescale } }: Span, number: number): number {
  const segment = findSegment(segments, number);
  return segment === null || segment.isGap ? missingSec(period, number) : segment.durationTicks / timescale;
}

/** The last `count` segments of some spans, oldest first. */
export function listTail(spans: readonly Span[], count: number): ListedSegment[] {
  const pieces: ListedSegment[][] = [];
  let left = count;
  for (let at = spans.length - 1; at >= 0 && left > 0; at -= 1) {
    const span = spans[at];
    if (span === undefined) continue;
    const listed = listSpan({ ...span, first: Math.max(span.first, span.last - left + 1) });
    pieces.unshift(listed);
    left -= listed.length;
  }
  return pieces.flat();
}

/**
 * The rendition that stands for a slot in a period: where a rung was not encoded, the pictures as they came. While
 * rungs are about to come there is none: what a player was shown of the source would vanish again.
 */
export function renditionFor(
  { renditions }: IndexedPeriod,
  slot: string,
  isPending: boolean,
): IndexedRendition | undefined {
  const found = renditions.find((one) => one.slot === slot);
  if (found !== undefined || slot === 'audio' || isPending) return found;
  return renditions.find((one) => one.slot === 'source');
}

function listSpan({ period, rendition, first, last }: Span): ListedSegment[] {
  const listed: ListedSegment[] = [];
  const { segments, timescale } = rendition;
  for (let number = first; number <= last; number += 1) {
    const known = findSegment(segments, number);
    // One that never ended, and was followed: its encoder died.
    const isLost = known === null || known.isGap || (!known.isClosed && known !== segments.at(-1));
    const durationSec = isLost ? missingSec(period, number) : known.durationTicks / timescale;
    const place = { sequence: period.firstSequence + number, period, rendition };
    listed.push({ ...place, segment: isLost ? null : known, durationSec });
  }
  return listed;
}

/** What another rendition of the period says of a segment that this one lacks. */
function missingSec({ renditions }: IndexedPeriod, number: number): number {
  for (const { segments, timescale } of renditions) {
    const segment = findSegment(segments, number);
    if (segment?.isGap === false) return segment.durationTicks / timescale;
  }
  return SHORTEST_TARGET_SEC;
}

/** Whether a slot lists a whole segment: players take a playlist of parts alone for empty. */
export function hasWhole(index: LiveIndex, slot: string, view: LiveView): boolean {
  return listTail(spansOf(index, slot, view), 2).some(({ segment }) => segment?.isClosed !== false);
}

/**
 * EXT-X-TARGETDURATION: the longest segment of all renditions so far, since variants must have the same one (RFC
 * 8216bis section 6.2.4); it only rises.
 */
export function targetDurationSec(index: LiveIndex, slot: string, view: LiveView): number {
  const [newest] = listTail(spansOf(index, slot, view), 1);
  return Math.max(SHORTEST_TARGET_SEC, index.longestSec, Math.round(newest?.durationSec ?? 0));
}

/** The newest media of a slot; `part` null when the segment is whole. */
export type NewestMedia = { sequence: number; part: number | null };

export function newestOf(index: LiveIndex, slot: string, view: LiveView): NewestMedia | null {
  const [last] = listTail(spansOf(index, slot, view), 1);
  if (last === undefined) return null;
  if (last.segment === null || last.segment.isClosed) return { sequence: last.sequence, part: null };
  return { sequence: last.sequence, part: last.segment.parts.length - 1 };
}

/** Whether a playlist up to `newest` holds what a blocking request waits for (RFC 8216bis section 6.2.5.2). */
export function holdsMedia(newest: NewestMedia | null, wanted: NewestMedia): boolean {
  if (newest === null || newest.sequence < wanted.sequence) return false;
  if (newest.sequence > wanted.sequence || newest.part === null) return true;
  return wanted.part !== null && newest.part >= wanted.part;
}
