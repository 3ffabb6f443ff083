import { expect, test } from 'vitest';
import { beginRotation, keysDuring, type RotationStage } from './secret-rotation.ts';

const KEYS = { old: Buffer.alloc(32, 1), new: Buffer.alloc(32, 2), other: Buffer.alloc(32, 3) };
const rotation = beginRotation(KEYS.old, KEYS.new);

test.each<[RotationStage, keyof typeof KEYS, string[] | null]>([
  ['announced', 'old', ['old', 'new']],
  ['announced', 'new', ['old', 'new']],
  ['switched', 'old', ['new', 'old']],
  ['switched', 'new', ['new', 'old']],
  ['resealed', 'old', ['new', 'old']],
  ['resealed', 'new', ['new', 'old']],
  ['announced', 'other', null],
])('while a rotation is %s, a process with the %s key has the keys %j', (stage, name, expected) => {
  const keys = keysDuring({ ...rotation, stage, startedAt: new Date() }, KEYS[name]);
  expect(keys?.map((key) => Object.entries(KEYS).find(([, one]) => one.equals(key))?.[0]) ?? null).toEqual(expected);
});

test('without a rotation, a process has its own key', () => {
  expect(keysDuring(null, KEYS.other)).toEqual([KEYS.other]);
});
