import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SpokenWord } from '../../ports/transcriber.ts';
import { buildCues, MAX_BEHIND_SEC, MAX_CHARS_A_SEC, MAX_CUE_SEC, MAX_LINE_CHARS } from './build-cues.ts';

/** Generator of consecutive spoken words, each with a pause before it. */
const spoken = fc
  .array(
    fc.record({
      text: fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
      pauseSec: fc.double({ min: 0, max: 3, noNaN: true }),
      sec: fc.double({ min: 0.05, max: 2, noNaN: true }),
    }),
    { maxLength: 80 },
  )
  .map((parts) => {
    let at = 0;
    return parts.map(({ text, pauseSec, sec }): SpokenWord => {
      const startSec = at + pauseSec;
      at = startSec + sec;
      return { text, startSec, endSec: at };
    });
  });

test('no cue exceeds a limit or overlaps another, whatever the words', () => {
  fc.assert(
    fc.property(spoken, (words) => {
      const cues = buildCues(words, 'en');
      for (const [index, cue] of cues.entries()) {
        const lines = cue.text.split('\n').map((line) => line.replaceAll(/&(?:amp|lt|gt);/g, '.'));
        expect(lines.length).toBeLessThanOrEqual(2);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(MAX_LINE_CHARS);
        const lengthMs = cue.endMs - cue.startMs;
        expect(lengthMs).toBeLessThanOrEqual(MAX_CUE_SEC * 1000);
        expect(lines.join(' ').length / lengthMs).toBeLessThanOrEqual(MAX_CHARS_A_SEC / 1000);
        expect(cue.text.isWellFormed()).toBe(true);
        expect(cue.endMs).toBeLessThanOrEqual(cues[index + 1]?.startMs ?? Number.POSITIVE_INFINITY);
        expect(cue.text).not.toMatch(/[<>]/);
      }
    }),
  );
});

test('delays cues of speech that is too fast to read, up to a limit', () => {
  const speak = (wordSec: number, count: number) =>
    Array.from({ length: count }, (_, index): SpokenWord => {
      return {
        text: `word${String(index).padStart(4, '0')}`,
        startSec: index * wordSec,
        endSec: (index + 0.9) * wordSec,
      };
    });
  // Nine characters per word including its space, which is 30 per second, for six seconds and for two minutes.
  const burst = speak(0.3, 20);
  const shown = buildCues(burst, 'en');
  expect(shown.flatMap(({ text }) => text.split(/\s/))).toEqual(burst.map(({ text }) => text));
  expect(shown.at(-1)?.endMs).toBeGreaterThan(6_000);
  const long = speak(0.3, 400);
  const late = buildCues(long, 'en').map(({ startMs, text }) => startMs - Number(/\d+/.exec(text)?.[0]) * 300);
  expect(Math.max(...late)).toBeGreaterThan(1_000);
  expect(Math.max(...late)).toBeLessThanOrEqual(MAX_BEHIND_SEC * 1000);
});

const say = (text: string, startSec: number, endSec: number): SpokenWord => ({ text, startSec, endSec });

test('a cue ends at the end of a sentence or at a pause, and is shown long enough to be read', () => {
  const cues = buildCues([say('Good', 0, 0.2), say('day.', 0.2, 0.4), say('Well', 2, 2.2), say('then', 4, 4.1)], 'en');
  expect(cues.map(({ text }) => text)).toEqual(['Good day.', 'Well', 'then']);
  expect(cues[0]).toMatchObject({ startMs: 0, endMs: 1000 });
  const long = buildCues([say('a'.repeat(40), 0, 0.5)], 'en');
  expect(long[0]?.endMs).toBe((40 / MAX_CHARS_A_SEC) * 1000);
});

test('keeps one occurrence of an endless repetition', () => {
  const words = Array.from({ length: 12 }, (_, index) => say('thanks', index * 0.3, index * 0.3 + 0.2));
  const text = buildCues(words, 'en')
    .map((cue) => cue.text)
    .join(' ');
  expect(text.match(/thanks/g)).toHaveLength(3);
});

test('breaks text of a language without spaces between words, without losing a word', () => {
  const text =
    '今日は天体望遠鏡の話をします。望遠鏡で月を見ると、山や谷がよく見えます。望遠鏡の鏡はとても大切です。月の写真も撮ります。';
  const cues = buildCues([say(text, 0, 12)], 'ja');
  expect(cues.length).toBeGreaterThan(1);
  expect(cues.flatMap((cue) => cue.text.split('\n')).join('')).toBe(text);
  for (const cue of cues)
    for (const line of cue.text.split('\n')) expect(line.length).toBeLessThanOrEqual(MAX_LINE_CHARS);
});

test('keeps two occurrences of an endlessly repeated phrase', () => {
  const phrase = 'Thank you for watching.'.split(' ');
  const words = Array.from({ length: 40 }, (_, index) => say(phrase[index % 4] ?? '', index * 0.3, index * 0.3 + 0.2));
  const cues = buildCues(words, 'en');
  expect(
    cues
      .map((cue) => cue.text)
      .join(' ')
      .match(/Thank you/g),
  ).toHaveLength(2);
});
