import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { paceBody } from './pace-body.ts';

const pauses: number[] = [];
vi.mock('node:timers/promises', () => ({
  setTimeout: async (ms: number) => void pauses.push(ms),
}));

test('a paced body has the same bytes, and pauses for the rest of the time that they should take', async () => {
  const chunks = Array.from({ length: 4 }, (_, index) => Buffer.alloc(1_000, index));
  const paced = paceBody(Readable.from(chunks), 1_000, new AbortController().signal);
  expect(await buffer(paced)).toEqual(Buffer.concat(chunks));
  expect(pauses.length).toBe(4);
  // The clock of this test runs on, so the pauses are a little shorter than the whole seconds.
  expect(pauses.map((ms) => Math.ceil(ms / 1_000))).toEqual([1, 2, 3, 4]);
});

test('an error of the body ends the paced one', async () => {
  const body = new Readable({ read() {} });
  body.push(Buffer.alloc(10));
  setImmediate(() => body.destroy(new Error('broken')));
  await expect(buffer(paceBody(body, 1_000_000, new AbortController().signal))).rejects.toThrow('broken');
});
