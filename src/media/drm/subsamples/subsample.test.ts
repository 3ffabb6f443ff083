import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSubsampleList, mostSubsamples, type Subsample, type SubsampleRules } from './subsample.ts';

const whole = (parts: readonly Subsample[]) =>
  parts.reduce((sum, { clearBytes, protectedBytes }) => sum + clearBytes + protectedBytes, 0);

function divide(parts: readonly (readonly [number, number])[], rules: SubsampleRules): Subsample[] {
  const list = createSubsampleList(rules);
  for (const [clearBytes, protectedBytes] of parts) list.add(clearBytes, protectedBytes);
  return list.end();
}

test.each([
  { ivBytes: 8, most: 40 },
  { ivBytes: 0, most: 42 },
])('with an IV of $ivBytes bytes, a sample has at most $most parts', ({ ivBytes, most }) => {
  expect(mostSubsamples(ivBytes)).toBe(most);
});

const small = { isBlockAligned: false, most: 2 };
test.each([
  {
    what: 'up to the limit all subsamples are kept',
    parts: [
      [5, 32],
      [6, 48],
    ],
    expected: [
      [5, 32],
      [6, 48],
    ],
  },
  {
    what: 'above the limit the smallest are left clear',
    parts: [
      [5, 64],
      [6, 32],
      [7, 48],
    ],
    expected: [
      [5, 64],
      [45, 48],
    ],
  },
  {
    what: 'above the limit trailing ones are left clear too',
    parts: [
      [5, 64],
      [6, 48],
      [7, 8],
    ],
    expected: [
      [5, 64],
      [69, 0],
    ],
  },
  {
    what: 'many clear bytes get their own subsample',
    parts: [
      [70_000, 64],
      [5, 32],
    ],
    expected: [
      [65_535, 0],
      [4_465, 101],
    ],
  },
  {
    what: 'more bytes than a field can count are protected',
    parts: [
      [5, 32],
      [200_000, 64],
    ],
    expected: [[5, 200_096]],
  },
] as const)('subsamples: $what', ({ parts, expected }) => {
  expect(divide(parts, small).map(({ clearBytes, protectedBytes }) => [clearBytes, protectedBytes])).toEqual(expected);
});

test('any parts produce a list within the limit that has their total length', () => {
  const sizes = fc.tuple(fc.nat(90_000), fc.nat(5_000));
  fc.assert(
    fc.property(
      fc.array(sizes, { maxLength: 60 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      (parts, ...rules) => {
        const [isBlockAligned, most] = rules;
        const list = divide(parts, { isBlockAligned, most });
        expect(list.length).toBeLessThanOrEqual(most);
        expect(whole(list)).toBe(parts.reduce((sum, [clear, hidden]) => sum + clear + hidden, 0));
        expect(list.every(({ clearBytes }) => clearBytes <= 0xffff)).toBe(true);
        if (isBlockAligned) expect(list.every(({ protectedBytes }) => protectedBytes % 16 === 0)).toBe(true);
      },
    ),
  );
});
