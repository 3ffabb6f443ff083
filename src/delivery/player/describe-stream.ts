import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { LiveWindow, PlayerSource, StreamPhase, VideoPhase } from './player-state.ts';

/** How far behind the newest part a viewer is by design: three parts of a quarter of a second, and the way to them. */
const TARGET_LATENCY_SEC = 1.5;

/** `percent` is how far its recording is; `mayPreview`: the viewer may see what is published before the start. */
export type Watching = { percent: number; mayPreview: boolean; viewers: number | null; nowMs: number };

/** Describes what a live stream is doing. */
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

/** The stream that a publication shows; null for a video, which a recording of several periods is, too. */
export function streamOf({ live, state }: Publication): LiveHead | null {
  return live === undefined || state === 'finished' ? null : live;
}

/** Whether something is published that the start will not show. */
export function hasPreview({ state, feedUrl, isInterrupted }: LiveHead): boolean {
  return state === 'preview' && feedUrl !== null && !isInterrupted;
}

function liveWindow({ dvrWindowSec }: LiveHead, viewers: number | null): LiveWindow {
  return { dvrSec: dvrWindowSec ?? 0, targetLatencySec: TARGET_LATENCY_SEC, viewers };
}

/** A stream has one source; its rungs come and go within it. */
export function sourceOfStream(address: Pick<PlayerSource, 'playlistUrl' | 'drm'>): PlayerSource {
  return { ...address, manifestUrl: null, durationSec: 0, hasPicture: true, renditions: [] };
}
