import { expect, test } from 'vitest';
import { makeMoov, testBox, wideBox, words } from '../../../test/support/media/test-moov.ts';
import { type RangeSource, readMp4Index } from './read-mp4-index.ts';

const NEVER = new AbortController().signal;

function sourceOf(...boxes: readonly Buffer[]): RangeSource & { readBytes: number } {
  const file = Buffer.concat(boxes);
  const source = {
    sizeBytes: file.length,
    readBytes: 0,
    readRange: async (offset: number, length: number) => {
      source.readBytes += length;
      return await Promise.resolve(file.subarray(offset, offset + length));
    },
  };
  return source;
}

async function answerOf(...boxes: readonly Buffer[]): Promise<string> {
  const answer = await readMp4Index(sourceOf(...boxes), NEVER);
  return answer.kind === 'refused' ? answer.reason : answer.kind;
}

const ftyp = testBox('ftyp', Buffer.from('isom\0\0\0\0'));
const media = testBox('mdat', Buffer.alloc(8000));

test.each([
  { title: 'first', boxes: [ftyp, makeMoov(), media] },
  { title: 'last', boxes: [ftyp, media, makeMoov()] },
  {
    title: 'after a 64-bit mdat and fillers',
    boxes: [ftyp, testBox('wide'), wideBox('mdat', Buffer.alloc(8000)), testBox('free'), makeMoov()],
  },
  { title: 'in an old file without ftyp', boxes: [media, makeMoov()] },
  {
    title: 'before an mdat without a size',
    boxes: [ftyp, makeMoov(), words(0), Buffer.from('mdat'), Buffer.alloc(8000)],
  },
])('finds a moov that is $title', async ({ boxes }) => {
  expect(await answerOf(...boxes)).toBe('index');
});

test('does not read the media', async () => {
  const source = sourceOf(ftyp, media, makeMoov());
  await readMp4Index(source, NEVER);
  expect(source.readBytes).toBe(3 * 16 + makeMoov().length);
});

test.each([
  { title: 'an empty file', boxes: [], reason: 'not-mp4' },
  { title: 'a Matroska file', boxes: [Buffer.from('1a45dfa39f4286810142f7810142f281', 'hex')], reason: 'not-mp4' },
  { title: 'text', boxes: [Buffer.from('Once upon a time there was a file.')], reason: 'truncated' },
  { title: 'zeros', boxes: [Buffer.alloc(64)], reason: 'not-mp4' },
  { title: 'a file without moov', boxes: [ftyp, media], reason: 'no-moov' },
  { title: 'a file truncated within mdat', boxes: [ftyp, media.subarray(0, 4000)], reason: 'truncated' },
  { title: 'a box smaller than its own header', boxes: [ftyp, words(4, 0)], reason: 'corrupt' },
  { title: 'fragments', boxes: [ftyp, testBox('moof'), makeMoov()], reason: 'fragmented' },
  {
    title: 'a fragmented movie',
    boxes: [ftyp, makeMoov({ padding: testBox('mvex') })],
    reason: 'fragmented',
  },
  {
    title: 'more top-level boxes than allowed',
    boxes: [ftyp, Buffer.concat(new Array(10_001).fill(testBox('free')))],
    reason: 'no-moov',
  },
])('refuses $title', async ({ boxes, reason }) => {
  expect(await answerOf(...boxes)).toBe(reason);
});

test('refuses a moov above 128 MiB without reading it', async () => {
  const head = Buffer.concat([words(2 ** 27 + 1), Buffer.from('moov'), Buffer.alloc(8)]);
  const readRange = async (_: number, length: number) => await Promise.resolve(head.subarray(0, length));
  const answer = await readMp4Index({ sizeBytes: 2 ** 30, readRange }, NEVER);
  expect(answer).toMatchObject({ kind: 'refused', reason: 'moov-too-large' });
});

test('throws if the file is shorter than declared, or if the read is aborted', async () => {
  const source = sourceOf(ftyp, media, makeMoov());
  const short = { ...source, readRange: (offset: number, length: number) => source.readRange(offset, length - 1) };
  await expect(readMp4Index(short, NEVER)).rejects.toThrow('Expected 16 bytes at 0, got 15.');
  await expect(readMp4Index(source, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});
