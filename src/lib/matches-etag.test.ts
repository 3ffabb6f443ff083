import { expect, test } from 'vitest';
import { matchesEtag } from './matches-etag.ts';

test.each(['"abc"', 'W/"abc"', ' "abc" ', '"x", "abc"', '"x",W/"abc"', '*', ' * '])('%s matches "abc"', (header) => {
  expect(matchesEtag(header, '"abc"')).toBe(true);
});

test.each(['', '"abcd"', 'abc', '"x", "y"', '"x" "abc"', 'W/W/"abc"', '"abc"W/'])(
  '%s does not match "abc"',
  (header) => {
    expect(matchesEtag(header, '"abc"')).toBe(false);
  },
);

test('a response without an ETag matches nothing, not even *', () => {
  expect(['*', '', '"abc"'].map((header) => matchesEtag(header, null))).toEqual([false, false, false]);
});
