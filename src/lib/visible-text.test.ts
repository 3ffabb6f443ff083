import { expect, test } from 'vitest';
import { isVisible, readLine, readLines } from './visible-text.ts';

test.each(['', '  ', '\u200b', '\u2060\u200d', '\u3164\u115f', '\u2800', '\u00ad\ufeff', '\0', '\u{e0041}\u034f'])(
  'a reader sees nothing of %j',
  (text) => {
    expect([isVisible(text), readLine(text), readLines(text)]).toEqual([false, '', '']);
  },
);

test.each(['A', '7', '?', '👍', '👩‍💻', '好', 'שלום', ' spaced ', 'é', 'e\u0301', '\u200fשלום!'])(
  'keeps %j',
  (text) => {
    expect([isVisible(text), readLine(text), readLines(text)]).toEqual([true, text, text]);
  },
);

test.each([
  ['a\0b', 'ab'],
  ['a\ud800b', 'a\ufffdb'],
  ['file\u202egnp.exe', 'filegnp.exe'],
  ['\u2066a\u2069', 'a'],
  ['a\nb\tc', 'a b c'],
  ['a\u0007b', 'a b'],
  ['a\u2028b\u2029c', 'a b c'],
])('reads %j as the line %j', (sent, line) => {
  expect(readLine(sent)).toBe(line);
});

test('keeps the line breaks and tabs of a text', () => {
  expect(readLines('a\r\nb\rc\td\u0007e\u202e')).toBe('a\nb\nc\tde');
});
