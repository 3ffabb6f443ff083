import { type LiveIndex, SEGMENTS_WITH_PARTS } from './live-index.ts';
import { isListedOpen, type ListedView, type LiveView, listTail, spansOf } from './slot-segments.ts';

/** Newest media of a slot. `part` is null if the segment is complete. */
export type NewestMedia = { sequence: number; part: number | null };

/** Returns the newest media of a slot in playlists with (`hasParts`) or without parts. */
export function newestOf(index: LiveIndex, slot: string, view: ListedView): NewestMedia | null {
  const [last] = listTail(spansOf(index, slot, view), 1);
  if (last === undefined) return null;
  if (last.segment === null || !isListedOpen(last.segment, view.hasParts)) {
    return { sequence: last.sequence, part: null };
  }
  return { sequence: last.sequence, part: last.segment.parts.length - 1 };
}

/**
 * Whether a playlist up to `newest` contains the media that a blocking request waits for (RFC 8216bis section 6.2.5.2).
 */
export function holdsMedia(newest: NewestMedia | null, wanted: NewestMedia): boolean {
  if (newest === null || newest.sequence < wanted.sequence) return false;
  if (newest.sequence > wanted.sequence || newest.part === null) return true;
  return wanted.part !== null && newest.part >= wanted.part;
}

/**
 * Whether a blocking request skips parts that do not exist yet, as requests of hls.js 1.7 without low latency do. Such
 * a player waits for the segment: if it gets only the last part, it requests that part again and then pauses for most
 * of a target duration.
 *
 * The player expects the segment to have as many parts as the newest complete segment with more parts than exist so far
 * (`lastParts`, see `lastPartsOf`), and requests the last of them. A request for any other part ahead is from a player
 * that another edge told about more media: that part is the next one it needs.
 */
export function skipsParts(newest: NewestMedia | null, wanted: NewestMedia, lastParts: readonly number[]): boolean {
  if (newest === null || wanted.part === null || wanted.sequence < newest.sequence) return false;
  const listed = newest.sequence === wanted.sequence ? (newest.part ?? wanted.part) : -1;
  return wanted.part > listed + 1 && wanted.part === lastParts.find((part) => part > listed);
}

/** Returns the index of the last part of each complete segment that lists its parts, newest first. */
export function lastPartsOf(index: LiveIndex, slot: string, view: ListedView): number[] {
  const listed = listTail(spansOf(index, slot, view), SEGMENTS_WITH_PARTS + 1);
  return listed.toReversed().flatMap(({ segment }) => {
    if (segment === null || isListedOpen(segment, view.hasParts) || segment.parts.length === 0) return [];
    return [segment.parts.length - 1];
  });
}

/**
 * Number of segments that are searched for the next part of a late player. A pause of 15 s, after which a publisher is
 * disconnected, is filled with 8 of them at once.
 */
const LATE_SEGMENTS = 10;

/**
 * Returns the position of a blocking request that waits for media of an already complete segment, as after a burst or
 * on a slow machine: `within` the segment, or at the first part `after` it. Returns null if no later media of the same
 * period exists. The distinction is needed because hls.js 1.7 never loads the remaining parts of a segment if the
 * segment is listed as complete while the player processes one of its parts.
 */
export function findLatePlace(index: LiveIndex, slot: string, view: LiveView, wanted: NewestMedia) {
  const listed = listTail(spansOf(index, slot, view), LATE_SEGMENTS);
  const at = listed.findIndex(({ sequence }) => sequence === wanted.sequence);
  const [one, next] = [listed[at], listed[at + 1]];
  if (one?.segment?.isClosed !== true || next?.period !== one.period || wanted.part === null) return null;
  const after = one.segment.parts.length;
  if (wanted.part > after) return null;
  return wanted.part < after ? 'within' : 'after';
}

/**
 * Returns the segment within which media continued after `sinceMs` following a pause of at least `pauseMs`, if it is
 * complete and later media of the same period exists. Returns null if there is none.
 *
 * After a blocked reload without new media, hls.js 1.7 polls without directives. If its next playlist listed the
 * segment as complete, it would treat the remaining parts of the segment as loaded, or load later segments first.
 */
export function findResumed(
  index: LiveIndex,
  slot: string,
  view: LiveView,
  { pauseMs, sinceMs }: { pauseMs: number; sinceMs: number },
): { sequence: number; pauseMs: number } | null {
  const listed = listTail(spansOf(index, slot, view), LATE_SEGMENTS);
  for (const [at, { segment, period, sequence }] of listed.entries()) {
    if (segment?.isClosed !== true || listed[at + 1]?.period !== period) continue;
    const times = segment.parts.map(({ atMs }) => atMs);
    const pauses = times.slice(1).map((atMs, part) => (atMs < sinceMs ? 0 : atMs - (times[part] ?? atMs)));
    const longestMs = Math.max(0, ...pauses);
    if (longestMs >= pauseMs) return { sequence, pauseMs: longestMs };
  }
  return null;
}
