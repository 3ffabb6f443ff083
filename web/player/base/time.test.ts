import { expect, test } from 'vitest';
import { sayTime, writeTime } from './time.ts';

test.each([
  [0, '0:00', '0 s'],
  [21.9, '0:21', '21 s'],
  [245, '4:05', '4 min 5 s'],
  [3723, '1:02:03', '1 h 2 min 3 s'],
  [7200, '2:00:00', '2 h 0 min 0 s'],
  [Number.NaN, '0:00', '0 s'],
  [Number.POSITIVE_INFINITY, '0:00', '0 s'],
])('%s s is shown as %s and read aloud as %s', (sec, shown, said) => {
  expect([writeTime(sec), sayTime(sec)]).toEqual([shown, said]);
});

test('a time behind the live edge has a minus sign', () => {
  expect(writeTime(-35.2)).toBe('-0:35');
});
