import { expect, test } from 'vitest';
import { shareOfEach } from './share-of-each.ts';

test('the progress of a rendition is the progress of its tasks, weighted by their segments', () => {
  const task = (renditions: string[], fromSegment: number, toSegment: number, done: number) => ({
    ...{ renditions, fromSegment, toSegment, done },
  });
  const shares = shareOfEach([
    task(['Audio (en)'], 0, 40, 0.25),
    task(['360p', '240p'], 0, 30, 1),
    task(['360p', '240p'], 30, 40, 0.5),
    task(['1080p'], 0, 40, 1),
    task([], 0, 0, 0),
  ]);
  expect([...shares]).toEqual([
    ['1080p', 1],
    ['360p', 0.875],
    ['240p', 0.875],
    ['Audio (en)', 0.25],
  ]);
});
