import { afterEach, expect, test } from 'vitest';
import { language } from './language.ts';
import { amount, bytes, day, languageName, plural, timeLeft } from './words.ts';

afterEach(() => {
  language.value = 'en';
});

test.each([
  ['en', ['1.5 GB', '999 B', '2.0 h left', '1,234,567', '29.97', '25']],
  ['de', ['1,5 GB', '999 B', '2,0 h left', '1.234.567', '29,97', '25']],
  ['fr', ['1,5 Go', '999 o', '2,0 h left', '1\u202f234\u202f567', '29,97', '25']],
  ['ja', ['1.5 GB', '999 B', '2.0 h left', '1,234,567', '29.97', '25']],
] as const)('writes numbers in the language of the page: %s', (code, expected) => {
  language.value = code;
  const rates = [29.97, 25].map((fps) => amount(fps, 2, 0));
  expect([bytes(1_520_000_000), bytes(999), timeLeft(7_200), amount(1_234_567), ...rates]).toEqual(expected);
});

test.each([
  ['en', 'Nov 28, 2026', 'German'],
  ['de', '28.11.2026', 'Deutsch'],
  ['es', '28 nov 2026', 'alemán'],
  ['fr', '28 nov. 2026', 'allemand'],
  ['pt', '28 de nov. de 2026', 'alemão'],
  ['ja', '2026/11/28', 'ドイツ語'],
] as const)('writes dates and names of languages in the language of the page: %s', (code, date, german) => {
  language.value = code;
  expect([day('2026-11-28T12:00:00'), languageName('de'), languageName('no tag')]).toEqual([date, german, 'no tag']);
});

test.each([
  ['en', ['0 videos', '1 video', '2 videos']],
  ['de', ['0 videos', '1 video', '2 videos']],
  ['fr', ['0 video', '1 video', '2 videos']],
  ['pt', ['0 video', '1 video', '2 videos']],
] as const)('writes counts with the plural rules of the language: %s', (code, expected) => {
  language.value = code;
  expect([0, 1, 2].map((count) => plural(count, 'video'))).toEqual(expected);
});
