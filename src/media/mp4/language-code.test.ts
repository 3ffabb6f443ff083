import { expect, test } from 'vitest';
import { packLanguageCode } from './language-code.ts';

const unpack = (packed: number) => String.fromCharCode(...[10, 5, 0].map((shift) => 0x60 + ((packed >> shift) & 31)));

test.each([
  ['en', 'eng'],
  ['de-AT', 'deu'],
  ['zh-Hant-TW', 'zho'],
  ['haw', 'haw'],
  ['PT-br', 'por'],
  ['und', 'und'],
  ['', 'und'],
  ['qq', 'und'],
  ['no tag', 'und'],
])('packs the tag %j as %s', (tag, code) => {
  expect(unpack(packLanguageCode(tag))).toBe(code);
});

test('every two-letter code maps to a three-letter code of the same language', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const tags = letters.flatMap((first) => letters.map((second) => first + second));
  const known = tags.map((tag) => [tag, unpack(packLanguageCode(tag))] as const).filter(([, code]) => code !== 'und');
  expect(known.length).toBeGreaterThan(180);
  const wrong = known.filter(([tag, code]) => Intl.getCanonicalLocales(code)[0] !== Intl.getCanonicalLocales(tag)[0]);
  // The ICU data of Node classifies Twi as a form of Akan.
  expect(wrong).toEqual([['tw', 'twi']]);
});
