import { expect, test } from 'vitest';
import { remember } from './remember.ts';

test('the least recently set entry is forgotten first, and setting it again keeps it', () => {
  const known = new Map<string, number>();
  for (const key of ['a', 'b', 'c', 'a', 'd']) remember(known, [key, known.size], 3);
  expect([...known.keys()]).toEqual(['c', 'a', 'd']);
});
