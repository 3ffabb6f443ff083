import { expect, test } from 'vitest';
import { createMultipartReader } from './multipart-reader.ts';

const part = (body: string) => `--x\r\nContent-type: image/jpeg\r\nContent-length: ${body.length}\r\n\r\n${body}\r\n`;
const stream = Buffer.from(`${part('first')}${part('')}${part('a\r\n\r\nb')}--x\r\n`);

test.each([1, 7, 50, 1000])('reassembles parts from input of %i bytes at a time', (size) => {
  const reader = createMultipartReader(100);
  const parts: string[] = [];
  for (let at = 0; at < stream.length; at += size) {
    parts.push(...reader.push(stream.subarray(at, at + size)).map(String));
  }
  expect(parts).toEqual(['first', '', 'a\r\n\r\nb']);
});

test.each([
  ['a part that is too large', part('x'.repeat(101)), 'at most 100 bytes'],
  ['a part header without a length', '--x\r\nContent-type: image/jpeg\r\n\r\n', 'at most 100 bytes'],
  ['an endless part header', 'x'.repeat(2000), 'head of a part'],
])('rejects %s', (_, text, message) => {
  expect(() => createMultipartReader(100).push(Buffer.from(text))).toThrow(message);
});
