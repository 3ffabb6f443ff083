import { expect, test } from 'vitest';
import { inWholeSeconds } from './parse-chapters.ts';

const chapter = (startSec: number, endSec: number) => ({ title: `${startSec}`, startSec, endSec });

test.each([
  { name: 'that follow each other', found: [chapter(0, 10.6), chapter(10.6, 20.4)], expected: [0, 11, 11, 20] },
  { name: 'that overlap in the file', found: [chapter(0, 12), chapter(10.2, 20)], expected: [0, 10, 10, 20] },
  { name: 'with a pause between them', found: [chapter(0, 4.4), chapter(6.5, 9)], expected: [0, 4, 7, 9] },
  {
    name: 'shorter than a second',
    found: [chapter(0, 3.6), chapter(3.6, 4.2), chapter(4.2, 8)],
    expected: [0, 4, 4, 8],
  },
])('chapters $name do not overlap in whole seconds', ({ found, expected }) => {
  expect(inWholeSeconds(found).flatMap(({ start, end }) => [start, end])).toEqual(expected);
});
