import type { SpokenWord } from '../../ports/transcriber.ts';
import type { Cue } from '../captions/cue.ts';
import { splitByDictionary, wordGap } from './spread-words.ts';

export const MAX_LINE_CHARS = 42;
const MAX_LINES = 2;
export const MAX_CUE_SEC = 7;
export const MAX_CHARS_A_SEC = 20;
const MIN_CUE_SEC = 1;
/**
 * Maximum delay of a cue after its first word, in seconds. Speech that is too fast to read waits for the previous cue.
 */
export const MAX_BEHIND_SEC = 3;
/** Minimum pause between two words that starts a new cue, in seconds. */
const PAUSE_SEC = 0.8;
const SENTENCE_END = /[.!?…。！？]["'”’)]?$/;

/**
 * Creates cues from words of a language (ISO 639-1), with at most two lines of 42 characters, 7 s, and 20 characters
 * per second. Breaks preferably at pauses and ends of sentences. Drops words in the wrong order or repeated many times
 * (a known fault of engines), and cues that would be shown more than 3 s late, because people do not speak that fast
 * for long.
 */
export function buildCues(words: readonly SpokenWord[], language: string): Cue[] {
  const gap = wordGap(language);
  const groups: SpokenWord[][] = [];
  let group: SpokenWord[] = [];
  for (const word of plausible(gap === '' ? splitByDictionary(words, language) : words)) {
    if (group.length > 0 && breaksBefore(group, word, gap)) {
      groups.push(group);
      group = [];
    }
    group.push(word);
  }
  if (group.length > 0) groups.push(group);
  const cues: Cue[] = [];
  for (const [index, each] of groups.entries()) {
    const freeMs = cues.at(-1)?.endMs ?? 0;
    const nextMs = toMs(groups[index + 1]?.[0]?.startSec ?? Number.POSITIVE_INFINITY);
    const cue = toCue(each, { freeMs, nextMs }, gap);
    if (cue.startMs - toMs(each[0]?.startSec ?? 0) <= MAX_BEHIND_SEC * 1000) cues.push(cue);
  }
  return cues;
}

function breaksBefore(group: readonly SpokenWord[], word: SpokenWord, gap: string): boolean {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return false;
  if (word.startSec - last.endSec > PAUSE_SEC || SENTENCE_END.test(last.text)) return true;
  if (word.endSec - first.startSec > MAX_CUE_SEC) return true;
  return (
    breakLines(
      [...group, word].map(({ text }) => text),
      gap,
    ) === null
  );
}

type Room = { freeMs: number; nextMs: number };

/**
 * Creates a cue that starts after the end of the previous one. The cue ends when the next one starts, if it has been
 * shown long enough to be read by then.
 */
function toCue(group: readonly SpokenWord[], { freeMs, nextMs }: Room, gap: string): Cue {
  const texts = group.map(({ text }) => text);
  const startMs = Math.max(freeMs, toMs(group[0]?.startSec ?? 0));
  const readMs = startMs + Math.ceil((texts.join(gap).length / MAX_CHARS_A_SEC) * 1000);
  const wantedMs = Math.max(readMs, startMs + MIN_CUE_SEC * 1000, toMs(group.at(-1)?.endSec ?? 0));
  const endMs = Math.min(startMs + MAX_CUE_SEC * 1000, Math.max(readMs, Math.min(wantedMs, nextMs)));
  const lines = breakLines(texts, gap) ?? [texts.join(gap)];
  return { startMs, endMs, settings: '', text: lines.map(escapeText).join('\n') };
}

function toMs(sec: number): number {
  return Math.round(sec * 1000);
}

/**
 * Returns one line if the text fits, else two lines of similar length, or null if the text does not fit. An oversized
 * word gets its own line.
 */
function breakLines(texts: readonly string[], gap: string): string[] | null {
  const whole = texts.join(gap);
  if (whole.length <= MAX_LINE_CHARS || texts.length === 1) return [whole];
  let best: string[] | null = null;
  for (let index = 1; index < texts.length; index += 1) {
    const lines = [texts.slice(0, index).join(gap), texts.slice(index).join(gap)];
    if (lines.length > MAX_LINES || lines.some((line) => line.length > MAX_LINE_CHARS)) continue;
    if (best === null || longest(lines) < longest(best)) best = lines;
  }
  return best;
}

function longest(lines: readonly string[]): number {
  return Math.max(...lines.map(({ length }) => length));
}

/**
 * Number of successive occurrences from which a repeated word counts as a fault of the engine. One occurrence is kept.
 */
const STUTTER = 4;

function plausible(words: readonly SpokenWord[]): SpokenWord[] {
  const kept: SpokenWord[] = [];
  for (const [index, word] of words.entries()) {
    const text = word.text.replaceAll(/\s+/g, ' ').trim();
    const last = kept.at(-1);
    if (text === '' || !(word.endSec > word.startSec) || (last && word.startSec < last.startSec)) continue;
    const run = words.slice(Math.max(0, index - STUTTER + 1), index + 1);
    if (run.length === STUTTER && run.every((each) => each.text.trim() === text)) continue;
    // Truncate the word to a line, but not within a surrogate pair, so that no single word can exceed the limits.
    kept.push({ ...word, text: text.slice(0, MAX_LINE_CHARS).replace(/[\uD800-\uDBFF]$/, '') });
    dropRepeated(kept);
  }
  return kept;
}

/**
 * Maximum number of words in a phrase that an engine repeats by mistake. Two occurrences are kept, because they may be
 * intended.
 */
const MAX_PHRASE_WORDS = 12;
const MAX_REPETITIONS = 2;

function dropRepeated(kept: SpokenWord[]): void {
  for (let length = 2; length <= MAX_PHRASE_WORDS; length += 1) {
    const tail = kept.slice(-length * (MAX_REPETITIONS + 1)).map(({ text }) => text.toLowerCase());
    if (tail.length < length * (MAX_REPETITIONS + 1)) return;
    if (tail.every((text, index) => text === tail[index % length])) {
      kept.length -= length;
      return;
    }
  }
}

/** Escapes the three special characters of WebVTT cue text (W3C WebVTT 4.2.2). */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
