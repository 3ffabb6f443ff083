import { expect, test } from 'vitest';
import { HeldMedia } from './held-media.ts';

const unit = (dtsMs: number, bytes: number) => ({
  ...{ kind: 'audio' as const, dtsMs, ptsMs: dtsMs, isKey: true },
  bytes: Buffer.alloc(bytes),
});

/** Returns the times of all held units and removes them. */
function drain(held: HeldMedia): number[] {
  const times: number[] = [];
  for (let next = held.first; next !== null; next = held.first) {
    times.push(next.unit.dtsMs);
    held.dropFirst();
  }
  return times;
}

test('drops the oldest units if the limit is exceeded', () => {
  const held = new HeldMedia(10);
  for (const dtsMs of [1, 2, 3]) held.add(unit(dtsMs, 5), dtsMs);
  expect(held.first?.atMs).toBe(2);
  expect(drain(held)).toEqual([2, 3]);
  held.add(unit(4, 11), 4);
  expect(held.first).toBeNull();
  for (const dtsMs of [5, 6]) held.add(unit(dtsMs, 5), dtsMs);
  expect(drain(held)).toEqual([5, 6]);
});

test('sorts held units by time, and is empty after clear()', () => {
  const held = new HeldMedia(10);
  for (const dtsMs of [3, 1, 2]) held.add(unit(dtsMs, 1), dtsMs);
  held.sortByTime();
  expect(held.first?.atMs).toBe(1);
  held.clear();
  expect(held.first).toBeNull();
  held.add(unit(7, 10), 7);
  expect(drain(held)).toEqual([7]);
});
