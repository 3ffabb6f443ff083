import { capitalise } from './plain-line.ts';
import type { Sentence } from './sentences.ts';

/** Counts the occurrences of each content stem. */
export function countStems(sentences: readonly Sentence[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { words } of sentences) {
    for (const { stem, isContent } of words) if (isContent) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  return counts;
}

/**
 * Describes the topic of sentences by words that are frequent in them and rare elsewhere, as in "Telescope, light".
 * Returns a list of words, because consecutive words are rarely a phrase. Returns an empty string if there are no
 * content words.
 */
export function topicWords(sentences: readonly Sentence[], elsewhere: ReadonlyMap<string, number>): string {
  const here = countStems(sentences);
  const weigh = (stem: string) => (here.get(stem) ?? 0) / (1 + Math.sqrt(elsewhere.get(stem) ?? 0));
  const firsts = new Map<string, string>();
  for (const { text, words } of sentences) {
    for (const { stem, isContent, start, end } of words) {
      if (isContent && !firsts.has(stem)) firsts.set(stem, text.slice(start, end));
    }
  }
  const [best, second] = [...firsts].toSorted(([a], [b]) => weigh(b) - weigh(a)).map(([, word]) => word);
  if (best === undefined) return '';
  return capitalise(second === undefined ? best : `${best}, ${second}`);
}
