import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encode, h264Args, splitStream } from '../../../test/support/media/read-test-media.ts';
import { verifyChunk } from '../../../test/support/media/verify-chunk.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import type { CutList } from '../timeline/cut-list.ts';
import { buildChunk, segmentRanges } from './chunk.ts';
import { readFragment } from './fragment.ts';
import { decodeIdx } from './idx.ts';
import type { Segment } from './segment.ts';
import { createVideoSegmenter } from './segmenter.ts';

const rate = { num: 24000, den: 1001 };
const cutList: CutList = {
  timescale: 24000,
  startTicks: [0, 48 * 1001, 96 * 1001],
  endTicks: 120 * 1001,
  grid: { kind: 'frames', rate, segmentFrames: 48, totalFrames: 120 },
};

/** Segments 1 and 2 of the timeline. The last one is half as long. */
const encoded = encode(h264Args(rate, 48, 72, 24)).then((stream): Segment[] => {
  const segmenter = createVideoSegmenter({ cutList, firstSegment: 1 });
  return [...splitStream(stream).fragments.flatMap((fragment) => segmenter.push(fragment)), ...segmenter.end()];
});

describe('a chunk', () => {
  test('has metadata that matches its bytes', async () => {
    const segments = await encoded;
    const { pieces, idx, facts } = buildChunk(segments, 1);
    const object = Buffer.concat(pieces);
    const { fragmentTable, sha256, peakSegmentBps, ctsRuns, ...rest } = facts;
    expect(rest).toEqual({
      firstSegment: 1,
      segmentCount: 2,
      sizeBytes: object.length,
      startTick: 48 * 1001,
      durationTicks: 72 * 1001,
      samples: 72,
      syncCount: 3,
    });
    expect(fragmentTable).toHaveLength(3 * 12);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    const rates = segmentRanges(facts).map(
      (range, index) => (range.sizeBytes * 8) / ((index === 0 ? 48 : 24) * (1001 / 24000)),
    );
    expect(peakSegmentBps).toBe(Math.ceil(Math.max(...rates)));
    expect(decodeIdx(idx).ctsRuns).toBe(ctsRuns);
  });

  test('locates each segment from its row alone', async () => {
    const { pieces, facts } = buildChunk(await encoded, 1);
    const object = Buffer.concat(pieces);
    const ranges = segmentRanges(facts);
    expect(ranges.map((it) => [it.segment, it.samples, it.fragments.length])).toEqual([
      [1, 48, 2],
      [2, 24, 1],
    ]);
    expect(ranges.map((it) => it.startByte)).toEqual([0, (ranges[0]?.endByte ?? 0) + 1]);
    expect(ranges.at(-1)?.endByte).toBe(object.length - 1);
    const last = ranges[1];
    const fragment = readFragment(object.subarray(last?.startByte, (last?.endByte ?? 0) + 1));
    expect(fragment.baseTick).toBe(96 * 1001);
    expect(fragment.payload.length).toBe(last?.payloadBytes);
  });

  test('has an index that matches its fragments sample by sample', async () => {
    const segments = await encoded;
    const { pieces, idx } = buildChunk(segments, 1);
    const index = verifyChunk(Buffer.concat(pieces), idx);
    const samples = segments.flatMap((segment) => segment.fragments.flatMap((fragment) => fragment.samples));
    expect([...index.sampleSizesBytes]).toEqual(samples.map((sample) => sample.sizeBytes));
    expect([...index.compositionOffsetsTicks]).toEqual(samples.map((sample) => sample.compositionOffsetTicks));
    expect([...index.sampleDurationsTicks]).toEqual(samples.map((sample) => sample.durationTicks));
    expect([...index.syncs]).toEqual(samples.map((sample) => (sample.isSync ? 1 : 0)));
  });
});

describe('a damaged chunk', () => {
  test('is detected after a change of any byte', async () => {
    const { pieces, idx } = buildChunk(await encoded, 1);
    const object = Buffer.concat(pieces);
    fc.assert(
      fc.property(fc.nat(object.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(object);
        changed[at] = (changed[at] ?? 0) ^ mask;
        expect(() => verifyChunk(changed, idx)).toThrow(BrokenMedia);
      }),
      { numRuns: 40 },
    );
    expect(() => verifyChunk(object.subarray(1), idx)).toThrow(BrokenMedia);
  });

  test('cannot be built from no segments, or from segments out of order or with a gap', async () => {
    const [first, second] = await encoded;
    if (first === undefined || second === undefined) throw new Error('Expected two segments.');
    expect(() => buildChunk([], 1)).toThrow('got none');
    expect(() => buildChunk([second, first], 1)).toThrow('Expected segment 1 at tick');
    expect(() => buildChunk([first, { ...second, startTick: second.startTick + 1 }], 1)).toThrow(
      'Expected segment 2 at tick 96096',
    );
  });

  test('is rejected if its row and its fragment table disagree', async () => {
    const { facts } = buildChunk(await encoded, 1);
    expect(() => segmentRanges({ ...facts, segmentCount: 3 })).toThrow('a fragment table of 3 segments, got 2');
  });
});
