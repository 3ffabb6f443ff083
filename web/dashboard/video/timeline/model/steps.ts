/** Steps per second in media without a frame rate, such as audio. */
const STEPS_WITHOUT_FRAMES = 10;
/** Positions are rounded to milliseconds, so a position slightly before a frame belongs to it. */
const TOLERANCE_SEC = 0.0006;

/** Returns the steps per second of a video: its frame rate, or tenths of a second if the rate is unknown. */
export function stepRate(framesPerSec: number): number {
  return framesPerSec > 0 && framesPerSec <= 240 ? framesPerSec : STEPS_WITHOUT_FRAMES;
}

/** Returns the start of the frame at a position. */
export function frameStart(sec: number, rate: number): number {
  return roundMs(Math.floor((sec + TOLERANCE_SEC) * rate) / rate);
}

/** Returns the nearest start of a frame. */
export function nearestFrame(sec: number, rate: number): number {
  return roundMs(Math.round(sec * rate) / rate);
}

/** Returns the start of the frame that is `steps` after the frame at a position, between 0 and `lengthSec`. */
export function stepFrom(sec: number, steps: number, rate: number, lengthSec: number): number {
  const frame = Math.floor((sec + TOLERANCE_SEC) * rate) + steps;
  return roundMs(Math.min(lengthSec, Math.max(0, frame / rate)));
}

/** Returns the nearest target within the tolerance. Without one, returns the position itself. */
export function snapTo(sec: number, targets: readonly number[], toleranceSec: number): number {
  let found = sec;
  let least = toleranceSec;
  for (const target of targets) {
    const distance = Math.abs(target - sec);
    if (distance <= least) [found, least] = [target, distance];
  }
  return found;
}

function roundMs(sec: number): number {
  return Math.round(sec * 1000) / 1000;
}
