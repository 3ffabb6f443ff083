import { expect, test } from 'vitest';
import { makeMoov, testBox, words } from '../../../test/support/media/test-moov.ts';
import { type Mp4Index, parseMp4Index } from './mp4-index.ts';
import { readCutHeads } from './read-cut-heads.ts';

const NEVER = new AbortController().signal;
const CUTS = 200;
const SAMPLE_BYTES = 100_000;

// Returns an index in which every sample is a keyframe of 2 s.
function longIndex(): Mp4Index {
  const moov = makeMoov({
    stts: testBox('stts', words(0, 1, CUTS, 2000)),
    ctts: Buffer.alloc(0),
    stss: Buffer.alloc(0),
    sizes: testBox('stsz', words(0, SAMPLE_BYTES, CUTS)),
    stsc: testBox('stsc', words(0, 1, 1, CUTS, 1)),
    chunks: testBox('stco', words(0, 1, 0)),
  });
  const answer = parseMp4Index(moov, CUTS * SAMPLE_BYTES);
  if (answer.kind === 'refused') throw new Error(answer.message);
  return answer.index;
}

/** Returns a file whose samples contain an SEI of `seiBytes` and an IDR slice. It counts reads. */
function countingSource(seiBytes: number) {
  const counts = { reads: 0, bytes: 0, open: 0, mostOpen: 0 };
  const sample = Buffer.alloc(SAMPLE_BYTES);
  sample.writeUInt32BE(seiBytes, 0);
  sample.writeUInt8(6, 4);
  sample.writeUInt32BE(SAMPLE_BYTES - seiBytes - 8, seiBytes + 4);
  sample.writeUInt8(0x65, seiBytes + 8);
  const readRange = async (offset: number, length: number) => {
    counts.reads += 1;
    counts.bytes += length;
    counts.open += 1;
    counts.mostOpen = Math.max(counts.mostOpen, counts.open);
    await new Promise(setImmediate);
    counts.open -= 1;
    return sample.subarray(offset % SAMPLE_BYTES, (offset % SAMPLE_BYTES) + length);
  };
  return { source: { sizeBytes: CUTS * SAMPLE_BYTES, readRange }, counts };
}

test('reads 2 KiB of every cut with bounded concurrency and returns the results in order', async () => {
  const { source, counts } = countingSource(600);
  const heads = await readCutHeads(longIndex(), source, NEVER);
  expect(heads.map((head) => head.sample)).toEqual(Array.from({ length: CUTS }, (_, sample) => sample));
  expect(new Set(heads.map((head) => head.picture))).toEqual(new Set(['idr']));
  expect(counts).toEqual({ reads: CUTS, bytes: CUTS * 2048, open: 0, mostOpen: 16 });
});

test('reads at most 64 KiB of a cut with a later slice', async () => {
  const late = countingSource(60_000);
  expect((await readCutHeads(longIndex(), late.source, NEVER))[0]?.picture).toBe('idr');
  const tooLate = countingSource(70_000);
  expect((await readCutHeads(longIndex(), tooLate.source, NEVER))[0]?.picture).toBe('unknown');
  expect(tooLate.counts.bytes).toBe(CUTS * (2048 + 65_536));
});

test('stops at the first failed read or an abort, and leaves no read pending', async () => {
  const { source, counts } = countingSource(600);
  const readRange = async (offset: number, length: number) => {
    const bytes = await source.readRange(offset, length);
    if (counts.reads >= 20) throw new Error('disk gone');
    return bytes;
  };
  await expect(readCutHeads(longIndex(), { ...source, readRange }, NEVER)).rejects.toThrow('disk gone');
  expect(counts.open).toBe(0);
  expect(counts.reads).toBeLessThan(60);
  const stopped = AbortSignal.abort(new Error('stopped'));
  await expect(readCutHeads(longIndex(), source, stopped)).rejects.toThrow('stopped');
});
