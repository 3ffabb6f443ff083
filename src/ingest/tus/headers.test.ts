import { expect, test } from 'vitest';
import { Refused } from '../../lib/refused.ts';
import { readChecksum, readCreation, readMetadata, readOffset } from './headers.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

test('a creation reports length and metadata', () => {
  const metadata = `filetype ${base64('video/mp4')}, Title ${base64('Über Wasser')},thumbnailTime ${base64('1500')}`;
  expect(readCreation({ 'upload-length': '1024', 'upload-metadata': metadata }, 2048)).toEqual({
    lengthBytes: 1024,
    metadata: { filetype: 'video/mp4', title: 'Über Wasser', thumbnailtime: '1500' },
  });
});

test.each([
  ['no length', {}, 'invalid'],
  ['a length that is no number', { 'upload-length': '12x' }, 'invalid'],
  ['a negative length', { 'upload-length': '-1' }, 'invalid'],
  ['a length of zero', { 'upload-length': '0' }, 'invalid'],
  ['a length above the limit', { 'upload-length': '2049' }, 'too-large'],
  ['metadata of 5000 characters', { 'upload-length': '1', 'upload-metadata': 'a'.repeat(5000) }, 'invalid'],
])('a creation with %s is refused', (_, headers, kind) => {
  expect(() => readCreation(headers, 2048)).toThrow(expect.objectContaining({ kind }));
});

test.each([
  ['', {}],
  ['filetype ', { filetype: '' }],
  ['filetype', { filetype: '' }],
  [',,,', {}],
  ['title !!!not_base64!!!, ok YQ==', { ok: 'a' }],
  ['näme YQ==, ok YQ==', { ok: 'a' }],
  ['__proto__ YQ==, __PROTO__ YQ==', {}],
  [`nul ${base64('a\0b')}`, { nul: 'ab' }],
  [`broken ${Buffer.from([0xff, 0x41]).toString('base64')}`, { broken: '\uFFFDA' }],
])('metadata %j is read as far as it can be', (value, expected) => {
  expect(readMetadata(value)).toEqual(expected);
});

test('of metadata 32 pairs count', () => {
  const pairs = Array.from({ length: 40 }, (_, n) => `k${n} YQ==`).join(',');
  expect(Object.keys(readMetadata(pairs))).toHaveLength(32);
});

test.each(['', 'x', '-1', '1.5', '9'.repeat(16)])('the offset %j is refused', (value) => {
  expect(() => readOffset({ 'upload-offset': value })).toThrow(Refused);
});

test('an offset is a count of bytes', () => {
  expect(readOffset({ 'upload-offset': '1048576' })).toBe(1_048_576);
});

test('a checksum is absent, or sha1 with 20 bytes', () => {
  const digest = Buffer.alloc(20, 1);
  expect(readChecksum({})).toBeNull();
  expect(readChecksum({ 'upload-checksum': `sha1 ${digest.toString('base64')}` })).toEqual({
    algorithm: 'sha1',
    digest,
  });
});

test.each(['md5 YQ==', 'sha1 YQ==', 'sha1'])('the checksum %j is refused', (value) => {
  expect(() => readChecksum({ 'upload-checksum': value })).toThrow(Refused);
});
