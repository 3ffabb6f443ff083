import { afterEach, expect, test } from 'vitest';
import { language } from './language.ts';
import { amount, bytes, timeLeft } from './words.ts';

afterEach(() => {
  language.value = 'en';
});

test.each([
  ['en', ['1.5 GB', '999 B', '2.0 h left', '1,234,567', '29.97', '25']],
  ['de', ['1,5 GB', '999 B', '2,0 h left', '1.234.567', '29,97', '25']],
  ['ja', ['1.5 GB', '999 B', '2.0 h left', '1,234,567', '29.97', '25']],
] as const)('writes numbers in the language of the page: %s', (code, expected) => {
  language.value = code;
  const rates = [29.97, 25].map((fps) => amount(fps, 2, 0));
  expect([bytes(1_520_000_000), bytes(999), timeLeft(7_200), amount(1_234_567), ...rates]).toEqual(expected);
});
