import { expect, test } from 'vitest';
import { Leases, RecentNames } from './popular.ts';

test('a name is known the second time, until too many others came', () => {
  const names = new RecentNames();
  expect([names.note('a'), names.note('a')]).toEqual([false, true]);
  for (let other = 0; other < 5_000; other += 1) names.note(String(other));
  expect(names.note('a')).toBe(false);
});

test('bytes that many hold count once, and none beyond the bound are lent', () => {
  const leases = new Leases(10);
  expect([leases.take('a', 6), leases.take('a', 6), leases.take('b', 6)]).toEqual([true, true, false]);
  leases.give('a');
  expect(leases.take('b', 6)).toBe(false);
  leases.give('a');
  expect(leases.take('b', 6)).toBe(true);
  expect(() => leases.give('a')).toThrow(/taken/);
});
