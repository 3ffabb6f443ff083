import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { limitBody } from './limited-body.ts';

const LIMITS = { maxBytes: 1e9, idleTimeoutMs: 10_000, minBytesPerSec: 1_000_000, rateWindowMs: 100 };

async function drain(body: Readable, onChunk: () => Promise<unknown> = async () => undefined): Promise<number> {
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    await onChunk();
  }
  return size;
}

async function* drip(pauseMs: number): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < 100; sent += 1) {
    await sleep(pauseMs);
    yield Buffer.alloc(10);
  }
}

test('rejects an origin that sends too slowly', async () => {
  const body = limitBody(Readable.from(drip(10), { objectMode: false }), LIMITS, () => undefined);
  await expect(drain(body)).rejects.toMatchObject({
    name: 'Refused',
    kind: 'timeout',
    message: expect.stringContaining('too slow'),
  });
});

test('does not count a slow reader as a slow origin', async () => {
  const source = Readable.from(Array.from({ length: 50 }, () => Buffer.alloc(10)));
  expect(
    await drain(
      // Scheduling delays of a busy processor count as the source's time too.
      limitBody(source, { ...LIMITS, rateWindowMs: 500 }, () => undefined),
      () => sleep(30),
    ),
  ).toBe(500);
});

test('closing the body immediately closes the source, even while the source is silent', async () => {
  const source = new PassThrough();
  let closed = 0;
  const body = limitBody(source, LIMITS, () => {
    closed += 1;
  });
  body.resume();
  await new Promise((resolve) => setImmediate(resolve));
  body.destroy();
  expect(source.destroyed).toBe(true);
  expect(closed).toBe(1);
});

test('a disconnect before the first read makes that read fail', async () => {
  const source = new PassThrough();
  const body = limitBody(source, LIMITS, () => undefined);
  source.write('some');
  source.destroy(new Error('other side closed'));
  await new Promise((resolve) => setImmediate(resolve));
  await expect(drain(body)).rejects.toThrow('other side closed');
});
