import { shareTime } from '../../lib/share-time.ts';
import type { Speech, SpokenWord } from '../../ports/transcriber.ts';

/** Fields of a recogniser's result that this module reads: tokens and their start times, in seconds. */
export type RecognisedSpan = {
  text: string;
  lang?: string;
  tokens?: readonly string[];
  timestamps?: readonly number[];
};

/** Approximate duration of a token without a successor, in seconds. */
const TOKEN_SEC = 0.3;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Returns the words of a span. If tokens have no times, the time of the span is divided among the words in proportion
 * to their length.
 */
export function readRecognisedWords(span: RecognisedSpan, lengthSec: number, language: string): Speech {
  const { tokens = [], timestamps = [] } = span;
  const isTimed = tokens.length > 0 && timestamps.length === tokens.length;
  const words = isTimed ? joinTokens(tokens, timestamps, lengthSec) : spread(span.text, lengthSec);
  return { language: languageOf(span.lang, language), words };
}

/** Parses the language of a result: `<|en|>` (SenseVoice) or `en` (Whisper). */
function languageOf(answered: string | undefined, otherwise: string): string {
  return /^(?:<\|)?([a-z]{2})(?:\|>)?$/.exec(answered ?? '')?.[1] ?? otherwise;
}

function spread(text: string, lengthSec: number): SpokenWord[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return shareTime(words, { startSec: 0, endSec: lengthSec });
}

type Token = { text: string; startSec: number; beginsWord: boolean };

/**
 * Joins tokens into words. A word begins at a space (`▁` in some vocabularies) and at each character of a script
 * without spaces. `@@` joins to the next token.
 */
function joinTokens(tokens: readonly string[], timestamps: readonly number[], lengthSec: number): SpokenWord[] {
  const words: (SpokenWord & { lastSec: number })[] = [];
  for (const { text, startSec, beginsWord } of readTokens(tokens, timestamps)) {
    const last = words.at(-1);
    if (last === undefined || beginsWord) words.push({ text, startSec, endSec: lengthSec, lastSec: startSec });
    else Object.assign(last, { text: last.text + text, lastSec: startSec });
  }
  return words
    .filter(({ text }) => text !== '')
    .map(({ text, startSec, lastSec }, index, all) => {
      const nextSec = all[index + 1]?.startSec ?? lengthSec;
      return { text, startSec, endSec: Math.max(startSec + 0.01, Math.min(nextSec, lastSec + TOKEN_SEC)) };
    });
}

function readTokens(tokens: readonly string[], timestamps: readonly number[]): Token[] {
  // Vocabularies of Paraformer have no spaces: each token is a word unless `@@` joins it.
  const hasSpaces = tokens.some((token) => /^[ ▁]/.test(token));
  let joins = false;
  return tokens.flatMap((token, index) => {
    if (/^<.*>$/.test(token)) return [];
    const isOwn = WITHOUT_SPACES.test(token);
    const isPunctuation = /^[\p{P}]+$/u.test(token.trim());
    const beginsWord = !joins && !isPunctuation && (isOwn || /^[ ▁]/.test(token) || !hasSpaces);
    joins = token.endsWith('@@');
    const text = token
      .replace(/^[ ▁]+/, '')
      .replace(/@@$/, '')
      .trim();
    return [{ text, startSec: timestamps[index] ?? 0, beginsWord }];
  });
}
