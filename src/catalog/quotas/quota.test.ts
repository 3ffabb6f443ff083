import { expect, test } from 'vitest';
import { nextLevel, percentOf, type QuotaLevel, quotaRefusal } from './quota.ts';

test.each<[before: QuotaLevel, used: number, limit: number, after: QuotaLevel]>([
  [0, 0, 100, 0],
  [0, 79, 100, 0],
  [0, 80, 100, 80],
  [0, 99, 100, 80],
  [0, 100, 100, 100],
  [0, 250, 100, 100],
  [80, 100, 100, 100],
  [80, 76, 100, 80],
  [80, 75, 100, 0],
  [100, 96, 100, 100],
  [100, 95, 100, 80],
  [100, 76, 100, 80],
  [100, 75, 100, 0],
  [100, 0, 100, 0],
  [0, 0, 0, 100],
  [0, 799, 1000, 0],
  [0, 999, 1000, 80],
])('from level %i, a use of %i of %i leads to level %i', (before, used, limit, after) => {
  expect(nextLevel(before, used, limit)).toBe(after);
});

test('the use in percent is rounded down, so that 100 means that the limit is reached', () => {
  expect([percentOf(999, 1000), percentOf(1000, 1000), percentOf(1500, 1000), percentOf(0, 0)]).toEqual([
    99, 100, 150, 100,
  ]);
});

const ADVICE = 'Raise the limit.';

test.each([
  {
    given: { resource: 'storageBytes', used: 14_400_000, limit: 14_500_000, more: 15_173_636 },
    message: 'The library uses 14.4 MB of 14.5 MB of storage (quota storageBytes), and 15.17 MB more would exceed it.',
  },
  {
    given: { resource: 'concurrentLiveStreams', used: 2, limit: 2 },
    message: 'The library uses 2 of 2 live streams at the same time (quota concurrentLiveStreams).',
  },
] as const)('a refusal has units that people read: $message', ({ given, message }) => {
  const refusal = quotaRefusal({ libraryId: 1, advice: ADVICE, ...given });
  expect([refusal.kind, refusal.message]).toEqual(['quota-reached', `${message} ${ADVICE}`]);
});
