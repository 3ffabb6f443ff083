import { expect, test } from 'vitest';
import { skipsParts } from './newest-media.ts';

test.each([
  { name: 'the next part', newest: [9, 3], wanted: [9, 4], skips: false },
  { name: 'an existing part', newest: [9, 3], wanted: [9, 3], skips: false },
  { name: 'a later part of the open segment', newest: [9, 3], wanted: [9, 5], skips: true },
  { name: 'the first part of the next segment', newest: [9, 8], wanted: [10, 0], skips: false },
  { name: 'the last part of the next segment', newest: [9, 8], wanted: [10, 8], skips: true },
  { name: 'the last part of the segment after a complete one', newest: [9, null], wanted: [10, 8], skips: true },
  { name: 'a part of an earlier segment', newest: [9, 3], wanted: [8, 8], skips: false },
  { name: 'a part of a complete segment', newest: [9, null], wanted: [9, 8], skips: false },
  { name: 'a whole segment', newest: [9, 3], wanted: [9, null], skips: false },
] as const)('a request for $name skips parts: $skips', ({ newest, wanted, skips }) => {
  const media = ([sequence, part]: readonly [number, number | null]) => ({ sequence, part });
  expect(skipsParts(media(newest), media(wanted))).toBe(skips);
  expect(skipsParts(null, media(wanted))).toBe(false);
});
