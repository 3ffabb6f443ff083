import { expect, test } from 'vitest';
import { skipsParts } from './newest-media.ts';

// Complete segments of 9, 9 and 3 parts, newest first.
const USUAL = [8, 8, 2];

test.each([
  { name: 'the next part', newest: [9, 3], wanted: [9, 4], skips: false },
  { name: 'an existing part', newest: [9, 3], wanted: [9, 3], skips: false },
  { name: 'the last part of the open segment', newest: [9, 3], wanted: [9, 8], skips: true },
  { name: 'the last part, which is next', newest: [9, 7], wanted: [9, 8], skips: false },
  { name: 'a part that exists at an edge that is ahead', newest: [9, 3], wanted: [9, 6], skips: false },
  { name: 'the first part of the next segment', newest: [9, 8], wanted: [10, 0], skips: false },
  { name: 'a part of the next segment, at an edge that is ahead', newest: [9, 7], wanted: [10, 1], skips: false },
  { name: 'the last part of the next segment', newest: [9, 8], wanted: [10, 8], skips: true },
  { name: 'the last part of the segment after a complete one', newest: [9, null], wanted: [10, 8], skips: true },
  { name: 'a part of an earlier segment', newest: [9, 3], wanted: [8, 8], skips: false },
  { name: 'a part of a complete segment', newest: [9, null], wanted: [9, 8], skips: false },
  { name: 'a whole segment', newest: [9, 3], wanted: [9, null], skips: false },
] as const)('a request for $name skips parts: $skips', ({ newest, wanted, skips }) => {
  const media = ([sequence, part]: readonly [number, number | null]) => ({ sequence, part });
  expect(skipsParts(media(newest), media(wanted), USUAL)).toBe(skips);
  expect(skipsParts(null, media(wanted), USUAL)).toBe(false);
  expect(skipsParts(media(newest), media(wanted), [])).toBe(false);
});

test.each([
  { lastParts: [2, 8], wanted: 2, skips: true },
  { lastParts: [2, 8], wanted: 8, skips: false },
  { lastParts: [8, 2], wanted: 2, skips: false },
])('after segments with last parts $lastParts, a request for part $wanted skips parts: $skips', (row) => {
  expect(skipsParts({ sequence: 9, part: 0 }, { sequence: 9, part: row.wanted }, row.lastParts)).toBe(row.skips);
});
