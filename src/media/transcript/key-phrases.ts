import type { Sentence } from './sentences.ts';
import type { Word } from './words.ts';

/** A phrase of the text as it was said, and how well it stands for it. */
export type KeyPhrase = { text: string; stems: readonly string[]; score: number };

const MOST_WORDS = 4;

/** How often each stem of content is said. */
export function countStems(sentences: readonly Sentence[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { words } of sentences) {
    for (const { stem, isContent } of words) if (isContent) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  return counts;
}

/**
 * Ranks the phrases of some sentences, best first: runs of content words (as RAKE takes them, Rose et al. 2010), each
 * word weighed by how often it is said here and how seldom elsewhere. `elsewhere` counts the stems of the rest of the
 * text.
 */
export function keyPhrases(sentences: readonly Sentence[], elsewhere: ReadonlyMap<string, number>): KeyPhrase[] {
  const here = countStems(sentences);
  const weigh = (stem: string) => {
    const count = here.get(stem) ?? 0;
    return (count - 0.5) / (1 + Math.sqrt(elsewhere.get(stem) ?? 0));
  };
  const phrases = new Map<string, KeyPhrase & { count: number }>();
  for (const { text, words } of sentences) {
    for (const run of contentRuns(words)) {
      const stems = run.map(({ stem }) => stem);
      const name = stems.join(' ');
      const held = phrases.get(name);
      if (held !== undefined) {
        held.count += 1;
        continue;
      }
      const [first, last] = [run[0], run.at(-1)];
      if (first === undefined || last === undefined) continue;
      const weight = new Set(stems).size === stems.length ? stems.reduce((sum, stem) => sum + weigh(stem), 0) : 0;
      // A longer run is more informative, but not by as much as it is longer.
      const score = weight / stems.length ** 0.6;
      phrases.set(name, { text: text.slice(first.start, last.end), stems, score, count: 1 });
    }
  }
  return [...phrases.values()]
    .map(({ count, ...phrase }) => ({ ...phrase, score: phrase.score * (1 + Math.log(count)) }))
    .toSorted((a, b) => b.score - a.score);
}

/** The best phrases that share no word. */
export function distinctPhrases(phrases: readonly KeyPhrase[], count: number): KeyPhrase[] {
  const taken: KeyPhrase[] = [];
  for (const phrase of phrases) {
    if (taken.length === count) break;
    if (taken.every(({ stems }) => !stems.some((stem) => phrase.stems.includes(stem)))) taken.push(phrase);
  }
  return taken;
}

function* contentRuns(words: readonly Word[]): Generator<Word[]> {
  let run: Word[] = [];
  for (const word of words) {
    const last = run.at(-1);
    const goesOn = word.isContent && run.length < MOST_WORDS && (last === undefined || last.phrase === word.phrase);
    if (goesOn) {
      run.push(word);
      continue;
    }
    if (run.length > 0) yield run;
    run = word.isContent ? [word] : [];
  }
  if (run.length > 0) yield run;
}
