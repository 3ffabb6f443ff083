import { expect, test } from 'vitest';
import { startStallClock } from './stall-clock.ts';

test.each([
  { what: 'sleeps', cpuPerSec: 0, isRunnable: false, counted: 30 },
  { what: 'runs on one processor', cpuPerSec: 1, isRunnable: true, counted: 30 },
  { what: 'runs on four', cpuPerSec: 4, isRunnable: true, counted: 30 },
  { what: 'gets 1 % of a processor', cpuPerSec: 0.01, isRunnable: true, counted: 0.3 },
  { what: 'sleeps and sometimes wakes up', cpuPerSec: 0.01, isRunnable: false, counted: 30 },
])('counts $counted of 30 s if a child $what', ({ cpuPerSec, isRunnable, counted }) => {
  const clock = startStallClock(100, { cpuSec: 7, isRunnable });
  let seen = 0;
  for (let sec = 3; sec <= 30; sec += 3) seen = clock.look(100 + sec, { cpuSec: 7 + sec * cpuPerSec, isRunnable });
  expect(seen).toBeCloseTo(counted);
});

test('progress resets the count, and the exit of a process does not reduce it', () => {
  const clock = startStallClock(0, { cpuSec: 0, isRunnable: true });
  expect(clock.look(10, { cpuSec: 10, isRunnable: true })).toBe(10);
  expect(clock.look(20, { cpuSec: 4, isRunnable: true })).toBe(10);
  clock.reset();
  expect(clock.look(21, { cpuSec: 4.5, isRunnable: true })).toBe(0.5);
});
