import type { Passage } from './passage.ts';
import type { Word, WordReader } from './word-reader.ts';

/** A spoken sentence with its words. `isPart` means that the captions do not show its beginning or end. */
export type Sentence = Passage & { words: readonly Word[]; isPart?: boolean };

/**
 * Maximum number of characters of a sentence. A longer text is speech without punctuation, as some engines write it.
 * Its passages are used as sentences.
 */
const LONG_CHARS = 220;
/** Minimum pause that ends a sentence, whatever the punctuation, in seconds. */
const PAUSE_SEC = 2;
/** Maximum number of sentences. If there are more, pairs are joined, because later steps take quadratic time. */
const MAX_SENTENCES = 1_500;

/** Joins passages and splits them into sentences (Unicode UAX 29), which keep the times of their parts. */
export function readSentences(passages: readonly Passage[], language: string, read: WordReader): Sentence[] {
  const segmenter = new Intl.Segmenter(language.slice(0, 2), { granularity: 'sentence' });
  let sentences: (Passage & { isPart?: boolean })[] = [];
  for (const run of splitAtPauses(passages)) sentences.push(...splitRun(run, segmenter));
  while (sentences.length > MAX_SENTENCES) sentences = joinPairs(sentences);
  return sentences.map((sentence) => ({ ...sentence, words: read(sentence.text) }));
}

function splitAtPauses(passages: readonly Passage[]): Passage[][] {
  const runs: Passage[][] = [];
  let last: Passage | undefined;
  for (const passage of passages) {
    if (last === undefined || passage.startSec - last.endSec > PAUSE_SEC) runs.push([]);
    runs.at(-1)?.push(passage);
    last = passage;
  }
  return runs;
}

function splitRun(run: readonly Passage[], segmenter: Intl.Segmenter): (Passage & { isPart: boolean })[] {
  const text = run.map((passage) => passage.text).join(' ');
  const sentences: (Passage & { isPart: boolean })[] = [];
  for (const { segment, index } of segmenter.segment(text)) {
    const cuts = cutLong(run, index, index + segment.length);
    for (const { start, end } of cuts) {
      const part = text.slice(start, end).trim();
      if (part === '') continue;
      const times = { startSec: timeAt(run, start), endSec: timeAt(run, end - 1, true) };
      sentences.push({ ...times, text: part, isPart: cuts.length > 1 });
    }
  }
  return sentences;
}

/** Splits a long range of a run's text at the ends of passages. */
function cutLong(run: readonly Passage[], from: number, to: number): { start: number; end: number }[] {
  if (to - from <= LONG_CHARS) return [{ start: from, end: to }];
  const parts: { start: number; end: number }[] = [];
  let start = from;
  let offset = 0;
  for (const { text } of run) {
    offset += text.length + 1;
    if (offset >= to) break;
    if (offset <= from) continue;
    parts.push({ start, end: offset });
    start = offset;
  }
  return [...parts, { start, end: to }];
}

/** Returns the time of the character at an offset. The text of a passage is spread evenly over its time. */
function timeAt(run: readonly Passage[], at: number, isEnd = false): number {
  let offset = 0;
  for (const { text, startSec, endSec } of run) {
    const next = offset + text.length + 1;
    if (at < next)
      return startSec + ((endSec - startSec) * Math.min(text.length, at - offset + (isEnd ? 1 : 0))) / text.length;
    offset = next;
  }
  return run.at(-1)?.endSec ?? 0;
}

function joinPairs(sentences: readonly Passage[]): (Passage & { isPart?: boolean })[] {
  const joined: (Passage & { isPart?: boolean })[] = [];
  for (let at = 0; at < sentences.length; at += 2) {
    const [first, second] = [sentences[at], sentences[at + 1]];
    if (first === undefined) break;
    joined.push(
      second === undefined
        ? first
        : { ...first, endSec: second.endSec, text: `${first.text} ${second.text}`, isPart: true },
    );
  }
  return joined;
}
