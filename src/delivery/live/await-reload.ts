import {
  findLatePlace,
  findResumed,
  holdsMedia,
  lastPartsOf,
  type NewestMedia,
  newestOf,
  skipsParts,
} from '../../media/live/playlist/newest-media.ts';
import { canBegin, type ListedView, targetDurationSec } from '../../media/live/playlist/slot-segments.ts';
import type { WatchedStream } from './watched-stream.ts';

/** A request for a media playlist. `once` computes a value of the slot and view once until the stream grows. */
export type Reload = {
  slot: string;
  view: ListedView;
  hasEnded: boolean;
  query: URLSearchParams;
  once<T>(what: string, compute: () => T): T;
};

/** Maximum wait of the first request of a player for enough media, in ms. */
export const FIRST_MEDIA_WAIT_MS = 3_000;
/**
 * Fraction of the target duration after which a blocked reload gets an unchanged playlist. hls.js gives up after 0.8 of
 * it.
 */
const RELOAD_SHARE = 0.7;
/** Time in ms for which a player can process the last parts of a segment before it learns that it is complete. */
const LATE_PAUSE_MS = 200;
/**
 * Maximum number of segments by which a blocking request may be ahead of the newest segment. A request further ahead is
 * a client error (RFC 8216bis section 6.2.5.2).
 */
const FARTHEST_AHEAD = 2;
/** Number of target durations after which players reload the whole playlist instead of a delta (CAN-SKIP-UNTIL / 2). */
const RECENT_TARGETS = 3;

/**
 * Waits until a playlist has the media that a request asks for. Returns the sequence number of the segment that is
 * listed last and without EXTINF, or null for the newest one. Returns a fault for a request that is not valid.
 */
export async function awaitReload(
  stream: WatchedStream,
  reload: Reload,
  leave: () => AbortSignal,
): Promise<{ endSequence: number | null } | { fault: string }> {
  const { slot, view, query, once } = reload;
  const { index } = stream;
  const wanted = readWanted(query);
  if (wanted === 'invalid')
    return { fault: 'Expected _HLS_msn as a whole number, and _HLS_part only together with it.' };
  const newest = () => once('newest', () => newestOf(index, slot, view));
  const targetSec = stream.assumedTargetSec(once('target', () => targetDurationSec(index, slot, view)));
  if (wanted === null) {
    if (newest() !== null) await stream.until(() => canBegin(index, slot, view), FIRST_MEDIA_WAIT_MS, leave());
    return { endSequence: resumedEnd(stream, reload, targetSec) };
  }
  const last = newest()?.sequence ?? null;
  if (last !== null && wanted.sequence > last + FARTHEST_AHEAD) {
    return { fault: `Expected _HLS_msn up to ${last + FARTHEST_AHEAD}.` };
  }
  const isSkipping = skipsParts(
    newest(),
    wanted,
    once('last parts', () => lastPartsOf(index, slot, view)),
  );
  // If segments are only delivered whole, the request waits for the whole segment instead of a part.
  const awaited = view.hasParts && !isSkipping ? wanted : { ...wanted, part: null };
  const isOver = () => reload.hasEnded || index.hasEnded;
  const startMs = performance.now();
  const isThere = () => isOver() || holdsMedia(newest(), awaited);
  await stream.until(isThere, RELOAD_SHARE * 1_000 * targetSec, leave());
  if (!view.hasParts || isSkipping || isOver()) return { endSequence: null };
  const place = findLatePlace(index, slot, view, wanted);
  const pauseMs = LATE_PAUSE_MS - (performance.now() - startMs);
  if (place === 'after' && pauseMs > 0) await stream.until(() => false, pauseMs, leave());
  return { endSequence: place === 'within' ? wanted.sequence : null };
}

/** Returns the end of the playlist for a request without directives, of a player that may have waited in vain. */
function resumedEnd(stream: WatchedStream, { slot, view, hasEnded, query }: Reload, targetSec: number): number | null {
  if (!view.hasParts || hasEnded || stream.index.hasEnded) return null;
  // The player polls after each half of the target duration.
  const times = { pauseMs: RELOAD_SHARE * 1_000 * targetSec, sinceMs: Date.now() - 1_000 * targetSec };
  const resumed = findResumed(stream.index, slot, view, times);
  const isRecent = query.get('_HLS_skip') === 'YES';
  return isRecent || (resumed?.pauseMs ?? 0) >= RECENT_TARGETS * 1_000 * targetSec ? (resumed?.sequence ?? null) : null;
}

function readWanted(query: URLSearchParams): NewestMedia | null | 'invalid' {
  const sequence = query.get('_HLS_msn');
  const part = query.get('_HLS_part');
  if (sequence === null) return part === null ? null : 'invalid';
  if (!/^\d{1,12}$/.test(sequence) || (part !== null && !/^\d{1,6}$/.test(part))) return 'invalid';
  return { sequence: Number(sequence), part: part === null ? null : Number(part) };
}
