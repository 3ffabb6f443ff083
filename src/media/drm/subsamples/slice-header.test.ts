import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encode, FRAGMENTED, runTool, splitStream } from '../../../../test/support/media/read-test-media.ts';
import { readBoxes, requireBox } from '../../bmff/boxes.ts';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { readEntryBox, readSampleEntry } from '../../cmaf/sample-entry.ts';
import type { H264SequenceSet } from '../../nal/h264-sequence-set.ts';
import { openH264Divider } from './h264-divider.ts';
import { type AvcConfiguration, readAvcConfiguration } from './h264-parameter-sets.ts';
import { measureSliceHeader } from './slice-header.ts';

type Slices = { stream: Buffer; configuration: AvcConfiguration; avcC: Buffer; nals: Buffer[] };

function encodeSlices(source: string, codec: readonly string[]): Promise<Buffer> {
  return encode(['-f', 'lavfi', '-i', source, '-c:v', 'libx264', '-threads', '1', '-g', '12', ...codec, ...FRAGMENTED]);
}

/** Returns the slices of a fragmented stream, with the configuration needed to parse them. */
function openSlices(stream: Buffer): Slices {
  const { init, fragments } = splitStream(stream);
  const stsd = requireBox(readBoxes(init), 'moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd');
  const fields = readEntryBox(readSampleEntry(stsd, 'video'), 'avcC');
  const avcC = Buffer.from(fields.take(fields.left()));
  const nals: Buffer[] = [];
  for (const { payload } of fragments) {
    for (let at = 0; at < payload.length; ) {
      const end = at + 4 + payload.readUInt32BE(at);
      const nal = payload.subarray(at + 4, end);
      if ([1, 5].includes((nal[0] ?? 0) & 0x1f)) nals.push(nal);
      at = end;
    }
  }
  return { stream, configuration: readAvcConfiguration(avcC), avcC, nals };
}

/** Returns the bits of each slice header without emulation prevention, as reported by ffmpeg's own parser. */
async function traceHeaderBits(stream: Buffer): Promise<number[]> {
  const args = ['-v', 'trace', '-i', 'pipe:0', '-c', 'copy', '-bsf:v', 'trace_headers', '-f', 'null', '-'];
  const { stderr } = await runTool('ffmpeg', args, stream);
  const lengths: number[] = [];
  let isSlice = false;
  for (const line of stderr.split('\n')) {
    const text = /^\[trace_headers[^\]]*\] (.*)$/.exec(line)?.[1];
    if (text === undefined) continue;
    const field = /^(\d+)\s+\S+\s+([01]+) = /.exec(text);
    if (field === null) isSlice = text === 'Slice Header';
    if (text === 'Slice Header') lengths.push(0);
    if (isSlice && field !== null) lengths[lengths.length - 1] = Number(field[1]) + (field[2]?.length ?? 0);
  }
  return lengths;
}

/** Returns the number of NAL unit bytes that contain its first `bits` bits. */
function rawBytes(nal: Buffer, bits: number): number {
  const wanted = Math.ceil(bits / 8);
  let at = 0;
  for (let taken = 0; taken < wanted; at += 1) {
    const isPrevention = at >= 2 && nal[at] === 3 && nal[at - 1] === 0 && nal[at - 2] === 0;
    if (!isPrevention) taken += 1;
  }
  return at;
}

const pattern = 'testsrc2=s=160x96:r=25:d=1.2';
const fading = 'testsrc2=s=160x96:r=25:d=1.2,fade=in:0:25';
const real = openSlices(await encodeSlices(fading, ['-x264-params', 'slices=3:ref=4:bframes=3:b-pyramid=normal']));

