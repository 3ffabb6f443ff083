import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { LiveWindow, PlayerSource, StreamPhase, VideoPhase } from './player-state.ts';

/** Target latency behind the newest part, in seconds: three parts of a quarter of a second, plus transport. */
const TARGET_LATENCY_SEC = 1.5;

/**
 * `percent` is the progress of the recording's conversion. `mayPreview`: the viewer may see media published before the
 * start. `isSilent`: no new media arrives at this edge, or null if the edge does not know.
 */
export type Watching = {
  percent: number;
  mayPreview: boolean;
  isSilent: boolean | null;
  viewers: number | null;
  nowMs: number;
};

/** Describes the state of a live stream. */
export function phaseOfStream(
  head: LiveHead,
  { percent, mayPreview, isSilent, viewers, nowMs }: Watching,
): StreamPhase | VideoPhase {
  if (mayPreview && hasPreview(head)) return { kind: 'preview', live: liveWindow(head, null) };
  switch (head.state) {
    case 'created':
    case 'scheduled':
    case 'preview': {
      const { startsAtMs } = head;
      const isToCome = startsAtMs !== null && startsAtMs > nowMs;
      return isToCome ? { kind: 'countdown', startsAtMs } : { kind: 'awaiting-publisher' };
    }
    case 'running': {
      const live = liveWindow(head, viewers);
      if (!isAway(head, isSilent)) return { kind: 'live', live };
      return head.hasBegun ? { kind: 'reconnecting', sinceMs: nowMs, live } : { kind: 'awaiting-publisher' };
    }
    case 'vod-processing':
      return { kind: 'converting', percent };
    case 'ended':
      return { kind: 'stream-ended' };
    case 'error':
      return { kind: 'failed', reason: 'stream-failed' };
  }
}

/** The edge notices earlier than the database that the publisher disconnected or returned. */
function isAway({ feedUrl, isInterrupted }: LiveHead, isSilent: boolean | null): boolean {
  return feedUrl === null || (isSilent ?? isInterrupted);
}

/** Returns whether a started stream has media for viewers, or its first publisher is connected. */
export function mayPlay(head: LiveHead, isSilent: boolean | null): boolean {
  return head.state === 'running' && (head.hasBegun || !isAway(head, isSilent));
}

/**
 * Returns the stream that a publication shows, or null for a video. A recording of several periods counts as a video,
 * also while further resolutions of it are encoded.
 */
export function streamOf({ live, state }: Pick<Publication, 'live' | 'state'>): LiveHead | null {
  if (live === undefined || state === 'finished') return null;
  return live.state === 'ended' && state !== 'created' ? null : live;
}

/** Returns whether media is available now that only viewers with a preview token may see. */
export function hasPreview({ state, feedUrl, isInterrupted }: LiveHead): boolean {
  return state === 'preview' && feedUrl !== null && !isInterrupted;
}

function liveWindow({ dvrWindowSec }: LiveHead, viewers: number | null): LiveWindow {
  return { dvrSec: dvrWindowSec ?? 0, targetLatencySec: TARGET_LATENCY_SEC, viewers };
}

/** Returns the source of a live stream. It stays the same while rungs are added or removed. */
export function sourceOfStream(address: Pick<PlayerSource, 'playlistUrl' | 'drm' | 'renditions'>): PlayerSource {
  return { ...address, manifestUrl: null, durationSec: 0, hasPicture: true };
}
