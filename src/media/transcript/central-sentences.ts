import type { Sentence } from './sentences.ts';

const DAMPING = 0.85;
const ROUNDS = 30;
const MAX_RANKED_SENTENCES = 400;
const MIN_WORDS = 4;

/**
 * Returns the sentences that have most in common with the others, in spoken order (TextRank, Mihalcea and Tarau 2004).
 * Drops very short sentences and questions if there are others.
 */
export function centralSentences(sentences: readonly Sentence[], count: number): Sentence[] {
  const reported = sentences.filter(({ words, text }) => contentOf(words).size >= MIN_WORDS && !/[?？]$/.test(text));
  const ranked = thin(reported.length > 0 ? reported : sentences, MAX_RANKED_SENTENCES);
  const ranks = rank(ranked.map(({ words }) => contentOf(words)));
  return ranked
    .map((sentence, index) => ({ sentence, rank: ranks[index] ?? 0 }))
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, count)
    .map(({ sentence }) => sentence)
    .toSorted((a, b) => a.startSec - b.startSec);
}

function contentOf(words: Sentence['words']): Set<string> {
  return new Set(words.filter(({ isContent }) => isContent).map(({ stem }) => stem));
}

/** Returns a list unchanged if it has at most `most` items, else every n-th item. */
function thin<T>(list: readonly T[], most: number): readonly T[] {
  const step = Math.ceil(list.length / most);
  return step <= 1 ? list : list.filter((_, index) => index % step === 0);
}

function rank(bags: readonly ReadonlySet<string>[]): number[] {
  const links = bags.map((bag, index) => bags.map((other, to) => (index === to ? 0 : similarity(bag, other))));
  const sums = links.map((row) => row.reduce((sum, link) => sum + link, 0));
  let ranks = bags.map(() => 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = ranks;
    ranks = bags.map((_, index) => {
      const flow = links.reduce(
        (sum, row, from) => sum + ((row[index] ?? 0) * (before[from] ?? 0)) / (sums[from] || 1),
        0,
      );
      return 1 - DAMPING + DAMPING * flow;
    });
  }
  return ranks;
}

function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size < 2 || b.size < 2) return 0;
  let shared = 0;
  for (const stem of a) if (b.has(stem)) shared += 1;
  return shared / (Math.log(a.size) + Math.log(b.size));
}
