import { expect, test } from 'vitest';
import { storageKey } from '../../ports/storage.ts';
import type { StoredChunk } from './publication.ts';
import { addChunks } from './publication-growth-store.ts';

/** A chunk of segments `from` to `to` (excluded), named after both. */
function chunk(from: number, to: number, attempt = 1): StoredChunk {
  const table = { offsets: new Float64Array(to - from + 1), samples: new Uint32Array(to - from) };
  const key = storageKey(`1/${from}-${to}-${attempt}.cmaf`);
  return { firstSegment: from, startTick: from, durationTicks: to - from, table, storageKey: key };
}

test.each([
  { name: 'a later segment', known: [chunk(0, 2)], fresh: [chunk(2, 4)], expected: [chunk(0, 2), chunk(2, 4)] },
  { name: 'a segment in a gap', known: [chunk(0, 2), chunk(4, 6)], fresh: [chunk(2, 4)], expected: [0, 2, 4] },
  { name: 'a merge', known: [chunk(0, 1), chunk(1, 2), chunk(2, 3)], fresh: [chunk(0, 2)], expected: [0, 2] },
  { name: 'a re-encoded segment', known: [chunk(0, 2)], fresh: [chunk(0, 2, 2)], expected: [chunk(0, 2, 2)] },
])('adds $name to the known chunks', ({ known, fresh, expected }) => {
  const joined = addChunks(known, fresh);
  const isNumbers = typeof expected[0] === 'number';
  expect(isNumbers ? joined.map(({ firstSegment }) => firstSegment) : joined).toEqual(expected);
});

test('returns the same array if nothing is new, so that values derived from it stay cached', () => {
  const known = [chunk(0, 2)];
  expect(addChunks(known, [])).toBe(known);
});
