import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  makeMoov,
  sampleEntry,
  type TestMoov,
  testBox,
  wideBox,
  words,
} from '../../../test/support/media/test-moov.ts';
import { type Mp4Index, parseMp4Index } from './mp4-index.ts';

const FILE_BYTES = 10_000;

function indexOf(parts: TestMoov): Mp4Index {
  const answer = parseMp4Index(makeMoov(parts), FILE_BYTES);
  if (answer.kind === 'refused') throw new Error(`${answer.reason}: ${answer.message}`);
  return answer.index;
}

function refusalOf(parts: TestMoov): string {
  const answer = parseMp4Index(makeMoov(parts), FILE_BYTES);
  return answer.kind === 'refused' ? answer.reason : 'index';
}

describe('the tables of a track', () => {
  test('give the position, time and size of every sample', () => {
    const index = indexOf({});
    expect([...index.offsets]).toEqual([1000, 1100, 5000, 5100]);
    expect([...index.mediaTicks]).toEqual([10, 20, 40, 30]);
    expect([...index.sizesBytes]).toEqual([100, 100, 100, 100]);
    expect([...index.syncSamples]).toEqual([0]);
    expect(index).toMatchObject({ timescale: 1000, trackPosition: 0, lastDurationTicks: 10, isUpright: true });
    expect(index.description).toMatchObject({ widthPx: 320, heightPx: 180, profile: 100, nalLengthBytes: 4 });
    expect(index.description.parameterSets.map((unit) => unit.length)).toEqual([6, 4]);
  });

  test('may have a constant size, compact sizes or 64-bit offsets', () => {
    expect([...indexOf({ sizes: testBox('stsz', words(0, 50, 4)) }).offsets]).toEqual([1000, 1050, 5000, 5050]);
    const compact = (bits: number, ...bytes: number[]) => testBox('stz2', words(0, bits, 4), Buffer.from(bytes));
    expect([...indexOf({ sizes: compact(4, 0x23, 0x45) }).sizesBytes]).toEqual([2, 3, 4, 5]);
    expect([...indexOf({ sizes: compact(8, 9, 8, 7, 6) }).sizesBytes]).toEqual([9, 8, 7, 6]);
    expect([...indexOf({ sizes: compact(16, 1, 0, 0, 2, 0, 3, 0, 4) }).sizesBytes]).toEqual([256, 2, 3, 4]);
    const answer = parseMp4Index(makeMoov({ chunks: testBox('co64', words(0, 2, 0, 1000, 2, 0)) }), 2 ** 34);
    expect(answer.kind === 'index' ? [...answer.index.offsets] : answer).toEqual([1000, 1100, 2 ** 33, 2 ** 33 + 100]);
  });

  test('have signed composition offsets in both versions', () => {
    const offsets = [1, 4, -5];
    expect([...indexOf({ ctts: testBox('ctts', words(0, ...offsets)) }).mediaTicks]).toEqual([-5, 5, 15, 25]);
    expect([...indexOf({ ctts: testBox('ctts', words(1 << 24, ...offsets)) }).mediaTicks]).toEqual([-5, 5, 15, 25]);
  });

  test('without a sync table make every sample a sync sample', () => {
    expect([...indexOf({ stss: Buffer.alloc(0) }).syncSamples]).toEqual([0, 1, 2, 3]);
  });

  test('are found among free, wide and uuid boxes, 64-bit sizes and QuickTime terminators', () => {
    const padding = Buffer.concat([
      testBox('free', Buffer.alloc(5)),
      testBox('wide'),
      wideBox('uuid', Buffer.alloc(20)),
    ]);
    const stsd = wideBox('stsd', words(0, 1), sampleEntry('avc1', testBox('fiel', Buffer.of(1, 0)), words(0)));
    expect([...indexOf({ padding, stsd }).offsets]).toEqual([1000, 1100, 5000, 5100]);
  });

  test('keep the colour codes of a QuickTime file as nclx', () => {
    const stsd = testBox(
      'stsd',
      words(0, 1),
      sampleEntry('avc1', testBox('colr', Buffer.from('nclc\0\x01\0\x01\0\x01'))),
    );
    expect(indexOf({ stsd }).description.colour?.toString('latin1')).toBe('nclx\0\x01\0\x01\0\x01\0');
  });
});

describe('an edit list', () => {
  const edts = (...rows: number[]) => testBox('edts', testBox('elst', words(0, rows.length / 3, ...rows)));

  test('adds up leading pauses in the movie timescale and returns the start of the media', () => {
    const rows = edts(5, -1, 0x10000, 3, -1, 0x10000, 4, 10, 0x10000);
    expect(indexOf({ edts: rows }).edits).toEqual({ kind: 'simple', emptyTicks: 80, startTicks: 10, lengthTicks: 40 });
  });

  test('accepts 64-bit rows, rows without a length, and a missing edit list', () => {
    const wide = testBox('edts', testBox('elst', words(1 << 24, 2, 0, 5, -1, -1, 0x10000, 0, 0, 0, 10, 0x10000)));
    expect(indexOf({ edts: wide }).edits).toEqual({
      kind: 'simple',
      emptyTicks: 50,
      startTicks: 10,
      lengthTicks: null,
    });
    expect(indexOf({}).edits).toEqual({ kind: 'simple', emptyTicks: 0, startTicks: 0, lengthTicks: null });
  });

  test.each([
    { title: 'two segments', rows: [4, 10, 0x10000, 4, 20, 0x10000] },
    { title: 'an empty edit after the media', rows: [4, 10, 0x10000, 4, -1, 0x10000] },
    { title: 'another speed', rows: [4, 10, 0x20000] },
    { title: 'only an empty edit', rows: [4, -1, 0x10000] },
  ])('an edit list with $title is complex', ({ rows }) => {
    expect(indexOf({ edts: edts(...rows) }).edits).toEqual({ kind: 'complex' });
  });
});

