import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { LiveWindow, PlayerSource, StreamPhase, VideoPhase } from './player-state.ts';

/** Intended distance of a viewer to the newest part: three parts of a quarter of a second, and their transport. */
const TARGET_LATENCY_SEC = 1.5;

/** `percent` is the progress of its recording. `mayPreview`: the viewer may see media published before the start. */
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

/** Returns the stream that a publication shows; null for a video, including a recording of several periods. */
export function streamOf({ live, state }: Publication): LiveHead | null {
  return live === undefined || state === 'finished' ? null : live;
}

/** Returns whether media is published that will not be shown after the start. */
export function hasPreview({ state, feedUrl, isInterrupted }: LiveHead): boolean {
  return state === 'preview' && feedUrl !== null && !isInterrupted;
}

function liveWindow({ dvrWindowSec }: LiveHead, viewers: number | null): LiveWindow {
  return { dvrSec: dvrWindowSec ?? 0, targetLatencySec: TARGET_LATENCY_SEC, viewers };
}

/** A stream has one source, within which its rungs come and go. */
export function sourceOfStream(address: Pick<PlayerSource, 'playlistUrl' | 'drm'>): PlayerSource {
  return { ...address, manifestUrl: null, durationSec: 0, hasPicture: true, renditions: [] };
}
