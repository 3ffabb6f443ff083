import { centralSentences } from './central-sentences.ts';
import { countStems, distinctPhrases, keyPhrases } from './key-phrases.ts';
import { capitalise, LONGEST, plainLine } from './plain-line.ts';
import type { Transcript } from './transcript.ts';

const SENTENCES = 3;

/** A title made of the phrases that stand for the whole: empty when nothing of content is said. */
export function makeTitle({ sentences }: Transcript): string {
  const counts = countStems(sentences);
  // Without another text to compare with, a phrase of words that are said only once stands for little.
  const repeated = keyPhrases(sentences, new Map()).filter(({ stems }) =>
    stems.some((stem) => (counts.get(stem) ?? 0) > 1),
  );
  const [best, second] = distinctPhrases(repeated.length > 0 ? repeated : keyPhrases(sentences, new Map()), 2);
  if (best === undefined) return '';
  const text = best.stems.length < 3 && second !== undefined ? `${best.text}, ${second.text}` : best.text;
  return capitalise(plainLine(text, LONGEST.title));
}

/** A description made of the sentences that share most with the rest, in their order. */
export function makeDescription({ sentences, language }: Transcript): string {
  const parts = centralSentences(sentences, SENTENCES).map(({ text }) => capitalise(endSentence(text)));
  const gap = /^(?:ja|zh|th)/.test(language) ? '' : ' ';
  while (parts.length > 1 && parts.join(gap).length > LONGEST.description) parts.pop();
  return plainLine(parts.join(gap), LONGEST.description);
}

function endSentence(text: string): string {
  return /[.!?…。！？]["'”’)]?$/.test(text) || !/\p{Script=Latin}/u.test(text)
    ? text
    : `${text.replace(/[,;:–-]+$/, '')}.`;
}
