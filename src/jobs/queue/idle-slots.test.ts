import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IdleSlots } from './idle-slots.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Slots that record which of them looked for a job. */
function open() {
  const woken: string[] = [];
  const stopping = new AbortController();
  const slots = new IdleSlots((slot) => woken.push(slot), stopping.signal);
  return { slots, stopping, taken: () => woken.splice(0) };
}

test('one of several idle slots looks for delayed jobs every 2 s', () => {
  const { slots, taken } = open();
  for (const slot of ['a', 'b', 'c']) slots.end(slot);
  expect(taken()).toEqual(['a', 'b', 'c']);
  vi.advanceTimersByTime(1_999);
  expect(taken()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(taken()).toEqual(['a']);
  vi.advanceTimersByTime(6_000);
  expect(taken()).toEqual(['a', 'a', 'a']);
});

test('a slot that finds a job wakes the next idle one, which then polls', () => {
  const { slots, taken } = open();
  for (const slot of ['a', 'b', 'c']) slots.end(slot);
  taken();
  slots.begin('a');
  expect(taken()).toEqual(['b']);
  slots.begin('b');
  expect(taken()).toEqual(['c']);
  slots.begin('c');
  vi.advanceTimersByTime(10_000);
  expect(taken()).toEqual([]);
  slots.end('b');
  expect(taken()).toEqual(['b']);
  vi.advanceTimersByTime(2_000);
  expect(taken()).toEqual(['b']);
});

test('polling ends when the queue stops', () => {
  const { slots, stopping, taken } = open();
  slots.end('a');
  taken();
  stopping.abort();
  vi.advanceTimersByTime(10_000);
  expect(taken()).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
