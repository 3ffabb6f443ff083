import { type ClockRange, touches } from '../../hls/clock-range.ts';
import { PART_HOLD_BACK_SEC } from '../packaging/part-writer.ts';
import {
  findSegment,
  type IndexedPeriod,
  type IndexedRendition,
  type IndexedSegment,
  type LiveIndex,
} from './live-index.ts';

/** The part of a stream that a viewer can see. */
export type LiveView = {
  /** Length of the playlist, in seconds. */
  windowSec: number;
  /** Whether to show the media from before the start instead. */
  isPreview: boolean;
  /** If set, only media captured in this range is shown. */
  range?: ClockRange;
};

export type ListedView = LiveView & { hasParts: boolean };

/** A segment of a slot (audio, or one size of the video) and its position in the stream. */
export type ListedSegment = {
  sequence: number;
  period: IndexedPeriod;
  rendition: IndexedRendition;
  /** Null if this rendition lacks the segment. */
  segment: IndexedSegment | null;
  durationSec: number;
};

export const MIN_TARGET_SEC = 2;
/** Maximum delay between capture and listing of media, in ms. */
const LATE_MS = 10_000;
export const MIN_LISTED = 4;
/**
 * Minimum length of a playlist in target durations. Players without partial segments start three target durations
 * behind the live edge, and their first segment must not be removed.
 */
const MIN_TARGETS = 4;
/** Tolerance in seconds, because sums of ticks of several clocks are inexact. */
const EXACT_SEC = 1e-6;

/** Returns the segments of a slot that a viewer may see, oldest first. The last segment may be open. */
export function listSlot(index: LiveIndex, slot: string, view: LiveView): ListedSegment[] {
  return listTail(spansOf(index, slot, view), Number.POSITIVE_INFINITY);
}

/** Segments of one period that a slot lists, with the numbers `first` to `last`. */
export type Span = { period: IndexedPeriod; rendition: IndexedRendition; first: number; last: number };

/**
 * Returns the listed segments of a slot as one span per period, without iterating over segments: a window may contain
 * 20,000 of them.
 */
export function spansOf(index: LiveIndex, slot: string, { windowSec, isPreview, range }: LiveView): Span[] {
  const periods = index.periods.filter((period) => period.isPreview === isPreview);
  const newest = index.hasEnded ? undefined : periods.at(-1);
  const spans = periods.flatMap((period, position): Span[] => {
    const rendition = renditionFor(period, slot, period.isLadderPending && period === newest);
    const end = rendition?.segments.at(-1);
    if (rendition === undefined || end === undefined) return [];
    // All slots list the same number of segments of a finished period, because the numbers of the next period follow. A
    // segment that a crashed owner had started but not stored keeps its number. Audio that a publisher stopped sending
    // is a gap.
    const following = periods[position + 1];
    const last = following === undefined ? end.number : following.firstSequence - period.firstSequence - 1;
    return [{ period, rendition, first: firstNumber(period, rendition), last }];
  });
  const begun = spans.filter(({ first, last }) => first <= last);
  // Keep at least three target durations (RFC 8216 section 6.2.2), whatever the window.
  const least = listTail(begun, MIN_LISTED)[0]?.sequence ?? 0;
  const shown = cutToWindow(begun, Math.max(windowSec, MIN_TARGETS * index.longestSec), least);
  return range === undefined ? shown : cutToRange(shown, range);
}

/** Drops segments that were not captured within a time range. */
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

/**
 * Returns a function that tests whether a segment was captured within a time range. A segment without a time follows
 * the previous one.
 */
function takenIn(range: ClockRange): (one: ListedSegment) => boolean {
  let endMs: number | null = null;
  return ({ segment, durationSec }) => {
    const startMs: number | null = segment?.wallMs ?? endMs;
    endMs = startMs === null ? null : startMs + durationSec * 1000;
    return startMs !== null && endMs !== null && touches(range, startMs, endMs);
  };
}

/** Whether a range is complete: media after it exists, or its end is more than `LATE_MS` in the past. */
export function isRangeOver(index: LiveIndex, { toMs }: ClockRange, nowMs: number): boolean {
  if (toMs === null) return false;
  const newest = index.periods.at(-1)?.renditions[0]?.segments.findLast(({ wallMs }) => wallMs !== null);
  return (newest?.wallMs ?? 0) >= toMs || nowMs > toMs + LATE_MS;
}

/**
 * Returns the first number of a rendition. A late start leaves gaps before it. Otherwise, the numbers of all segments
 * after an earlier period would be too low.
 */
function firstNumber({ renditions }: IndexedPeriod, rendition: IndexedRendition): number {
  const source = renditions.find(({ slot }) => slot === 'source');
  return source?.segments[0]?.number ?? rendition.segments[0]?.number ?? 0;
}

