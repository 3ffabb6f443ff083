import { expect, test } from 'vitest';
import { readStartOptions, readTimeSec } from './start-options.ts';

test.each([
  ['90', 90],
  ['30s', 30],
  ['1h20m45s', 4845],
  ['2m', 120],
  ['01:02:03', 3723],
  ['1:30', 90],
  ['1.5', 1.5],
  ['', 0],
  ['-4', 0],
  ['soon', 0],
])('t=%s starts at %s s', (text, sec) => {
  expect(readTimeSec(text)).toBe(sec);
});

test('flags are read as hosts write them, and nonsense is the default', () => {
  expect(readStartOptions('?autoplay=false&muted&loop=1&preload=maybe&t=10')).toEqual({
    autoplay: false,
    muted: true,
    loop: true,
    preload: true,
    startSec: 10,
  });
});
