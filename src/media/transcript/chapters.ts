import { LONGEST, plainLine } from './plain-line.ts';
import { segmentTopics, type TopicUnit } from './segment-topics.ts';
import type { Sentence } from './sentences.ts';
import { countStems, topicWords } from './topic-words.ts';
import type { Evidence, Transcript } from './transcript.ts';
import { chooseHeadline } from './whole-sentence.ts';

/**
 * A chapter in whole seconds. The first begins at 0. Each ends where the next begins, and the last ends with the video.
 */
export type SpokenChapter = { title: string; start: number; end: number };

export const MAX_CHAPTERS = 50;
const MIN_DURATION_SEC = 10;
/** Minimum duration of a chapter as a fraction of the video, so that a long video does not get a hundred chapters. */
const MIN_SHARE = 0.025;
/**
 * Maximum time between a scene cut and the start of a sentence, in seconds, at which the cut indicates a break before
 * the sentence.
 */
const CUT_NEAR_SEC = 2;
/**
 * Weights of the signs of a break, as fractions of the cost of a segment. Their sum is below this cost, so that the
 * words remain decisive.
 */
const PAUSE_SIGN = 0.35;
const CUT_SIGN = 0.2;
/** Maximum excess over the usual pause that adds weight, in seconds. */
const LONG_PAUSE_SEC = 1.5;
/** Minimum number of words of a text with several topics. */
const MIN_WORDS = 30;

/**
 * Creates chapters at topic shifts, supported by pauses and scene cuts. Returns no chapters for a text with a single
 * topic.
 */
export function makeChapters(transcript: Transcript, { cutsSec }: Pick<Evidence, 'cutsSec'>): SpokenChapter[] {
  const { sentences, durationSec } = transcript;
  const usualSec = usualPause(sentences);
  const units = sentences.map((sentence, index) => toUnit(sentence, sentences[index - 1], { cutsSec, usualSec }));
  if (units.reduce((sum, { stems }) => sum + stems.length, 0) < MIN_WORDS) return [];
  const shortestSec = Math.max(MIN_DURATION_SEC, durationSec * MIN_SHARE);
  const starts = segmentTopics(units, { endSec: durationSec, shortestSec, mostSegments: MAX_CHAPTERS });
  if (starts.length < 2) return [];
  const groups = starts.map((start, index) => sentences.slice(start, starts[index + 1] ?? sentences.length));
  return inWholeSeconds(
    groups.map((group) => ({ title: titleOf(group, transcript), startSec: breakBefore(group, cutsSec) })),
    durationSec,
  );
}

/** Creates chapters from titles and start times: in order, from 0 to the end, each at least a second long. */
export function inWholeSeconds(
  begun: readonly { title: string; startSec: number }[],
  durationSec: number,
): SpokenChapter[] {
  const end = Math.max(1, Math.round(durationSec));
  const kept: { title: string; start: number }[] = [];
  for (const { title, startSec } of begun.toSorted((a, b) => a.startSec - b.startSec)) {
    const start = kept.length === 0 ? 0 : Math.round(startSec);
    if (start < end && start > (kept.at(-1)?.start ?? -1) && kept.length < MAX_CHAPTERS) kept.push({ title, start });
  }
  return kept.map(({ title, start }, index) => ({ title, start, end: kept[index + 1]?.start ?? end }));
}

/** Returns the third quartile of the pauses between sentences. */
function usualPause(sentences: readonly Sentence[]): number {
  const pauses = sentences.slice(1).map(({ startSec }, index) => startSec - (sentences[index]?.endSec ?? startSec));
  return Math.max(0, pauses.toSorted((a, b) => a - b)[Math.floor(pauses.length * 0.75)] ?? 0);
}

type Signs = { cutsSec: readonly number[]; usualSec: number };

function toUnit(sentence: Sentence, before: Sentence | undefined, { cutsSec, usualSec }: Signs): TopicUnit {
  const pauseSec = before === undefined ? 0 : sentence.startSec - before.endSec - usualSec;
  const isCut = nearestCut(cutsSec, sentence.startSec) !== null;
  return {
    stems: sentence.words.filter(({ isContent }) => isContent).map(({ stem }) => stem),
    startSec: sentence.startSec,
    breakBefore: PAUSE_SIGN * Math.min(1, Math.max(0, pauseSec) / LONG_PAUSE_SEC) + (isCut ? CUT_SIGN : 0),
  };
}

/** Returns the start of a chapter: the start of its scene, if the scene begins with its first sentence. */
function breakBefore([first]: readonly Sentence[], cutsSec: readonly number[]): number {
  const startSec = first?.startSec ?? 0;
  const cut = nearestCut(cutsSec, startSec);
  return cut !== null && cut < startSec ? cut : startSec;
}

function nearestCut(cutsSec: readonly number[], sec: number): number | null {
  let nearest: number | null = null;
  for (const cut of cutsSec) {
    if (Math.abs(cut - sec) <= Math.min(CUT_NEAR_SEC, Math.abs((nearest ?? Number.POSITIVE_INFINITY) - sec)))
      nearest = cut;
  }
  return nearest;
}

/** Returns the whole sentence that describes a chapter best, or its characteristic words. */
function titleOf(group: readonly Sentence[], { sentences, language }: Transcript): string {
  const headline = chooseHeadline(group, language, LONGEST.chapter);
  if (headline !== null) return headline;
  const own = new Set(group);
  return plainLine(topicWords(group, countStems(sentences.filter((sentence) => !own.has(sentence)))), LONGEST.chapter);
}
