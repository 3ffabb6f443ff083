import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { readFlvTag } from './flv-tag.ts';

const AVC_RECORD = Buffer.from('0142c00affe100156742c00ada11ec0440000003004000000c83c489a801000468ce0fc8', 'hex');
const KEY_FRAME = 0x90;
const SEQUENCE_START = 0;
const CODED_FRAMES = 1;
const CODED_FRAMES_X = 3;
const MULTITRACK = { video: 6, audio: 5 };

const fourCc = (name: string) => Buffer.from(name, 'latin1');
const sized = (track: number, data: Buffer) => Buffer.from([track, 0, 0, data.length, ...data]);
const video = (...body: (Buffer | number[])[]) =>
  readFlvTag({ type: 9, timestampMs: 40, body: Buffer.concat(body.map((part) => Buffer.from(part))) }, 25);
const frame = (...bytes: number[]) => Buffer.from(bytes);

test.each([
  { what: 'one track with index 0', body: [[0x03], fourCc('avc1'), [0], frame(1, 2)], bytes: '0102' },
  {
    what: 'many tracks of one codec',
    body: [[0x13], fourCc('hvc1'), sized(2, frame(9)), sized(0, frame(3, 4))],
    bytes: '0304',
  },
  {
    what: 'many tracks of many codecs',
    body: [[0x23], fourCc('vp09'), sized(1, frame(9)), fourCc('av01'), sized(0, frame(5))],
    bytes: '05',
  },
  { what: 'a truncated track', body: [[0x13], fourCc('avc1'), [0, 0, 0, 9, 1]], bytes: null },
])('reads track 0 of enhanced RTMP: $what', ({ body, bytes }) => {
  const event = video([KEY_FRAME | MULTITRACK.video], ...body);
  expect(event?.type === 'unit' ? event.unit.bytes.toString('hex') : null).toBe(bytes);
});

test.each([
  { what: 'one track with another index', body: [[0x03], fourCc('avc1'), [1], frame(1, 2)] },
  { what: 'several tracks without track 0', body: [[0x13], fourCc('avc1'), sized(1, frame(9))] },
])('rejects tracks other than track 0 of enhanced RTMP with a reason: $what', ({ body }) => {
  expect(() => video([KEY_FRAME | MULTITRACK.video], ...body)).toThrow('An additional video track is left out');
});

test.each([
  { type: 9, fourCcName: 'vp09', reason: 'got VP9' },
  { type: 9, fourCcName: 'none', reason: 'got FourCC "none"' },
  { type: 8, fourCcName: 'Opus', reason: 'got Opus' },
  { type: 8, fourCcName: 'ec-3', reason: 'got E-AC-3' },
] as const)('reports unsupported media of enhanced RTMP: $reason', ({ type, fourCcName, reason }) => {
  const body = Buffer.concat([Buffer.from([KEY_FRAME | CODED_FRAMES]), fourCc(fourCcName), frame(0, 0, 0, 1)]);
  expect(() => readFlvTag({ type, timestampMs: 0, body }, 25)).toThrow(reason);
});

test.each([
  { type: 8, first: 0x2f, reason: 'got MP3' },
  { type: 8, first: 0xb2, reason: 'got Speex' },
  { type: 8, first: 0x62, reason: 'got Nellymoser' },
  { type: 8, first: 0x72, reason: 'got G.711 A-law' },
  { type: 9, first: 0x12, reason: 'got Sorenson H.263' },
  { type: 9, first: 0x14, reason: 'got VP6' },
] as const)('reports unsupported media: $reason', ({ type, first, reason }) => {
  expect(() => readFlvTag({ type, timestampMs: 0, body: Buffer.alloc(8, first) }, 25)).toThrow(reason);
});

test('reads HEVC in plain tags like H.264', () => {
  const event = readFlvTag({ type: 9, timestampMs: 40, body: Buffer.from([0x1c, 1, 0, 0, 80, 1, 2, 3]) }, 25);
  expect(event).toMatchObject({ type: 'unit', unit: { isKey: true, dtsMs: 40, ptsMs: 120 } });
});

test('the configuration of the first of several tracks equals that of a single track', () => {
  const plain = video([KEY_FRAME | SEQUENCE_START], fourCc('avc1'), AVC_RECORD);
  const first = video([KEY_FRAME | MULTITRACK.video, SEQUENCE_START], fourCc('avc1'), [0], AVC_RECORD);
  expect(first).toEqual(plain);
  expect(plain).toMatchObject({ type: 'config', config: { widthPx: 64, heightPx: 48 } });
  expect(video([KEY_FRAME | CODED_FRAMES_X], fourCc('avc1'), frame(7))).toMatchObject({
    unit: { isKey: true, dtsMs: 40 },
  });
});

test('keeps the channels of 5.1 audio, alone and as the first of several tracks', () => {
  const specific = Buffer.from([0x11, 0xb0]);
  const head = Buffer.from([0x90 | MULTITRACK.audio, SEQUENCE_START]);
  const body = Buffer.concat([head, fourCc('mp4a'), Buffer.from([0]), specific]);
  const event = readFlvTag({ type: 8, timestampMs: 0, body }, 0);
  if (event?.type !== 'config') throw new Error('Expected a configuration.');
  expect(event.config.timescale).toBe(48_000);
  // Channel count in the sample entry.
  expect(event.config.sampleEntry.readUInt16BE(24)).toBe(6);
});

test('rejects damaged multitrack tags only with BrokenMedia', () => {
  fc.assert(
    fc.property(fc.constantFrom(8, 9), fc.uint8Array({ minLength: 1, maxLength: 80 }), (type, bytes) => {
      const first = type === 8 ? 0x90 | MULTITRACK.audio : KEY_FRAME | MULTITRACK.video;
      try {
        readFlvTag({ type: type === 8 ? 8 : 9, timestampMs: 0, body: Buffer.from([first, ...bytes]) }, 25);
      } catch (error) {
        expect(error).toBeInstanceOf(BrokenMedia);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('reads the configuration and the frames from plain AAC tags', () => {
  const read = (...body: number[]) => readFlvTag({ type: 8, timestampMs: 40, body: Buffer.from(body) }, 0);
  expect(read(0xaf, 0, 0x11, 0x90)).toMatchObject({ type: 'config', config: { kind: 'audio', timescale: 48_000 } });
  expect(read(0xaf, 1, 7, 8)).toMatchObject({ type: 'unit', unit: { kind: 'audio', dtsMs: 40, bytes: frame(7, 8) } });
  expect(read(0xaf, 1)).toBeNull();
});
