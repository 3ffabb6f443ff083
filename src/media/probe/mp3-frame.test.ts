import { expect, test } from 'vitest';
import { findFirstFrame, id3Bytes } from './mp3-frame.ts';

/** Returns four frames and the header of a fifth, each with the length that its header declares. */
const frames = (head: string, bytes: number) =>
  Buffer.concat(Array.from({ length: 5 }, () => Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(bytes - 4)])));

test.each([
  { what: 'MPEG-1 layer III, 128 kbit/s, 44.1 kHz', head: 'fffb9000', bytes: 417 },
  { what: 'MPEG-1 layer III, 128 kbit/s, 44.1 kHz, with padding', head: 'fffb9200', bytes: 418 },
  { what: 'MPEG-2 layer III, 64 kbit/s, 22.05 kHz', head: 'fff38000', bytes: 208 },
  { what: 'MPEG-2.5 layer III, 32 kbit/s, 11.025 kHz', head: 'ffe34000', bytes: 208 },
  { what: 'MPEG-1 layer II, 384 kbit/s, 48 kHz', head: 'fffde400', bytes: 1152 },
  { what: 'MPEG-1 layer I, 32 kbit/s, 32 kHz', head: 'ffff1800', bytes: 48 },
])('finds frames of $what that follow other data', ({ head, bytes }) => {
  const lone = frames(head, bytes).subarray(0, bytes + 2);
  const file = Buffer.concat([Buffer.from('fffb90ff'.repeat(50), 'hex'), lone, frames(head, bytes)]);
  expect(findFirstFrame(file)).toBe(200 + bytes + 2);
});

test('requires four consecutive frames', () => {
  expect(findFirstFrame(Buffer.from('fffb9000'.repeat(1000), 'hex'))).toBeNull();
  expect(findFirstFrame(Buffer.alloc(5000, 0xff))).toBeNull();
  expect(findFirstFrame(frames('fffb9000', 417).subarray(0, 900))).toBeNull();
});

test('reads the length of an ID3v2 tag from its seven-bit sizes', () => {
  expect(id3Bytes(Buffer.from('49443304000000000201', 'hex'))).toBe(10 + 257);
  expect(id3Bytes(Buffer.from('49443304001000000201', 'hex'))).toBe(20 + 257);
  expect(id3Bytes(Buffer.from('fffb9000000000000000', 'hex'))).toBe(0);
});
