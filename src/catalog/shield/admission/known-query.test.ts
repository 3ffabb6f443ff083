import { expect, test } from 'vitest';
import { isKnownQuery } from './known-query.ts';

test.each([
  ['', true],
  ['autoplay=false&count=false', true],
  ['t=1h20m45s&showHeatmap=true&responsive=false', true],
  ['token=a&expires=1&token_path=%2Fv%2F', true],
  ['count=false&page=1', false],
  ['count=%3Cscript%3E', false],
])('recognises the query "%s": %s', (query, isKnown) => {
  expect(isKnownQuery(query)).toBe(isKnown);
});
