const LOOK_EACH_MS = 1_000;
/** Time without progress after the end of a stream, in ms, after which it counts as played to its end. */
const STOPPED_MS = 2_000;
/** Length of known media after the position, in seconds, up to which a stop counts as the end. */
const LEFT_SEC = 3;

type Stream = {
  /** Whether the stream that is open has ended. */
  hasEnded(): boolean;
  /** Called when a stream has been played to its end. May be called repeatedly. */
  over(): void;
};

/**
 * Watches for the end of a stream: its last frame, or a stop after which no more media arrives. The second happens
 * without a recording, and in browsers that play HLS themselves.
 */
export function whenOver(video: HTMLVideoElement, { hasEnded, over }: Stream): void {
  let [sec, movedMs] = [0, 0];
  video.addEventListener('ended', over);
  setInterval(() => {
    const isMoving = video.currentTime !== sec || video.paused || !hasEnded();
    sec = video.currentTime;
    if (isMoving) movedMs = performance.now();
    const leftSec = Number.isFinite(video.duration) ? video.duration - sec : 0;
    if (performance.now() - movedMs >= STOPPED_MS && leftSec <= LEFT_SEC) over();
  }, LOOK_EACH_MS);
}
