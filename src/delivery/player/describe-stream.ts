import type { LiveHead } from '../../catalog/live/live-head.ts';
import type { PlayerSource, StreamPhase, VideoPhase } from './player-state.ts';

/** How far behind the newest part a viewer is by design: three parts of a quarter of a second, and the way to them. */
const TARGET_LATENCY_SEC = 1.5;

/** Describes what a live stream is doing; `percent` is how far its recording is. */
export function phaseOfStream(head: LiveHead, percent: number, nowMs: number): StreamPhase | VideoPhase {
  switch (head.state) {
    case 'created':
    case 'scheduled':
    case 'preview': {
      const { startsAtMs } = head;
      const isToCome = startsAtMs !== null && startsAtMs > nowMs;
      return isToCome ? { kind: 'countdown', startsAtMs } : { kind: 'awaiting-publisher' };
    }
    case 'running': {
      const live = { dvrSec: head.dvrWindowSec ?? 0, targetLatencySec: TARGET_LATENCY_SEC, viewers: null };
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

/** Whether viewers wait for a stream to begin: then they may be shown its trailer. */
export function isToBegin({ state }: LiveHead): boolean {
  return state === 'created' || state === 'scheduled' || state === 'preview';
}

/** A running stream has one source; its rungs come and go within it. */
export function sourceOfStream({ state }: LiveHead, playlistUrl: string): PlayerSource | null {
  if (state !== 'running') return null;
  return { playlistUrl, manifestUrl: null, durationSec: 0, hasPicture: true, renditions: [], drm: null };
}