describe('the length of a slice header', () => {
  test.each([
    {
      what: 'CABAC, B-frames, weights and several slices',
      source: fading,
      params: 'slices=4:ref=5:weightp=2:bframes=3',
    },
    {
      what: 'B-pyramids with marking commands',
      source: pattern,
      params: 'b-pyramid=normal:bframes=5:ref=2:open-gop=1',
    },
    { what: 'CAVLC without B-frames', source: pattern, params: 'cabac=0:bframes=0:ref=3:no-deblock=1' },
    { what: 'interlaced frames', source: pattern, params: 'interlaced=1:slices=2' },
    { what: 'full chroma, 4:4:4', source: `${pattern},format=yuv444p`, params: 'ref=3:slices=2' },
    { what: 'grey pictures', source: `${fading},format=gray`, params: 'weightp=2:ref=4' },
    { what: 'custom scaling lists', source: pattern, params: 'cqm=jvt:ref=3' },
    { what: 'fixed quantiser and a low number of frames', source: pattern, params: 'qp=0:keyint=250:ref=16' },
  ])('equals the length that ffmpeg reads: $what', async ({ source, params }) => {
    const { stream, configuration, nals } = openSlices(await encodeSlices(source, ['-x264-params', params]));
    const bits = await traceHeaderBits(stream);
    expect(bits).toHaveLength(nals.length);
    expect(nals.length).toBeGreaterThan(20);
    const measured = nals.map((nal) => measureSliceHeader(nal, configuration.sets));
    expect(measured).toEqual(nals.map((nal, index) => rawBytes(nal, bits[index] ?? 0)));
  });

  test('includes emulation prevention bytes', () => {
    // Two headers that differ only in frame_num. The zeros of the second need an emulation prevention byte.
    const sequences = [...real.configuration.sets.sequences].map(([id, set]) => [id, { ...set, frameNumberBits: 32 }]);
    const sets = { ...real.configuration.sets, sequences: new Map(sequences as [number, H264SequenceSet][]) };
    const tail = Buffer.alloc(40, 0xff);
    const plain = Buffer.concat([Buffer.from([0x65, 0xb8, 0x00, 0x40, 0x01, 0x00]), tail]);
    const escaped = Buffer.concat([Buffer.from([0x65, 0xb8, 0x00, 0x00, 0x03, 0x00, 0x01]), tail]);
    expect(measureSliceHeader(escaped, sets)).toBe(measureSliceHeader(plain, sets) + 1);
  });

  test('cannot be measured without the parameter set of the slice', () => {
    const [nal] = real.nals;
    if (nal === undefined) throw new Error('Expected a slice.');
    const none = { sequences: new Map(), pictures: new Map() };
    expect(() => measureSliceHeader(nal, none)).toThrow('Expected a slice of a known picture parameter set');
  });
});

const edits = fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { minLength: 1, maxLength: 6 });

function damage(bytes: Buffer, changes: readonly (readonly [number, number])[], length: number): Buffer {
  const changed = Buffer.from(bytes.subarray(0, length));
  for (const [at, value] of changes) if (at < changed.length) changed[at] = value;
  return changed;
}

describe('unusual slices', () => {
  const rules = { isBlockAligned: false, most: 40 };
  const inSample = (nal: Buffer) => Buffer.concat([Buffer.from([0, 0, nal.length >> 8, nal.length & 255]), nal]);

  test.each([2, 3, 4, 20, 21])('protects type %i after the NAL header', (type) => {
    const nal = Buffer.alloc(300, 7).fill(0x60 | type, 0, 1);
    expect(openH264Divider(real.configuration, rules)(inSample(nal))).toEqual([{ clearBytes: 8, protectedBytes: 296 }]);
  });

  test('with an unreadable header are protected after the first 64 bytes', () => {
    const none = { ...real.configuration, sets: { sequences: new Map(), pictures: new Map() } };
    const nal = Buffer.alloc(300, 7).fill(0x65, 0, 1);
    expect(openH264Divider(none, rules)(inSample(nal))).toEqual([{ clearBytes: 68, protectedBytes: 236 }]);
  });
});

describe('damaged H.264', () => {
  test('returns a length within the slice or throws BrokenMedia', () => {
    const slice = fc.oneof(
      fc.constantFrom(...real.nals),
      fc.uint8Array({ maxLength: 80 }).map((it) => Buffer.from(it)),
    );
    fc.assert(
      fc.property(slice, edits, fc.nat(400), (nal, changes, length) => {
        const changed = damage(nal, changes, length);
        try {
          const headerBytes = measureSliceHeader(changed, real.configuration.sets);
          expect(headerBytes).toBeLessThanOrEqual(changed.length);
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenMedia);
        }
      }),
      { numRuns: 5000 },
    );
  });

  test('returns parameter sets with which slice headers are measured or rejected', () => {
    fc.assert(
      fc.property(fc.constantFrom(...real.nals), edits, fc.nat(real.avcC.length), (nal, changes, cut) => {
        try {
          const { sets } = readAvcConfiguration(damage(real.avcC, changes, real.avcC.length - (cut % 3)));
          expect(measureSliceHeader(nal, sets)).toBeLessThanOrEqual(nal.length);
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenMedia);
        }
      }),
      { numRuns: 5000 },
    );
  });

  test('returns subsamples that add up to the sample within the limit, or throws BrokenMedia', () => {
    const [first] = splitStream(real.stream).fragments;
    const sample = first?.payload.subarray(0, first.samples[0]?.sizeBytes) ?? Buffer.alloc(0);
    fc.assert(
      fc.property(edits, fc.nat(sample.length), fc.boolean(), fc.integer({ min: 1, max: 5 }), (...given) => {
        const [changes, length, isBlockAligned, most] = given;
        const changed = damage(sample, changes, length);
        try {
          const parts = openH264Divider(real.configuration, { isBlockAligned, most })(changed);
          expect(parts.length).toBeLessThanOrEqual(most);
          expect(parts.reduce((sum, part) => sum + part.clearBytes + part.protectedBytes, 0)).toBe(changed.length);
          if (isBlockAligned) expect(parts.every((part) => part.protectedBytes % 16 === 0)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenMedia);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
