const LOOK_EACH_MS = 200;
const LEFT_SEC = 0.3;

/**
 * Calls `run` once the loaded media after the current position has been shown, but not before `afterMs`. `clearTimeout`
 * with the result cancels the call.
 */
export function whenPlayedOut(
  video: HTMLVideoElement,
  afterMs: number,
  run: () => void,
): ReturnType<typeof setTimeout> {
  const fromMs = performance.now() + afterMs;
  const timer = setInterval(() => {
    if (leftSec(video) > LEFT_SEC || performance.now() < fromMs) return;
    clearInterval(timer);
    run();
  }, LOOK_EACH_MS);
  return timer;
}

function leftSec({ buffered, currentTime, error }: HTMLVideoElement): number {
  // After a decoder failure, no more media is shown.
  if (error !== null) return 0;
  for (let index = 0; index < buffered.length; index += 1) {
    if (buffered.start(index) <= currentTime && currentTime < buffered.end(index))
      return buffered.end(index) - currentTime;
  }
  return 0;
}
