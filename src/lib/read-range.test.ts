import { expect, test } from 'vitest';
import { readRange } from './read-range.ts';

test.each([
  [undefined, null],
  ['bytes=0-', { start: 0, end: 10 }],
  ['Bytes=2-4', { start: 2, end: 5 }],
  ['bytes=2-99', { start: 2, end: 10 }],
  ['bytes=-3', { start: 7, end: 10 }],
  ['bytes=-99', { start: 0, end: 10 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=10-12', 'unsatisfiable'],
  [`bytes=${'9'.repeat(30)}-`, 'unsatisfiable'],
  [`bytes=0-${'9'.repeat(30)}`, { start: 0, end: 10 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=4-2', null],
  ['bytes=0-1,3-4', null],
  ['bytes=-', null],
  ['items=0-1', null],
])('reads %s of ten bytes', (header, expected) => {
  expect(readRange(header, 10)).toEqual(expected);
});
