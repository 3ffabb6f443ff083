import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { paceBody } from './pace-body.ts';

test('a paced body has the same bytes, and takes at least the time of its rate', async () => {
  const chunks = Array.from({ length: 4 }, (_, index) => Buffer.alloc(1_000, index));
  const startMs = performance.now();
  const paced = paceBody(Readable.from(chunks), 20_000, new AbortController().signal);
  expect(await buffer(paced)).toEqual(Buffer.concat(chunks));
  // Timers may fire a millisecond early.
  expect(performance.now() - startMs).toBeGreaterThan(190);
});

test('an error of the body ends the paced one', async () => {
  const body = new Readable({ read() {} });
  body.push(Buffer.alloc(10));
  setImmediate(() => body.destroy(new Error('broken')));
  await expect(buffer(paceBody(body, 1_000_000, new AbortController().signal))).rejects.toThrow('broken');
});

test('an abort during a pause ends the paced body', async () => {
  const stop = new AbortController();
  // The pause after these bytes takes 10 s.
  const paced = paceBody(Readable.from([Buffer.alloc(1_000), Buffer.alloc(1_000)]), 100, stop.signal);
  paced.once('data', () => setTimeout(() => stop.abort(), 20));
  await expect(buffer(paced)).rejects.toThrow('abort');
});
