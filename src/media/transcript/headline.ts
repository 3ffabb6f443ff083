import { centralSentences } from './central-sentences.ts';
import { LONGEST, plainLine } from './plain-line.ts';
import type { Transcript } from './transcript.ts';
import { chooseHeadline, isWholeSentence } from './whole-sentence.ts';

const SENTENCES = 3;

/**
 * Returns a title: the complete sentence that describes the speech best. Returns an empty string if no sentence can be
 * understood alone.
 */
export function makeTitle({ sentences, language }: Transcript): string {
  return chooseHeadline(sentences, language, LONGEST.title) ?? '';
}

/**
 * Returns a description: the complete sentences that have most in common with the others, in spoken order. Returns an
 * empty string if there are none.
 */
export function makeDescription({ sentences, language }: Transcript): string {
  const whole = sentences.filter(
    (sentence) => isWholeSentence(sentence) && sentence.text.length <= LONGEST.description,
  );
  const parts = centralSentences(whole, SENTENCES).map(({ text }) => text);
  const gap = /^(?:ja|zh|th)/.test(language) ? '' : ' ';
  while (parts.length > 1 && parts.join(gap).length > LONGEST.description) parts.pop();
  return plainLine(parts.join(gap), LONGEST.description);
}
