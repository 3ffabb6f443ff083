import { shareTime } from '../../lib/share-time.ts';
import type { SpokenWord } from '../../ports/transcriber.ts';

const WITHOUT_SPACES = new Set(['ja', 'zh', 'th', 'lo', 'km', 'my']);

/** Returns the separator between two words of a language (ISO 639-1). */
export function wordGap(language: string): '' | ' ' {
  return WITHOUT_SPACES.has(language.slice(0, 2).toLowerCase()) ? '' : ' ';
}

/** Splits a text into words that share its time in proportion to their length. */
export function spreadWords({ text, startSec, endSec }: SpokenWord, language: string): SpokenWord[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const spread = shareTime(words, { startSec, endSec });
  return wordGap(language) === '' ? splitByDictionary(spread, language) : spread;
}

/**
 * Splits text without spaces into words with Unicode dictionaries (`Intl.Segmenter`). Punctuation stays with its word.
 */
export function splitByDictionary(words: readonly SpokenWord[], language: string): SpokenWord[] {
  const segmenter = new Intl.Segmenter(language.slice(0, 2), { granularity: 'word' });
  return words.flatMap((word) => {
    const parts: string[] = [];
    for (const { segment, isWordLike } of segmenter.segment(word.text.trim())) {
      const last = parts.length - 1;
      if (isWordLike === true || last < 0) parts.push(segment);
      else parts[last] += segment;
    }
    return shareTime(parts, word);
  });
}
