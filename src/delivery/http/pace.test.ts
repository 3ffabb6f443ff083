import { expect, test } from 'vitest';
import { paced } from './pace.ts';

test('sends the first bytes immediately and the remaining bytes in order at the given rate', async () => {
  const bytes = Buffer.from(Array.from({ length: 60 }, (_, index) => index));
  const parts = [{ bytes: bytes.subarray(0, 25) }, { bytes: bytes.subarray(25) }];
  const startMs = performance.now();
  const pieces: { bytes: Buffer; atMs: number }[] = [];
  for await (const part of paced(parts, { bytesPerSec: 100, freeBytes: 20 }, new AbortController().signal)) {
    if ('bytes' in part) pieces.push({ bytes: part.bytes, atMs: performance.now() - startMs });
  }
  expect(Buffer.concat(pieces.map((piece) => piece.bytes))).toEqual(bytes);
  expect(pieces[0]?.bytes.length).toBe(20);
  // 40 bytes at 100 bytes/s. No wait follows the last piece, which has up to 25 bytes.
  expect(pieces.at(-1)?.atMs).toBeGreaterThan(140);
});

test('stops when the viewer disconnects', async () => {
  const left = new AbortController();
  const pieces = [];
  for await (const part of paced([{ bytes: Buffer.alloc(100) }], { bytesPerSec: 1, freeBytes: 0 }, left.signal)) {
    pieces.push(part);
    setTimeout(() => left.abort(), 20);
  }
  expect(pieces).toHaveLength(1);
});
