import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IdleSlots } from './idle-slots.ts';
import { watchDelayed } from './watch-delayed.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Two queues whose slots record which of them looked for a job. `due`: the queues with delayed jobs. */
function open() {
  const woken: string[] = [];
  const asked: string[][] = [];
  const state = { due: ['quick'], isAway: false };
  const stopping = new AbortController();
  const reported: Error[] = [];
  const [quick, long] = [new IdleSlots((slot) => woken.push(slot)), new IdleSlots((slot) => woken.push(slot))];
  const slots = new Map(Object.entries({ quick, long }));
  const findDue = async (queues: readonly string[]) => {
    asked.push([...queues]);
    if (state.isAway) throw new Error('The database is down.');
    return state.due.filter((queue) => queues.includes(queue));
  };
  watchDelayed({ slots, findDue, report: (error) => reported.push(error) }, stopping.signal);
  return { quick, long, stopping, state, reported, taken: () => woken.splice(0), asked: () => asked.splice(0) };
}

test('one query every 2 s finds the queues with delayed jobs, and one idle slot of each looks', async () => {
  const { quick, long, state, taken, asked } = open();
  for (const slot of ['a', 'b', 'c']) quick.end(slot);
  long.end('d');
  expect(taken()).toEqual(['a', 'b', 'c', 'd']);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(asked()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect([asked(), taken()]).toEqual([[['quick', 'long']], ['a']]);
  state.due = [];
  await vi.advanceTimersByTimeAsync(6_000);
  expect([asked().length, taken()]).toEqual([3, []]);
});

test('a slot that finds a job wakes the next idle one, which is then woken for delayed jobs', async () => {
  const { quick, taken, asked } = open();
  for (const slot of ['a', 'b', 'c']) quick.end(slot);
  taken();
  quick.begin('a');
  expect(taken()).toEqual(['b']);
  quick.begin('b');
  expect(taken()).toEqual(['c']);
  quick.begin('c');
  await vi.advanceTimersByTimeAsync(10_000);
  expect([asked(), taken()]).toEqual([[], []]);
  quick.end('b');
  expect(taken()).toEqual(['b']);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(taken()).toEqual(['b']);
});

test('an error is reported, and the next query finds the jobs', async () => {
  const { quick, state, reported, taken } = open();
  quick.end('a');
  taken();
  state.isAway = true;
  await vi.advanceTimersByTimeAsync(2_000);
  expect([reported.length, taken()]).toEqual([1, []]);
  state.isAway = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(taken()).toEqual(['a']);
});

test('polling ends when the queue stops', async () => {
  const { quick, stopping, taken, asked } = open();
  quick.end('a');
  taken();
  stopping.abort();
  await vi.advanceTimersByTimeAsync(10_000);
  expect([asked(), taken()]).toEqual([[], []]);
  expect(vi.getTimerCount()).toBe(0);
});