describe('an invalid moov', () => {
  const stsd = (count: number, ...entries: Buffer[]) => testBox('stsd', words(0, count), ...entries);
  const cases: { title: string; parts: TestMoov; reason: string }[] = [
    { title: 'HEVC', parts: { stsd: stsd(1, sampleEntry('hvc1')) }, reason: 'no-h264-track' },
    { title: 'avc3', parts: { stsd: stsd(1, sampleEntry('avc3')) }, reason: 'parameter-sets-in-band' },
    { title: 'two entries', parts: { stsd: stsd(2, sampleEntry(), sampleEntry()) }, reason: 'several-descriptions' },
    { title: 'mvex', parts: { padding: testBox('mvex') }, reason: 'fragmented' },
    { title: 'timescale 0', parts: { mvhd: testBox('mvhd', words(0, 0, 0, 0, 4)) }, reason: 'corrupt' },
    { title: 'a forged constant size', parts: { sizes: testBox('stsz', words(0, 3, 19_000_000)) }, reason: 'corrupt' },
    { title: 'a forged count', parts: { sizes: testBox('stsz', words(0, 0, 19_000_000)) }, reason: 'corrupt' },
    { title: 'four billion samples', parts: { sizes: testBox('stsz', words(0, 1, -1)) }, reason: 'too-many-samples' },
    { title: 'no samples', parts: { sizes: testBox('stsz', words(0, 0, 0)) }, reason: 'corrupt' },
    { title: 'an empty sample', parts: { sizes: testBox('stsz', words(0, 0, 4, 9, 0, 9, 9)) }, reason: 'corrupt' },
    {
      title: 'samples larger than the file',
      parts: { sizes: testBox('stsz', words(0, 0, 4, 9, 9, 9, -1)) },
      reason: 'truncated',
    },
    {
      title: 'a chunk past the end',
      parts: { chunks: testBox('stco', words(0, 2, 1000, 9900)) },
      reason: 'truncated',
    },
    { title: 'a forged chunk count', parts: { chunks: testBox('stco', words(0, -1, 1000)) }, reason: 'corrupt' },
    { title: 'too many samples per chunk', parts: { stsc: testBox('stsc', words(0, 1, 1, -1, 1)) }, reason: 'corrupt' },
    { title: 'too few samples per chunk', parts: { stsc: testBox('stsc', words(0, 1, 1, 1, 1)) }, reason: 'corrupt' },
    {
      title: 'chunks out of order',
      parts: { stsc: testBox('stsc', words(0, 2, 1, 1, 1, 1, 3, 1)) },
      reason: 'corrupt',
    },
    { title: 'times for fewer samples', parts: { stts: testBox('stts', words(0, 1, 3, 10)) }, reason: 'corrupt' },
    { title: 'times for more samples', parts: { stts: testBox('stts', words(0, 1, -1, 10)) }, reason: 'corrupt' },
    { title: 'offsets for more samples', parts: { ctts: testBox('ctts', words(0, 1, 5, 10)) }, reason: 'corrupt' },
    { title: 'a nonexistent sync sample', parts: { stss: testBox('stss', words(0, 1, 5)) }, reason: 'corrupt' },
    { title: 'sync samples out of order', parts: { stss: testBox('stss', words(0, 2, 3, 3)) }, reason: 'corrupt' },
  ];

  test.each(cases)('with $title is rejected', ({ parts, reason }) => {
    expect(refusalOf(parts)).toBe(reason);
  });

  test('with data in another file is rejected', () => {
    const moov = makeMoov();
    moov.writeUInt32BE(0, moov.indexOf('url ') + 4);
    expect(parseMp4Index(moov, FILE_BYTES)).toMatchObject({ kind: 'refused', reason: 'external-data' });
  });

  test('with a box larger than its parent is rejected', () => {
    const moov = makeMoov();
    moov.writeUInt32BE(moov.length, moov.indexOf('stbl') - 4);
    expect(parseMp4Index(moov, FILE_BYTES)).toMatchObject({ kind: 'refused', reason: 'corrupt' });
  });
});

test('changed bytes never make the parser throw or use excessive memory', () => {
  const moov = makeMoov({ edts: testBox('edts', testBox('elst', words(0, 1, 4, 10, 0x10000))) });
  const edit = fc.tuple(fc.nat(moov.length - 1), fc.oneof(fc.nat(255), fc.constantFrom(0, 0x7f, 0x80, 0xff)));
  const cut = fc.option(fc.nat(moov.length), { nil: moov.length });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), cut, (edits, length) => {
      const broken = Buffer.from(moov.subarray(0, length));
      for (const [at, value] of edits) if (at < length) broken.writeUInt8(value, at);
      const answer = parseMp4Index(broken, FILE_BYTES);
      if (answer.kind === 'refused') {
        expect(answer.message).not.toBe('');
      } else {
        // Each sample occupies at least two bytes of the file.
        expect(answer.index.sizesBytes.length).toBeLessThanOrEqual(FILE_BYTES / 2);
        expect(Math.max(...answer.index.offsets)).toBeLessThan(FILE_BYTES);
      }
    }),
    { numRuns: 5000 },
  );
});
