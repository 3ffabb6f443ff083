import { expect, test } from 'vitest';
import { judge, type Measurement } from './report.ts';

const CONDITIONS = {
  usual: { slowness: 1.2, isQuiet: true },
  slow: { slowness: 2, isQuiet: true },
  fast: { slowness: 0.5, isQuiet: true },
  busy: { slowness: 1, isQuiet: false },
  'fast but busy': { slowness: 0.5, isQuiet: false },
} as const;

const figure = { name: 'figure', unit: 's', baseline: null, bar: 2 } as const;

test.each<[keyof typeof CONDITIONS, Omit<Measurement, 'name' | 'unit'>, boolean | null]>([
  ['usual', { ...figure, ours: 2 }, true],
  ['usual', { ...figure, ours: 2.1 }, false],
  ['slow', { ...figure, ours: 2 }, true],
  ['slow', { ...figure, ours: 2.1 }, null],
  ['fast', { ...figure, ours: 2 }, null],
  ['fast', { ...figure, ours: 2.1 }, false],
  ['busy', { ...figure, ours: 2 }, true],
  ['busy', { ...figure, ours: 2.1 }, null],
  ['fast but busy', { ...figure, ours: 2 }, null],
  ['fast but busy', { ...figure, ours: 2.1 }, null],
  ['slow', { ...figure, ours: 3, isFloor: true }, true],
  ['slow', { ...figure, ours: 1, isFloor: true }, null],
  ['fast', { ...figure, ours: 3, isFloor: true }, null],
  ['fast', { ...figure, ours: 1, isFloor: true }, false],
  ['slow', { ...figure, ours: 5, isSpeedless: true }, false],
  ['fast but busy', { ...figure, ours: 1, isSpeedless: true }, true],
  ['slow', { ...figure, ours: 5, baseline: 2 }, false],
  ['fast', { ...figure, ours: 3, baseline: 2 }, true],
  ['fast', { ...figure, ours: 3, baseline: 2, isAbsolute: true }, false],
  ['busy', { ...figure, ours: 5, baseline: 2 }, false],
  ['busy', { ...figure, ours: 3, baseline: 2, needsIdle: true }, null],
  ['slow', { ...figure, ours: 3, baseline: 2, needsIdle: true }, true],
  ['usual', { ...figure, ours: 1, bar: null }, null],
])('on a machine that is %s, whether %o is met is reported as %s', (conditions, measurement, expected) => {
  expect(judge({ ...figure, ...measurement }, CONDITIONS[conditions])).toBe(expected);
});
