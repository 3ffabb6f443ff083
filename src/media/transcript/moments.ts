import { LONGEST, plainLine } from './plain-line.ts';
import type { Sentence } from './sentences.ts';
import { countStems, topicWords } from './topic-words.ts';
import type { Evidence, Transcript } from './transcript.ts';
import { asTitle, isWholeSentence } from './whole-sentence.ts';

/** A moment in whole seconds from the start. */
export type SpokenMoment = { label: string; timestamp: number };

export const MAX_MOMENTS = 10;
/** Seconds of video per moment. One more moment is added. */
const EVERY_SEC = 120;
const NEAREST_SEC = 8;
/** Weights of heat, words and loudness in a moment's score. */
const WEIGHTS = { heat: 1, words: 1, loudness: 0.4 };
/** Excess over the mean level that counts as loud, in dB. */
const LOUD_DB = 9;

/** Chooses moments that viewers rewatched, that contain characteristic words, or that are loud. Sorts them by time. */
export function makeMoments(transcript: Transcript, evidence: Evidence): SpokenMoment[] {
  const { sentences, durationSec } = transcript;
  const counts = countStems(sentences);
  const most = Math.max(1, ...counts.values());
  const rated = sentences
    .filter(({ words }) => words.some(({ isContent }) => isContent))
    .map((sentence) => ({ sentence, worth: rate(sentence, { counts, most, durationSec, evidence }) }))
    .toSorted((a, b) => b.worth - a.worth);
  const count = Math.min(MAX_MOMENTS, 1 + Math.ceil(durationSec / EVERY_SEC));
  const taken: Sentence[] = [];
  for (const { sentence } of rated) {
    if (taken.length === count) break;
    const isNear = taken.some((other) => Math.abs(other.startSec - sentence.startSec) < NEAREST_SEC);
    if (!isNear) taken.push(sentence);
  }
  return taken
    .toSorted((a, b) => a.startSec - b.startSec)
    .map((sentence) => ({ label: labelOf(sentence), timestamp: Math.floor(sentence.startSec) }));
}

type Scale = { counts: ReadonlyMap<string, number>; most: number; durationSec: number; evidence: Evidence };

function rate({ startSec, endSec, words }: Sentence, { counts, most, durationSec, evidence }: Scale): number {
  const content = words.filter(({ isContent }) => isContent);
  const said = content.reduce((sum, { stem }) => sum + (counts.get(stem) ?? 0) / most, 0) / (3 + content.length);
  const heat = heatAt(evidence.heat, (startSec + endSec) / 2 / Math.max(1, durationSec));
  return (
    WEIGHTS.words * said + WEIGHTS.heat * heat + WEIGHTS.loudness * loudness(evidence.loudnessDb, startSec, endSec)
  );
}

function heatAt(heat: readonly number[] | null, share: number): number {
  if (heat === null || heat.length === 0) return 0;
  return (heat[Math.min(heat.length - 1, Math.floor(share * heat.length))] ?? 0) / 100;
}

/** Returns by how much a time range is louder than the mean, from 0 to 1. */
function loudness(levels: readonly number[], startSec: number, endSec: number): number {
  if (levels.length === 0) return 0;
  const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
  const peak = Math.max(
    ...levels.slice(Math.floor(startSec), Math.max(Math.floor(startSec) + 1, Math.ceil(endSec))),
    mean,
  );
  return Math.min(1, (peak - mean) / LOUD_DB);
}

/** Returns a whole sentence if it is short enough, else its topic words. */
function labelOf(sentence: Sentence): string {
  const title = asTitle(sentence);
  if (isWholeSentence(sentence) && title.length <= LONGEST.moment) return plainLine(title, LONGEST.moment);
  return plainLine(topicWords([sentence], new Map()), LONGEST.moment);
}
