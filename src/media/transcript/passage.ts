import type { Cue } from '../captions/cue.ts';

/** A section of a video's speech as plain text, with times in seconds from the start of the video. */
export type Passage = { startSec: number; endSec: number; text: string };

const TAG = /<[^<>]*>/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' };
const ENTITY = /&(amp|lt|gt|nbsp|lrm|rlm);/g;
/** Matches caption marks of sounds and speakers, such as `[Music]` and `(laughs)`, which are not spoken. */
const AUDIO_MARK = /\[[^[\]]{0,60}\]|\([^()]{0,40}\)|♪[^♪]*♪?/g;

/**
 * Extracts the text of cues (W3C WebVTT 4.2.2), without tags and marks of sounds. Drops cues that contain nothing else.
 */
export function toPassages(cues: readonly Cue[]): Passage[] {
  return cues.flatMap(({ startMs, endMs, text }) => {
    const plain = text
      .replace(TAG, '')
      .replace(ENTITY, (_, name: string) => ENTITIES[name] ?? '')
      .replace(AUDIO_MARK, ' ')
      .replace(/^[-–—]\s*/gm, '')
      .replace(/\s+/g, ' ')
      .trim();
    return plain === '' ? [] : [{ startSec: startMs / 1000, endSec: endMs / 1000, text: plain }];
  });
}