/** Drops segments older than the window. Keeps those from `leastSequence` on. */
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
 * Returns the number from which a span lasts at most `sec`. The edge keeps little more than the window, so the loop is
 * short.
 */
function firstWithin(span: Span, sec: number): number {
  let excessSec = secondsOf(span) - sec;
  let number = span.first;
  for (; excessSec > EXACT_SEC && number <= span.last; number += 1) excessSec -= durationOf(span, number);
  return number;
}

/** Returns the length of a span from its first and last segment, because the timeline of a period has no gaps. */
function secondsOf({ period, rendition, first, last }: Span): number {
  const from = { period, rendition, first, last };
  let sec = 0;
  let [low, high] = [first, last];
  // A gap has no times.
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

/** Returns the last `count` segments of spans, oldest first. */
export function listTail(spans: readonly Span[], count: number): ListedSegment[] {
  const pieces: ListedSegment[][] = [];
  let left = count;
  for (let index = spans.length - 1; index >= 0 && left > 0; index -= 1) {
    const span = spans[index];
    if (span === undefined) continue;
    const listed = listSpan({ ...span, first: Math.max(span.first, span.last - left + 1) });
    pieces.unshift(listed);
    left -= listed.length;
  }
  return pieces.flat();
}

/**
 * Returns the rendition of a slot in a period, or the source video if a rung was not encoded. A period whose publisher
 * sent only audio may have black video instead. Returns undefined while rungs are pending, because the source would be
 * listed and removed again.
 */
export function renditionFor(
  { renditions }: IndexedPeriod,
  slot: string,
  isPending: boolean,
): IndexedRendition | undefined {
  const found = renditions.find((one) => one.slot === slot);
  if (found !== undefined || slot === 'audio' || isPending) return found;
  return renditions.find((one) => one.slot === 'source') ?? renditions.find(({ kind }) => kind === 'video');
}

function listSpan({ period, rendition, first, last }: Span): ListedSegment[] {
  const listed: ListedSegment[] = [];
  const { segments, timescale } = rendition;
  for (let number = first; number <= last; number += 1) {
    const known = findSegment(segments, number);
    // If a later segment follows one that never ended, its encoder crashed.
    const isLost = known === null || known.isGap || (!known.isClosed && known !== segments.at(-1));
    const durationSec = isLost ? missingSec(period, number) : known.durationTicks / timescale;
    const place = { sequence: period.firstSequence + number, period, rendition };
    listed.push({ ...place, segment: isLost ? null : known, durationSec });
  }
  return listed;
}

/** Returns the duration of a missing segment, derived from another rendition of the period. */
function missingSec({ renditions }: IndexedPeriod, number: number): number {
  for (const { segments, timescale } of renditions) {
    const segment = findSegment(segments, number);
    if (segment?.isGap === false) return segment.durationTicks / timescale;
  }
  return MIN_TARGET_SEC;
}

/**
 * Returns whether a slot may be listed: it has a complete segment. Players treat a playlist of parts alone as empty,
 * and the target duration is unknown until then.
 */
export function canList(index: LiveIndex, slot: string, view: LiveView): boolean {
  const listed = listTail(spansOf(index, slot, view), 2);
  return listed.some(({ segment }) => segment === null || !isListedOpen(segment, true));
}

/**
 * Returns whether players can start: the slot must list a complete segment, because players treat a playlist of parts
 * alone as empty. If players load parts, their start position must also be after media sequence number 0: hls.js 1.7
 * considers the parts of segment 0 lost, loads them repeatedly, and each time removes the buffered media of that
 * segment.
 */
export function canBegin(index: LiveIndex, slot: string, view: ListedView): boolean {
  const listed = listTail(spansOf(index, slot, view), 2);
  const last = listed.at(-1);
  const isEarly = last !== undefined && (last.sequence === 0 || (last.sequence === 1 && isShort(last)));
  return !(view.hasParts && isEarly && index.isConnected) && listed.some(({ segment }) => segment?.isClosed !== false);
}

function isShort({ durationSec, segment }: ListedSegment): boolean {
  return segment?.isClosed === false && durationSec < PART_HOLD_BACK_SEC;
}

/**
 * Returns EXT-X-TARGETDURATION: the longest segment of all renditions so far, because variants must have the same value
 * (RFC 8216bis section 6.2.4). It never decreases.
 */
export function targetDurationSec(index: LiveIndex, slot: string, view: LiveView): number {
  const [newest] = listTail(spansOf(index, slot, view), 1);
  return Math.max(MIN_TARGET_SEC, index.longestSec, Math.round(newest?.durationSec ?? 0));
}

/** Whether a playlist lists a segment, its last one, without EXTINF. */
export function isListedOpen({ isClosed, isHeldOpen }: IndexedSegment, hasParts: boolean): boolean {
  return !isClosed || (hasParts && isHeldOpen);
}
