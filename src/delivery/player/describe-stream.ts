import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { LiveWindow, PlayerSource, StreamPhase, VideoPhase } from './player-state.ts';

/** Target latency behind the newest part, in seconds: three parts of a quarter of a second, plus transport. */
const TARGET_LATENCY_SEC = 1.5;

/**
 * `percent` is the conversion progress of the recording. `mayPreview` is whether the viewer may see media published
 * before the start.
 */
export type Watching = { percent: number; mayPreview: boolean; viewers: number | null; nowMs: number };

/** Describes the state of a live stream. */
export function phaseOfStream(
  head: LiveHead,
  { percent, mayPreview, viewers, nowMs }: Watching,
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
      const isAway = head.feedUrl === null || head.isInterrupted;
      return isAway ? { kind: 'reconnecting', sinceMs: nowMs, live } : { kind: 'live', live };
    }
    case 'vod-processing':
      return { kind: 'converting', percent };
    case 'ended':
      return { kind: 'stream-ended' };
    case 'error':
      return { kind: 'failed', reason: 'stream-failed' };
  }
}

/**
 * Returns the stream that a publication shows, or null for a video. A finished recording of several periods counts as a
 * video.
 */
export function streamOf({ live, state }: Publication): LiveHead | null {
  return live === undefined || state === 'finished' ? null : live;
}

/** Whether media is published that will not be shown after the start. */
export function hasPreview({ state, feedUrl, isInterrupted }: LiveHead): boolean {
  return state === 'preview' && feedUrl !== null && !isInterrupted;
}

function liveWindow({ dvrWindowSec }: LiveHead, viewers: number | null): LiveWindow {
  return { dvrSec: dvrWindowSec ?? 0, targetLatencySec: TARGET_LATENCY_SEC, viewers };
}

/** A stream has a single source. Its rungs may change while it runs. */
export function sourceOfStream(address: Pick<PlayerSource, 'playlistUrl' | 'drm'>): PlayerSource {
  return { ...address, manifestUrl: null, durationSec: 0, hasPicture: true, renditions: [] };
}
