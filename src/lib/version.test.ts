import { expect, test } from 'vitest';
import { isAtLeast, readVersion } from './version.ts';

test.each([
  ['0.1.0', '0.1.0', true],
  ['0.1.1', '0.1.0', true],
  ['0.2.0', '0.10.0', false],
  ['1.0.0', '0.99.99', true],
  ['0.1.0', '0.1.1', false],
  ['1.0.0-rc.1', '1.0.0', false],
  ['1.0.0', '1.0.0-rc.1', true],
  ['1.0.0-rc.1', '1.0.0-rc.2', true],
  ['1.0.0+deb12', '1.0.0', true],
  ['next', '0.1.0', null],
  ['0.1', '0.1.0', null],
  ['0.1.0', '', null],
])('compares version %s with %s', (version, oldest, expected) => {
  expect(isAtLeast(version, oldest)).toBe(expected);
});

test('readVersion returns a comparable version, at least 0.1.0', () => {
  expect(isAtLeast(readVersion(), '0.1.0')).toBe(true);
});
