import { expect, test } from 'vitest';
import { runInSlices } from './run-in-slices.ts';

/** Yields steps that each take longer than a slice. */
function* longSteps(count: number): Generator<void, string> {
  for (let step = 0; step < count; step += 1) {
    const endMs = performance.now() + 6;
    while (performance.now() < endMs);
    yield;
  }
  return 'done';
}

function countTurns(): { turns(): number; stop(): void } {
  let turns = 0;
  let handle = setImmediate(function turn() {
    turns += 1;
    handle = setImmediate(turn);
  });
  return { turns: () => turns, stop: () => clearImmediate(handle) };
}

test('long work yields to the event loop after every slice', async () => {
  const loop = countTurns();
  expect(await runInSlices(longSteps(5), new AbortController().signal)).toBe('done');
  loop.stop();
  expect(loop.turns()).toBeGreaterThanOrEqual(5);
});

test('an abort ends the work between two slices', async () => {
  const caller = new AbortController();
  const task = longSteps(1000);
  const running = runInSlices(task, caller.signal);
  setImmediate(() => caller.abort(new Error('gone')));
  await expect(running).rejects.toThrow();
  expect(task.next().done).toBe(false);
});
