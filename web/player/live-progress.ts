import type { Session } from './session.ts';

const LOOK_EACH_MS = 250;
/** Time without progress, in ms, after which the picture counts as stopped and the state is requested. */
const STOPPED_MS = 1_000;
/** Time without progress, in ms, after which a stream does not count as live even if the reason is unknown. */
const WAITING_MS = 2_000;
const ASK_EACH_MS = 1_000;

/**
 * Progress of a live stream on this page. `waiting`: the picture stopped for an unknown reason. `interrupted`: it
 * stopped because no media arrives from the publisher.
 */
export type Progress = 'playing' | 'waiting' | 'interrupted';

/** The current progress. Dispatches `change`. */
export type LiveProgress = EventTarget & { readonly now: Progress };

type Video = Pick<HTMLVideoElement, 'currentTime' | 'paused' | 'readyState' | 'HAVE_FUTURE_DATA'> & EventTarget;
type Stream = Pick<Session, 'isLive' | 'view' | 'refresh'> & EventTarget;

/**
 * Watches whether the picture of a live stream moves. An interruption is only reported once the picture has stopped,
 * because loaded media still plays, and until it moves again. Short stalls are not reported.
 */
export function watchLiveProgress(video: Video, session: Stream): LiveProgress {
  const progress = new Watch();
  let [sec, movedMs, askedMs, isAsking] = [video.currentTime, performance.now(), 0, false];
  let viewMs = movedMs;
  const ask = async () => {
    isAsking = true;
    askedMs = performance.now();
    await session.refresh().finally(() => {
      isAsking = false;
    });
  };
  const look = () => {
    const nowMs = performance.now();
    // hls.js changes the position of a stalled video slightly.
    const moves = video.currentTime !== sec && video.readyState >= video.HAVE_FUTURE_DATA;
    sec = video.currentTime;
    const isAway = session.view.kind === 'reconnecting';
    if (moves || !session.isLive || (video.paused && !isAway)) {
      movedMs = nowMs;
      progress.set('playing');
      return;
    }
    const stoppedMs = nowMs - movedMs;
    // After a publisher's return, the state from before may be outdated.
    const isKnown = isAway && viewMs >= movedMs;
    if (video.paused || (isKnown && stoppedMs >= STOPPED_MS)) progress.set('interrupted');
    else if (stoppedMs >= WAITING_MS && progress.now === 'playing') progress.set('waiting');
    if (!isKnown && stoppedMs >= STOPPED_MS && !isAsking && nowMs - askedMs >= ASK_EACH_MS) void ask();
  };
  video.addEventListener('seeking', () => {
    if (progress.now === 'playing') movedMs = performance.now();
  });
  session.addEventListener('view', () => {
    viewMs = performance.now();
    look();
  });
  setInterval(look, LOOK_EACH_MS);
  return progress;
}

class Watch extends EventTarget implements LiveProgress {
  now: Progress = 'playing';

  set(next: Progress): void {
    if (next === this.now) return;
    this.now = next;
    this.dispatchEvent(new Event('change'));
  }
}
