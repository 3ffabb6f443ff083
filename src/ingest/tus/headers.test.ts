import { expect, test } from 'vitest';
import { Refused } from '../../lib/refused.ts';
import { readChecksum, readCreation, readLateLength, readMetadata, readOffset } from './headers.ts';

const limits = { maxBytes: 2048, maxParts: 3 };
const base64 = (text: string) => Buffer.from(text).toString('base64');

test('reads the length and the metadata of a creation request', () => {
  const metadata = `filetype ${base64('video/mp4')}, Title ${base64('Über Wasser')},thumbnailTime ${base64('1500')}`;
  expect(readCreation({ 'upload-length': '1024', 'upload-metadata': metadata }, limits)).toEqual({
    kind: 'whole',
    lengthBytes: 1024,
    metadataHeader: metadata,
    metadata: { filetype: 'video/mp4', title: 'Über Wasser', thumbnailtime: '1500' },
  });
});

const guid = (n: number) => `0190163d-8694-739b-aea5-966c26f8ad9${n}`;
const address = (n: number) => `https://video.example/api/tusupload/${guid(n)}`;

test('accepts a part of zero bytes, and a deferred length of a part or file', () => {
  const partial = { 'upload-concat': 'partial', 'upload-length': '0' };
  expect(readCreation(partial, limits)).toMatchObject({ kind: 'partial', lengthBytes: 0 });
  expect(readCreation({ 'upload-defer-length': '1' }, limits)).toMatchObject({ kind: 'whole', lengthBytes: null });
});

test('accepts absolute and relative part URLs in a final upload', () => {
  const concat = `final;${address(1)} /tusupload/${guid(2).toUpperCase()}/`;
  expect(readCreation({ 'upload-concat': concat }, limits)).toMatchObject({
    kind: 'final',
    concat,
    partIds: [guid(1), guid(2)],
  });
});

test.each([
  ['x', 'invalid'],
  ['', 'invalid'],
  ['2049', 'too-large'],
])('rejects the deferred length %j', (value, kind) => {
  expect(() => readLateLength({ 'upload-length': value }, 2048)).toThrow(expect.objectContaining({ kind }));
});

test.each([
  ['no length', {}, 'invalid'],
  ['a length that is not a number', { 'upload-length': '12x' }, 'invalid'],
  ['a negative length', { 'upload-length': '-1' }, 'invalid'],
  ['a length of zero', { 'upload-length': '0' }, 'invalid'],
  ['a length above the limit', { 'upload-length': '2049' }, 'too-large'],
  ['both a length and a deferred one', { 'upload-length': '1', 'upload-defer-length': '1' }, 'invalid'],
  ['a deferred length of 2', { 'upload-defer-length': '2' }, 'invalid'],
  ['an unknown Upload-Concat', { 'upload-length': '1', 'upload-concat': 'part' }, 'invalid'],
  ['a final upload with a length', { 'upload-length': '1', 'upload-concat': `final;${address(1)}` }, 'invalid'],
  ['a final upload with a deferred length', { 'upload-defer-length': '1', 'upload-concat': 'final;' }, 'invalid'],
  ['a final upload without parts', { 'upload-concat': 'final;' }, 'invalid'],
  ['a final upload of other URLs', { 'upload-concat': 'final;/tusupload/x' }, 'invalid'],
  ['a final upload of too many parts', { 'upload-concat': `final;${[1, 2, 3, 4].map(address).join(' ')}` }, 'invalid'],
  ['a final upload with a part twice', { 'upload-concat': `final;${address(1)} ${address(1)}` }, 'invalid'],
  ['metadata of 5000 characters', { 'upload-length': '1', 'upload-metadata': 'a'.repeat(5000) }, 'invalid'],
])('rejects a creation with %s', (_, headers, kind) => {
  expect(() => readCreation(headers, limits)).toThrow(expect.objectContaining({ kind }));
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
])('skips unreadable pairs in the metadata %j', (value, expected) => {
  expect(readMetadata(value)).toEqual(expected);
});

test('keeps only the first 32 metadata pairs', () => {
  const pairs = Array.from({ length: 40 }, (_, n) => `k${n} YQ==`).join(',');
  expect(Object.keys(readMetadata(pairs))).toHaveLength(32);
});

test.each(['', 'x', '-1', '1.5', '9'.repeat(16)])('rejects the offset %j', (value) => {
  expect(() => readOffset({ 'upload-offset': value })).toThrow(Refused);
});

test('parses an offset as a number of bytes', () => {
  expect(readOffset({ 'upload-offset': '1048576' })).toBe(1_048_576);
});

test('accepts an absent checksum and sha1 with 20 bytes', () => {
  const digest = Buffer.alloc(20, 1);
  expect(readChecksum({})).toBeNull();
  expect(readChecksum({ 'upload-checksum': `sha1 ${digest.toString('base64')}` })).toEqual({
    algorithm: 'sha1',
    digest,
  });
});

test.each(['md5 YQ==', 'sha1 YQ==', 'sha1'])('rejects the checksum %j', (value) => {
  expect(() => readChecksum({ 'upload-checksum': value })).toThrow(Refused);
});
