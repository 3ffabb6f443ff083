import type { AudioFacts } from './source-facts.ts';

const LEFT = /^(l|left|links|gauche|.*[ _-](l|left))$/i;
const RIGHT = /^(r|right|rechts|droite|.*[ _-](r|right))$/i;
/** Maximum difference between the starts of two sides of one recording, in seconds. */
const MAX_START_DIFFERENCE_SEC = 0.1;

/**
 * Joins mono tracks that are the left and right channel of one recording, as recorders and broadcast files store them:
 * two adjacent similar tracks without titles, or with titles such as "left" and "right". Leaves an odd number of
 * untitled mono tracks unchanged.
 */
export function joinSides(tracks: readonly AudioFacts[]): AudioFacts[] {
  const untitled = tracks.filter((track) => track.channels === 1 && track.title === null);
  const joined: AudioFacts[] = [];
  for (let index = 0; index < tracks.length; index += 1) {
    const [left, right] = tracks.slice(index, index + 2);
    if (left === undefined) break;
    if (right === undefined || !areSides(left, right, untitled.length % 2 === 0)) {
      joined.push(left);
      continue;
    }
    joined.push({ ...left, channels: 2, title: null, rightStreamIndex: right.streamIndex });
    index += 1;
  }
  return joined;
}

function areSides(left: AudioFacts, right: AudioFacts, mayBeUntitled: boolean): boolean {
  const isAlike =
    [left, right].every(({ channels }) => channels === 1) &&
    left.codec === right.codec &&
    left.sampleRateHz === right.sampleRateHz &&
    left.language === right.language &&
    left.role === right.role &&
    Math.abs(left.startSec - right.startSec) <= MAX_START_DIFFERENCE_SEC;
  if (!isAlike) return false;
  if (left.title === null && right.title === null) return mayBeUntitled;
  return LEFT.test(left.title ?? '') && RIGHT.test(right.title ?? '');
}
