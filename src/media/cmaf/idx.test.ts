import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { type ChunkIndex, countCtsRuns, decodeIdx, encodeIdx } from './idx.ts';

type Shape = { sizes: number[]; durations: number[]; offsets: number[]; syncs: number[]; cuts: number[] };

function indexOf(shape: Shape, startTick: number): ChunkIndex {
  const borders = [...new Set(shape.cuts.map((cut) => cut % shape.sizes.length))].toSorted(
    (left, right) => left - right,
  );
  const starts = [...new Set([0, ...borders])];
  const fragments = starts.map((start, index) => {
    const sizes = shape.sizes.slice(start, starts[index + 1]);
    const payloadBytes = sizes.reduce((sum, size) => sum + size, 0);
    return { samples: sizes.length, prefixBytes: 100 + index, payloadBytes, crc32: 0xdead_0000 + index };
  });
  const compositionOffsetsTicks = Int32Array.from(shape.offsets);
  return {
    timescale: 24000,
    startTick,
    durationTicks: shape.durations.reduce((sum, ticks) => sum + ticks, 0),
    sizeBytes: fragments.reduce((sum, fragment) => sum + fragment.prefixBytes + fragment.payloadBytes, 0),
    sha256: Buffer.alloc(32, 0xa5),
    ctsRuns: countCtsRuns(compositionOffsetsTicks),
    fragments,
    sampleSizesBytes: Uint32Array.from(shape.sizes),
    sampleDurationsTicks: Uint32Array.from(shape.durations),
    compositionOffsetsTicks,
    syncs: Uint8Array.from(shape.syncs),
  };
}

const u32 = fc.oneof(fc.nat(300), fc.nat(0xffffffff));
const offset = fc.oneof(fc.constantFrom(0, 1001, -1001, 2002), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }));

const shapes: fc.Arbitrary<Shape> = fc.integer({ min: 1, max: 400 }).chain((count) => {
  const column = <Item>(item: fc.Arbitrary<Item>): fc.Arbitrary<Item[]> =>
    fc.array(item, { minLength: count, maxLength: count });
  return fc.record({
    sizes: column(fc.oneof(fc.nat(300), fc.nat(2 ** 20))),
    durations: fc.oneof(
      column(u32),
      u32.map((ticks) => Array<number>(count).fill(ticks)),
    ),
    offsets: fc.oneof(column(offset), fc.constant(Array<number>(count).fill(0)), column(fc.constantFrom(-1, 0, 7))),
    syncs: fc.oneof(column(fc.constantFrom(0, 1)), fc.constant(Array<number>(count).fill(1))),
    cuts: fc.array(fc.nat(1000), { maxLength: 8 }),
  });
});

const small = indexOf(
  {
    sizes: [900, 20, 10, 700, 5, 200],
    durations: [1001, 1001, 1001, 1001, 1001, 1001],
    offsets: [0, 1001, -1001, 0, 0, 0],
    syncs: [1, 0, 0, 1, 0, 0],
    cuts: [3],
  },
  2 ** 40,
);

/** Appends a valid CRC to changed bytes, so that only later checks can reject them. */
function resealed(bytes: Buffer, change: (body: Buffer) => void): Buffer {
  const body = Buffer.from(bytes.subarray(0, bytes.length - 4));
  change(body);
  const crc = Buffer.alloc(4);
  crc.writeUInt32LE(crc32(body));
  return Buffer.concat([body, crc]);
}

describe('a chunk index', () => {
  test('is read back unchanged for any columns', () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: -1000, max: Number.MAX_SAFE_INTEGER }), (shape, startTick) => {
        const index = indexOf(shape, startTick);
        expect(decodeIdx(encodeIdx(index))).toEqual(index);
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    { distinct: 16, bits: 4 },
    { distinct: 17, bits: 8 },
    { distinct: 256, bits: 8 },
    { distinct: 257, bits: 32 },
  ])('stores $distinct different offsets in $bits bits each', ({ distinct, bits }) => {
    const offsets = Array.from({ length: 301 }, (_, index) => ((index % distinct) - 5) * 1001);
    const column = (value: number): number[] => Array<number>(301).fill(value);
    const index = indexOf({ sizes: column(9), durations: column(1), offsets, syncs: column(1), cuts: [] }, 0);
    const bytes = encodeIdx(index);
    expect(bytes.readUInt8(6)).toBe(bits);
    expect(decodeIdx(bytes)).toEqual(index);
  });

  test('has the documented byte layout', () => {
    const bytes = encodeIdx(small);
    const header = '4d524958' + '01' + '0b' + '04' + '00' + 'c05d0000' + '02000000' + '06000000' + 'e9030000';
    const counts = '0000000000010000' + '7617000000000000' + 'f40700' + '0000000000' + '04000000' + '0300' + '0000';
    const fragments = '03' + '64' + 'a207' + '0000adde' + '03' + '65' + '8907' + '0100adde';
    const sizes = '8407' + '14' + '0a' + 'bc05' + '05' + 'c801';
    const offsets = '17fcffff' + '00000000' + 'e9030000' + '21' + '10' + '11';
    const body = header + counts + 'a5'.repeat(32) + fragments + sizes + offsets;
    expect(bytes.subarray(0, -4).toString('hex')).toBe(body);
  });
});

describe('a damaged chunk index', () => {
  test('is rejected after a flip of any bit', () => {
    const bytes = encodeIdx(small);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => decodeIdx(flipped), `bit ${bit}`).toThrow(BrokenMedia);
    }
  });

  test('is rejected if truncated anywhere', () => {
    const bytes = encodeIdx(small);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => decodeIdx(bytes.subarray(0, length)), `${length} bytes`).toThrow(BrokenMedia);
    }
  });

  test('is rejected before memory is allocated for counts that the object cannot contain', () => {
    const many = resealed(encodeIdx(small), (body) => body.writeUInt32LE(0xffffffff, 16));
    expect(() => decodeIdx(many)).toThrow('2 fragments and 4294967295 samples in the idx');
  });

  test.each([
    { what: 'bytes of all fragments', at: 40 },
    { what: 'ticks of all samples', at: 32 },
    { what: 'runs of composition offsets', at: 48 },
    { what: 'bytes of the samples of fragment 0', at: 104 },
  ])('is rejected if its $what do not add up, despite a valid CRC', ({ what, at }) => {
    const wrong = resealed(encodeIdx(small), (body) => {
      body[at] = (body[at] ?? 0) ^ 1;
    });
    expect(() => decodeIdx(wrong)).toThrow(what);
  });

  test('decodes to an index or throws BrokenMedia for any bytes with a valid CRC', () => {
    const bytes = encodeIdx(small);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 5), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        (edits) => {
          const changed = resealed(bytes, (body) => {
            for (const [at, value] of edits) body[at] = value;
          });
          try {
            decodeIdx(changed);
          } catch (error) {
            expect(error).toBeInstanceOf(BrokenMedia);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
