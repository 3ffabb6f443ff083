import { expect, test } from 'vitest';
import { readRecognisedWords } from './recognised-words.ts';

const texts = (span: Parameters<typeof readRecognisedWords>[0], lengthSec = 10) =>
  readRecognisedWords(span, lengthSec, 'en').words.map(({ text }) => text);

test('joins tokens into words at spaces, each with its own time', () => {
  const tokens = [' HE', ' W', 'AS', ',', ' NOT'];
  const { words } = readRecognisedWords({ text: '', tokens, timestamps: [0.5, 1, 1.2, 1.3, 4] }, 10, 'en');
  expect(words).toEqual([
    { text: 'HE', startSec: 0.5, endSec: 0.8 },
    { text: 'WAS,', startSec: 1, endSec: 1.6 },
    { text: 'NOT', startSec: 4, endSec: 4.3 },
  ]);
});

test('treats characters of a script without spaces as words, and ignores event marks', () => {
  expect(texts({ text: '', tokens: ['<|NEUTRAL|>', '今', '天', '。'], timestamps: [0, 0.1, 0.3, 0.5] })).toEqual([
    '今',
    '天。',
  ]);
});

test('joins word pieces by their continuation marker in a vocabulary without spaces', () => {
  const tokens = ['yes@@', 'ter@@', 'day', 'is', '星'];
  expect(texts({ text: '', tokens, timestamps: [0, 0.1, 0.2, 0.6, 1] })).toEqual(['yesterday', 'is', '星']);
});

test('divides the span among the words in proportion to their length if tokens have no times', () => {
  const { words, language } = readRecognisedWords(
    { text: ' Good morning', lang: '<|de|>', tokens: ['Good'] },
    11,
    'en',
  );
  expect(language).toBe('de');
  expect(words.map(({ text, startSec }) => [text, startSec])).toEqual([
    ['Good', 0],
    ['morning', 4],
  ]);
});
