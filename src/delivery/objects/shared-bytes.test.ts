import { describe, expect, test, vi } from 'vitest';
import { BufferPool } from './buffer-pool.ts';
import { SharedBytes } from './shared-bytes.ts';

const MIB = 2 ** 20;
const stays = () => new AbortController().signal;

function room(maxBytes: number, keptBytes: number) {
  const made: string[] = [];
  const shared = new SharedBytes({ layer: 'test', maxBytes, keptBytes }, new BufferPool(8 * MIB));
  const want = (name: string | null, sizeBytes: number) => ({
    name,
    sizeBytes,
    make: async (take: (bytes: number) => Buffer) => {
      made.push(`${name}`);
      return take(sizeBytes).fill(made.length);
    },
  });
  return {
    made,
    lend: (name: string | null, sizeBytes: number, leave = stays) => shared.lend(want(name, sizeBytes), leave),
  };
}

describe('shared bytes', () => {
  test('are created once for concurrent requests', async () => {
    const { made, lend } = room(10 * MIB, 0);
    const lent = await Promise.all([lend('a', MIB), lend('a', MIB), lend('a', MIB)]);
    expect(made).toEqual(['a']);
    expect(new Set(lent.map(({ bytes }) => bytes)).size).toBe(1);
    for (const { release } of lent) release();
    (await lend('a', MIB)).release();
    expect(made).toEqual(['a', 'a']);
  });

  test('are cached, and the least recently used ones are dropped first', async () => {
    const { made, lend } = room(10 * MIB, 2 * MIB);
    const ask = async (name: string) => (await lend(name, MIB)).release();
    for (const name of ['a', 'a', 'b', 'b', 'a', 'b']) await ask(name);
    expect(made).toEqual(['a', 'b']);
    for (const name of ['c', 'c', 'b', 'a']) await ask(name);
    expect(made.slice(2)).toEqual(['c', 'a']);
  });

  test('are never shared without a name', async () => {
    const { made, lend } = room(10 * MIB, 2 * MIB);
    const [one, other] = await Promise.all([lend(null, MIB), lend(null, MIB)]);
    expect([made.length, one.bytes === other.bytes]).toEqual([2, false]);
  });

  test('wait in order for memory and evict cached bytes', async () => {
    const { lend } = room(3 * MIB, 3 * MIB);
    (await lend('kept', MIB)).release();
    const first = await lend('a', 2 * MIB);
    const second = await lend('b', MIB);
    const order: string[] = [];
    const waiting = ['c', 'd'].map(async (name) => {
      const lent = await lend(name, 2 * MIB);
      order.push(name);
      return lent;
    });
    second.release();
    await Promise.resolve();
    expect(order).toEqual([]);
    first.release();
    (await waiting[0])?.release();
    await waiting[1];
    expect(order).toEqual(['c', 'd']);
  });
});

describe('memory for shared bytes', () => {
  test('is granted to a request larger than the limit when nothing else is lent', async () => {
    const { lend } = room(MIB, 0);
    const small = await lend('a', MIB / 2);
    const large = lend('b', 5 * MIB);
    small.release();
    expect((await large).bytes.length).toBe(5 * MIB);
  });

  test('is no longer awaited by a client that disconnects', async () => {
    const { lend } = room(MIB, 0);
    const held = await lend('a', MIB);
    const gone = new AbortController();
    const waiting = lend('b', MIB, () => gone.signal);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'unavailable' });
    held.release();
    await vi.waitFor(async () => (await lend('c', MIB)).release(), { timeout: 20_000 });
  });

  test('is used only once for all requests for the same bytes', async () => {
    const { made, lend } = room(4 * MIB, 0);
    const [large, one, other] = await Promise.all([lend('a', 2 * MIB), lend('b', MIB), lend('c', MIB)]);
    const waiting = ['d', 'e', 'f', 'e', 'g'].map((name) => lend(name, MIB));
    large.release();
    await Promise.all(waiting.slice(0, 2));
    expect(made.slice(3)).toEqual(['d', 'e']);
    one.release();
    other.release();
    await Promise.all(waiting);
    expect(made.slice(3)).toEqual(['d', 'e', 'f', 'g']);
  });

  test('passes to the next waiter in order when the first disconnects', async () => {
    const { made, lend } = room(2 * MIB, 0);
    await lend('a', MIB);
    const gone = new AbortController();
    const large = lend('large', 2 * MIB, () => gone.signal);
    const small = lend('small', MIB);
    expect(made).toEqual(['a']);
    gone.abort();
    await expect(large).rejects.toMatchObject({ kind: 'unavailable' });
    await small;
    expect(made).toEqual(['a', 'small']);
  });

  test('is released if the bytes cannot be created', async () => {
    const shared = new SharedBytes({ layer: 'test', maxBytes: MIB, keptBytes: MIB }, new BufferPool(MIB));
    const fail = () => shared.lend({ name: 'a', sizeBytes: MIB, make: () => Promise.reject(new Error('gone')) }, stays);
    await expect(Promise.all([fail(), fail()])).rejects.toThrow('gone');
    const make = async () => Buffer.from('made');
    expect((await shared.lend({ name: 'a', sizeBytes: MIB, make }, stays)).bytes.toString()).toBe('made');
  });
});

test('a pool reuses returned buffers up to its limit', () => {
  const pool = new BufferPool(MIB);
  const [one, other] = [pool.take(MIB - 5), pool.take(MIB)];
  expect([one.length, other.length]).toEqual([MIB - 5, MIB]);
  pool.give(other);
  pool.give(one);
  expect(pool.take(MIB / 2).buffer).toBe(one.buffer);
  expect(pool.take(MIB).buffer).not.toBe(one.buffer);
});
