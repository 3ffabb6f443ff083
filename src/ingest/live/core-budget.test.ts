import { expect, test } from 'vitest';
import { CoreBudget } from './core-budget.ts';

test.each([
  { title: 'live encoding is off', cores: 0, taken: 0, need: 0.04, reason: /turned off.*MILLRACE_LIVE_CORES is 0/ },
  {
    title: 'the machine is too small',
    cores: 2,
    taken: 0,
    need: 2.4,
    reason: /needs 2.4 of the 2 .*\. Publish a lower/,
  },
  {
    title: 'other streams use the cores',
    cores: 2,
    taken: 1.5,
    need: 0.52,
    reason: /needs 0.6 .* streams use 1.5 of them/,
  },
])('explains why a stream is not encoded if $title', ({ cores, taken, need, reason }) => {
  const budget = new CoreBudget(cores);
  budget.take(taken);
  expect(budget.take(need)).toBe(null);
  expect(budget.explain(need)).toMatch(reason);
});
