import path from 'node:path';
import { expect, test } from 'vitest';
import { RULES } from '../../catalog/shield/rules.ts';
import { chooseWords, readLanguages } from './player-words.ts';

const folder = path.resolve(import.meta.dirname, '../../../web/player/languages');

const placeholders = (text: string) => new Set([...text.matchAll(/\{\w+\}/g)].map(([name]) => name));

test('all ten languages translate every English text and keep its placeholders', async () => {
  const languages = await readLanguages(folder);
  const english = languages.get('en') ?? {};
  expect(languages.size).toBe(10);
  for (const [language, words] of languages) {
    expect(new Set(Object.keys(words)), language).toEqual(new Set(Object.keys(english)));
    for (const [key, text] of Object.entries(english)) {
      expect(placeholders(words[key] ?? ''), `${language} ${key}`).toEqual(placeholders(text));
      expect(words[key], `${language} ${key}`).not.toBe('');
    }
  }
});

test.each([
  ['de-AT', 'de', false],
  ['AR', 'ar', true],
  ['xx', 'en', false],
  ['', 'en', false],
  ['fr-CH, de;q=0.9, *;q=0.5', 'fr', false],
  ['xx,xx-YY;q=0.9,pl;q=0.8,de;q=0.7', 'pl', false],
  ['*', 'en', false],
])('Accept-Language %s selects %s', async (wanted, language, isRtl) => {
  const languages = await readLanguages(folder);
  expect(chooseWords(languages, wanted)).toMatchObject({ language, isRtl });
});

test.each([
  RULES.country,
  RULES.accessList,
  RULES.rate,
  RULES.connections,
  RULES.referrer,
  RULES.directPlay,
  RULES.embedToken,
])('a page refused by the rule $id shows the reason', async ({ code }) => {
  const { words } = chooseWords(await readLanguages(folder), 'en');
  expect(words[`refused.${code}`]).toEqual(expect.any(String));
});
