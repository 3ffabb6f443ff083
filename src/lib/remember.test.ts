import { expect, test } from 'vitest';
import { remember } from './remember.ts';

test('drops the least recently set entry', () => {
  const known = new Map<string, number>();
  for (const key of ['a', 'b', 'c', 'a', 'd']) remember(known, [key, known.size], 3);
  expect([...known.keys()]).toEqual(['c', 'a', 'd']);
});
