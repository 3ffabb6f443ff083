import { expect, test } from 'vitest';
import { readCues } from '../base/cues.ts';
import { findParts, spokenAt, spokenOf } from './spoken.ts';

const FILE = `WEBVTT

NOTE nothing is said here

1
00:01.000 --> 00:03.500 align:start
<v Anna>Un <i>café</i>, please
&amp; water

00:03.500 --> 00:05.000
<v Anna>Un café, please & water

01:00:00.000 --> 01:00:02.000
An hour later
`;

test('reads words without tags, with their speaker, and joins repetitions', () => {
  expect(spokenOf(readCues(FILE))).toEqual([
    { startSec: 1, endSec: 5, speaker: 'Anna', text: 'Un café, please & water' },
    { startSec: 3600, endSec: 3602, speaker: '', text: 'An hour later' },
  ]);
});

test.each([
  [0, -1],
  [1, 0],
  [900, 0],
  [3600, 1],
  [9000, 1],
])('at %s s, returns entry %s, the current or most recent one', (sec, index) => {
  expect(spokenAt(spokenOf(readCues(FILE)), sec)).toBe(index);
});

test.each<[string, string, string | null]>([
  ['Un café, please', 'CAFE', 'Un [café], please'],
  ['Un cafe\u0301, please', 'café,', 'Un [cafe\u0301,] please'],
  ['aha, Aha', 'aha', '[aha], [Aha]'],
  ['İstanbul', 'stan', 'İ[stan]bul'],
  ['nothing of it', 'else', null],
  ['nothing of it', ' ', null],
])('in "%s" a search for "%s" highlights %s', (text, search, marked) => {
  const parts = findParts(text, search);
  expect(parts?.map((part) => (part.isFound ? `[${part.text}]` : part.text)).join('') ?? null).toBe(marked);
});
