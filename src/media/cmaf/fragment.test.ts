import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encode, h264Args, runTool, splitStream } from '../../../test/support/media/read-test-media.ts';
import { writeFragment } from '../../../test/support/media/write-fragment.ts';
import { writeBox, writeFullBox, writeU32 } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { readFragment, type Sample } from './fragment.ts';
import { normaliseInit } from './init-segment.ts';

const clip = encode(h264Args({ num: 24, den: 1 }, 0, 48, 24));

const sample: fc.Arbitrary<Sample> = fc.record({
  durationTicks: fc.oneof(fc.constant(1001), fc.nat(0xffffffff)),
  sizeBytes: fc.nat(40),
  compositionOffsetTicks: fc.oneof(fc.constant(0), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  isSync: fc.boolean(),
});
const alike = fc.tuple(sample, fc.integer({ min: 1, max: 40 })).map(([one, count]) => Array<Sample>(count).fill(one));
const samples = fc.oneof(fc.array(sample, { minLength: 1, maxLength: 40 }), alike);

describe('a written fragment', () => {
  test('is read back unchanged for any samples', () => {
    fc.assert(
      fc.property(samples, fc.nat(0xffffffff), fc.maxSafeNat(), (list, sequence, baseTick) => {
        const payload = Buffer.alloc(
          list.reduce((sum, it) => sum + it.sizeBytes, 0),
          0x5a,
        );
        const read = readFragment(writeFragment({ sequence, baseTick, trackId: 1, samples: list }, payload));
        expect({ ...read, payload: Buffer.from(read.payload) }).toEqual({
          ...{ sequence, trackId: 1, baseTick, samples: list, payload },
          payloadOffset: read.payloadOffset,
        });
      }),
      { numRuns: 300 },
    );
  });

  test('is smaller than the fragment of the encoder and decodes to the same frames', async () => {
    const stream = await clip;
    const { init, fragments } = splitStream(stream);
    const written = fragments.map((fragment) => writeFragment(fragment, fragment.payload));
    const file = Buffer.concat([normaliseInit(init), ...written]);
    expect(file.length).toBeLessThan(stream.length);
    const frames = async (bytes: Buffer): Promise<string> => {
      const { stdout, stderr } = await runTool(
        'ffmpeg',
        ['-v', 'warning', '-i', 'pipe:0', '-f', 'framemd5', 'pipe:1'],
        bytes,
      );
      expect(stderr).toBe('');
      return stdout.toString();
    };
    expect(await frames(file)).toBe(await frames(stream));
  });

  test('is rejected if its payload does not match its samples', () => {
    const one = { durationTicks: 1, sizeBytes: 5, compositionOffsetTicks: 0, isSync: true };
    const head = { sequence: 1, baseTick: 0, trackId: 1, samples: [one] };
    expect(() => writeFragment(head, Buffer.alloc(4))).toThrow(
      'Expected a payload of 5 bytes, the sum of its sample sizes, got 4.',
    );
    expect(() => writeFragment({ ...head, samples: [] }, Buffer.alloc(0))).toThrow('Expected 1 to 65535 samples');
  });
});

/** Returns a fragment with the given tfhd and truns, as other muxers write it. */
function foreign(tfhd: Buffer, truns: readonly Buffer[], payload: Buffer): Buffer {
  const traf = writeBox('traf', tfhd, writeFullBox('tfdt', 0, 0, writeU32(77)), ...truns);
  return Buffer.concat([writeBox('moof', writeFullBox('mfhd', 0, 0, writeU32(4)), traf), writeBox('mdat', payload)]);
}

const bareTfhd = writeFullBox('tfhd', 0, 0x020000, writeU32(3));

describe('a foreign fragment', () => {
  test('uses trex for values missing in its run and header', () => {
    const trun = writeFullBox('trun', 0, 1, writeU32(2, 92));
    const bytes = foreign(bareTfhd, [trun], Buffer.from('abcdef'));
    const {
      samples: received,
      baseTick,
      payload,
    } = readFragment(bytes, { durationTicks: 5, sizeBytes: 3, flags: 0x10000 });
    expect([baseTick, payload.toString()]).toEqual([77, 'abcdef']);
    const one = { durationTicks: 5, sizeBytes: 3, compositionOffsetTicks: 0, isSync: false };
    expect(received).toEqual([one, one]);
  });

  test('may have several runs, unsigned offsets and separate flags for its first sample', () => {
    const first = writeFullBox('trun', 0, 0x805, writeU32(1, 124, 0x02000000, 0x80000000));
    const next = writeFullBox('trun', 1, 0x801, writeU32(1, 127, 0xffffffff));
    const bytes = foreign(bareTfhd, [first, next], Buffer.from('abcdef'));
    const { samples: received } = readFragment(bytes, { durationTicks: 5, sizeBytes: 3, flags: 0x10000 });
    expect(received.map((it) => [it.compositionOffsetTicks, it.isSync])).toEqual([
      [2 ** 31, true],
      [-1, false],
    ]);
  });

  test.each([
    { what: 'samples before the mdat', tfhd: bareTfhd, trun: writeFullBox('trun', 0, 1, writeU32(1, 3)) },
    { what: 'samples past the mdat', tfhd: bareTfhd, trun: writeFullBox('trun', 0, 1, writeU32(3, 92)) },
    {
      what: 'a run of too many empty samples',
      tfhd: bareTfhd,
      trun: writeFullBox('trun', 0, 1, writeU32(0xffffffff, 92)),
    },
    { what: 'a run longer than its box', tfhd: bareTfhd, trun: writeFullBox('trun', 0, 0x101, writeU32(9, 92)) },
    { what: 'no data offset', tfhd: bareTfhd, trun: writeFullBox('trun', 0, 0, writeU32(1)) },
    {
      what: 'an absolute base offset',
      tfhd: writeFullBox('tfhd', 0, 1, writeU32(3, 0, 0)),
      trun: writeFullBox('trun', 0, 1, writeU32(1, 92)),
    },
  ])('with $what is rejected', ({ tfhd, trun }) => {
    const defaults = { durationTicks: 1, sizeBytes: 3, flags: 0 };
    expect(() => readFragment(foreign(tfhd, [trun], Buffer.from('abcdef')), defaults)).toThrow(BrokenMedia);
  });

  test('returns samples within the bytes or throws BrokenMedia for any input', async () => {
    const [first] = splitStream(await clip).fragments;
    if (first === undefined) throw new Error('Expected a fragment.');
    const bytes = writeFragment({ ...first, samples: first.samples }, first.payload);
    const edit = fc.tuple(fc.nat(first.payloadOffset), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff));
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), fc.nat(bytes.length), (edits, length) => {
        const changed = Buffer.from(bytes.subarray(0, length));
        for (const [at, value] of edits) if (at < changed.length) changed[at] = value;
        try {
          const read = readFragment(changed);
          const sizeBytes = read.samples.reduce((sum, it) => sum + it.sizeBytes, 0);
          expect(read.payload.length).toBe(sizeBytes);
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenMedia);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
