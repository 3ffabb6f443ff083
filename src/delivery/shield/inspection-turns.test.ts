import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { InspectionTurns } from './inspection-turns.ts';

test('admits a few requests immediately and a few per event-loop turn, in order', async () => {
  const turns = new InspectionTurns();
  const passed: number[] = [];
  const all = Array.from({ length: 30 }, (_, index) =>
    (turns.enter() ?? Promise.resolve()).then(() => passed.push(index)),
  );
  const seen: number[] = [];
  while (passed.length < 30) {
    seen.push(passed.length);
    await nextTurn();
  }
  await Promise.all(all);
  expect(passed).toEqual(Array.from({ length: 30 }, (_, index) => index));
  const steps = seen.slice(1).map((count, index) => count - (seen[index] ?? 0));
  // The first deferred turn begins in the same iteration of the event loop.
  expect(Math.max(...steps.slice(1))).toBeLessThanOrEqual(4);
  expect(steps[0]).toBeLessThanOrEqual(8);
  expect(turns.enter()).toBe(null);
});
