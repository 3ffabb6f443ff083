import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { splitAnnexB } from './annex-b.ts';
import { NalTrack } from './nal-track.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
/**
 * Byte streams of x264 and x265 (64 x 48, up to the first bytes of the frame), and the configuration records that
 * ffmpeg writes for them.
 */
const STREAMS = {
  h264: hex('000000016742c00ada11ec0440000003004000000c83c489a80000000168ce0fc80000010605ffff00000165b84004'),
  hevc: hex(
    '0000000140010c01ffff01600000030090000003000003001e95980900000001420101016000000300900000030000' +
      '03001ea02083165959ae4caf016808000003000800000300c840000000014401c173d0890000012801af1d80',
  ),
};
const RECORDS = {
  h264: '0142c00affe100156742c00ada11ec0440000003004000000c83c489a801000468ce0fc8',
  hevc:
    '0101600000009000000000001ef000fcfdf8f800000f03a0000100' +
    '1840010c01ffff01600000030090000003000003001e95980' +
    '9a10001002942010101600000030090000003000003001ea02083165959ae4caf016808000003000800000300c840a2000100064401c173d089',
};

test.each(['h264', 'hevc'] as const)(
  '%s: parameter sets become the configuration record, and frames are prefixed with their length',
  (codec) => {
    const track = new NalTrack(codec);
    const picture = track.take(splitAnnexB(STREAMS[codec]));
    expect(picture?.config).toMatchObject({ widthPx: 64, heightPx: 48 });
    expect(picture?.config?.sampleEntry.toString('hex')).toContain(RECORDS[codec]);
    expect(picture?.isKey).toBe(true);
    const sizes = [...splitAnnexB(STREAMS[codec])].slice(codec === 'h264' ? 2 : 3).map(({ length }) => length);
    let at = 0;
    for (const size of sizes) {
      expect(picture?.bytes.readUInt32BE(at)).toBe(size);
      at += 4 + size;
    }
    expect(at).toBe(picture?.bytes.length);
    // Repeated parameter sets do not change the configuration.
    expect(track.take(splitAnnexB(STREAMS[codec]))?.config).toBe(null);
  },
);

test.each(['h264', 'hevc'] as const)('%s: frames without parameter sets have no configuration', (codec) => {
  const track = new NalTrack(codec);
  const nals = splitAnnexB(STREAMS[codec]);
  expect(track.take(nals.slice(-1))).toMatchObject({ config: null, isKey: true });
  expect(track.take(nals)?.config).toMatchObject({ widthPx: 64 });
});

/** SPS of Chromium for a canvas, with colours, and for the black pictures while the track is muted, without. */
const COLOURED = hex('6742c0158c8d40a0f937010d010784423500');
const MUTED = hex('6742c0158c8d40a0f900f08846a0');
const PPS = hex('68ce3c80');
const IDR = hex('65b84004');

test('an SPS that only leaves the colours out does not change the configuration', () => {
  const track = new NalTrack('h264');
  expect(track.take([COLOURED, PPS, IDR])?.config).not.toBe(null);
  expect(track.take([MUTED, PPS, IDR])).toMatchObject({ config: null, isKey: true });
  expect(track.take([COLOURED, PPS, IDR])?.config).toBe(null);
});

test.each([
  ['colours that were missing', MUTED, COLOURED],
  ['another size', hex('6742c00ada11ec0440000003004000000c83c489a8'), MUTED],
  // Without bitstream_restriction, decoders may output pictures in another order.
  ['other usability information', COLOURED, hex('6742c0158c8d40a0f880')],
  ['another profile', COLOURED, hex('674d40158c8d40a0f900f08846a0')],
])('an SPS with %s changes the configuration', (_what, before, after) => {
  const track = new NalTrack('h264');
  track.take([before, PPS, IDR]);
  expect(track.take([after, PPS, IDR])?.config).not.toBe(null);
});

test('rejects an oversized parameter set with its size', () => {
  const long = Buffer.concat([hex('6742c00a'), Buffer.alloc(70_000, 1)]);
  expect(() => new NalTrack('h264').take([long])).toThrow(
    'Expected a parameter set of at most 16384 bytes, got 70004.',
  );
  expect(() => new NalTrack('h264').take([long])).toThrow(BrokenMedia);
});

test('a recovery point begins an open GOP, but an ordinary frame does not', () => {
  const track = new NalTrack('h264');
  track.take(splitAnnexB(STREAMS.h264));
  expect(track.take([hex('0606018480'), hex('4188aa')])?.isKey).toBe(true);
  expect(track.take([hex('0606014480'), hex('4188aa')])?.isKey).toBe(false);
  expect(track.take([hex('4188aa')])?.isKey).toBe(false);
});

test('rejects damaged NAL units only with BrokenMedia', () => {
  fc.assert(
    fc.property(fc.constantFrom('h264', 'hevc'), fc.array(fc.uint8Array({ maxLength: 60 })), (codec, nals) => {
      const track = new NalTrack(codec === 'hevc' ? 'hevc' : 'h264');
      try {
        track.take(splitAnnexB(STREAMS[codec === 'hevc' ? 'hevc' : 'h264']));
        track.take(nals.map((nal) => Buffer.from(nal)));
      } catch (error) {
        expect(error).toBeInstanceOf(BrokenMedia);
      }
    }),
    { numRuns: 1_000 },
  );
});
