import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TsWriter } from '../../../test/support/media/ts-writer.ts';
import type { IngestEvent } from '../live/tracks/foreign-audio.ts';
import { TsDemuxer } from './ts-demuxer.ts';

const PARAMETER_SETS = Buffer.from('000000016742c00ada11ec0440000003004000000c83c489a80000000168ce0fc8', 'hex');
const START = Buffer.from([0, 0, 1]);
const AAC = 15;
const AC3 = 129;

/** Returns a frame of `size` bytes that contains its number. */
function picture(number: number, size: number): Buffer {
  const isKey = number % 25 === 0;
  const slice = Buffer.alloc(size, 0xaa);
  slice.writeUInt8(isKey ? 0x65 : 0x41, 0);
  slice.writeUInt32BE(number + 0x01010101, 1);
  return Buffer.concat([isKey ? PARAMETER_SETS : Buffer.alloc(0), START, slice]);
}

function adts(number: number): Buffer {
  const head = Buffer.from([0xff, 0xf1, 0x4c, 0x80, 0, 0x1f, 0xfc]);
  const frame = Buffer.concat([head, Buffer.alloc(50, number)]);
  frame.writeUInt8((frame.length >> 3) & 0xff, 4);
  frame.writeUInt8(((frame.length & 7) << 5) | 0x1f, 5);
  return frame;
}

/** Returns video at 25 fps and AAC from a clock time on, in packets of 188 bytes. */
function stream(count: number, fromTicks: number): Buffer[] {
  const writer = new TsWriter({ video: 27, audio: AAC });
  const packets = writer.tables();
  for (let number = 0; number < count; number += 1) {
    const dts = fromTicks + number * 3_600;
    packets.push(...writer.pes('video', { pts: dts + 3_600, dts, payload: picture(number, 400) }));
    packets.push(...writer.pes('audio', { pts: dts, dts: null, payload: adts(number) }));
  }
  return packets;
}

function read(demuxer: TsDemuxer, pieces: readonly Buffer[]): IngestEvent[] {
  return pieces.flatMap((piece) => demuxer.push(piece).events);
}

const units = (events: readonly IngestEvent[], kind: string) =>
  events.flatMap((event) => (event.type === 'unit' && event.unit.kind === kind ? [event.unit] : []));

test('video and audio frames have the correct times, however the stream is split', () => {
  const wire = Buffer.concat(stream(60, 900_000));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_000 }), (step) => {
      const pieces: Buffer[] = [];
      for (let at = 0; at < wire.length; at += step) pieces.push(wire.subarray(at, at + step));
      const events = read(new TsDemuxer(), pieces);
      const pictures = units(events, 'video');
      // The end of the last frame is not known yet.
      expect(pictures.map(({ dtsMs }) => dtsMs)).toEqual(Array.from({ length: 59 }, (_, index) => 10_000 + index * 40));
      expect(pictures.map(({ isKey }) => isKey)).toEqual(Array.from({ length: 59 }, (_, index) => index % 25 === 0));
      expect(pictures[7]).toMatchObject({ ptsMs: 10_320 });
      expect(pictures[7]?.bytes.subarray(0, 9).toString('hex')).toBe('000001904101010108');
      expect(units(events, 'audio').map(({ dtsMs }) => dtsMs)).toEqual(
        Array.from({ length: 60 }, (_, index) => 10_000 + index * 40),
      );
      const configs = events.filter(({ type }) => type === 'config');
      expect(configs).toHaveLength(2);
    }),
    { numRuns: 30 },
  );
});

test('times of both tracks continue when the 33-bit clock wraps', () => {
  const events = read(new TsDemuxer(), stream(40, 2 ** 33 - 20 * 3_600));
  for (const kind of ['video', 'audio']) {
    const times = units(events, kind).map(({ dtsMs }) => dtsMs);
    for (const [index, ms] of times.slice(1).entries()) expect(ms - (times[index] ?? 0)).toBeCloseTo(40, 6);
    expect(times.length).toBeGreaterThan(38);
  }
});

test('drops only the frames to which lost packets belong', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 8, max: 180 }), { minLength: 1, maxLength: 12 }), (lost) => {
      const packets = stream(40, 90_000);
      const left = packets.filter((_, index) => !lost.includes(index));
      const pictures = units(read(new TsDemuxer(), left), 'video');
      for (const { bytes, dtsMs } of pictures) {
        const number = Math.round((dtsMs - 1_000) / 40);
        expect(bytes.length).toBe(404);
        expect(bytes.readUInt32BE(5)).toBe(number + 0x01010101);
      }
      expect(pictures.length).toBeGreaterThanOrEqual(39 - 2 * lost.length);
    }),
    { numRuns: 100 },
  );
});

test('joins an AAC frame split over two PES packets, and keeps the times of both packets', () => {
  const writer = new TsWriter({ video: null, audio: AAC });
  const [first, second, third] = [adts(1), adts(2), adts(3)];
  const packets = [
    ...writer.tables(),
    ...writer.pes('audio', { pts: 90_000, dts: null, payload: Buffer.concat([first, second.subarray(0, 20)]) }),
    ...writer.pes('audio', { pts: 93_840, dts: null, payload: Buffer.concat([second.subarray(20), third]) }),
  ];
  const sound = units(read(new TsDemuxer(), packets), 'audio');
  expect(sound.map(({ bytes }) => bytes[0])).toEqual([1, 2, 3]);
  expect(sound.map(({ dtsMs }) => Math.round(dtsMs))).toEqual([1_000, 1_021, 1_043]);
});

/** Returns the numbers of the frames of a track in a stream that ends after these packets. */
function numbersOf(packets: readonly Buffer[], kind: 'video' | 'audio'): number[] {
  const demuxer = new TsDemuxer();
  const events = [...read(demuxer, packets), ...demuxer.end()];
  return units(events, kind).map(({ bytes }) =>
    kind === 'audio' ? (bytes[0] ?? -1) : bytes.readUInt32BE(5) - 0x01010101,
  );
}

test('returns the last frame of a stream, and no frame whose end is missing', () => {
  const writer = new TsWriter({ video: 27, audio: null });
  const frame = (number: number) =>
    writer.pes('video', { pts: number * 3_600, dts: null, payload: picture(number, 400) });
  const packets = [...writer.tables(), ...frame(0), ...frame(1)];
  expect(numbersOf(packets, 'video')).toEqual([0, 1]);
  expect(numbersOf(packets.slice(0, -1), 'video')).toEqual([0]);
});

test('returns the whole AAC frames of a last PES packet whose end is missing', () => {
  const writer = new TsWriter({ video: null, audio: AAC });
  const payload = Buffer.concat([1, 2, 3, 4, 5, 6, 7, 8].map(adts));
  const packets = [...writer.tables(), ...writer.pes('audio', { pts: 90_000, dts: null, payload })];
  expect(numbersOf(packets, 'audio')).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  // Two packets contain 368 bytes: the header of the PES packet, and six frames of 57 bytes.
  expect(numbersOf(packets.slice(0, -1), 'audio')).toEqual([1, 2, 3, 4, 5, 6]);
});

test('passes other audio on unchanged and reports a program without playable streams', () => {
  const writer = new TsWriter({ video: null, audio: AC3 });
  const payload = Buffer.alloc(300, 7);
  const demuxer = new TsDemuxer();
  const events = read(demuxer, [...writer.tables(), ...writer.pes('audio', { pts: 180_000, dts: null, payload })]);
  expect(events).toEqual([{ type: 'foreign', audio: { format: 'ac3', channels: 2, ptsMs: 2_000, bytes: payload } }]);
  const other = new TsDemuxer();
  const found = new TsWriter({ video: 2, audio: 17 }).tables().flatMap((packet) => other.push(packet).faults);
  expect(found.map(({ message }) => message)).toEqual([
    'Expected H.264, HEVC, AAC, MP2, AC-3 or Opus, got stream types 0x2, 0x11.',
  ]);
});

test('accepts random bytes without an exception, within the memory limit', () => {
  const wire = Buffer.concat(stream(30, 90_000));
  const damage = fc.array(fc.tuple(fc.nat(wire.length - 1), fc.uint8Array({ minLength: 1, maxLength: 300 })), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(damage, fc.integer({ min: 1, max: 2_000 }), (changes, step) => {
      const bytes = Buffer.from(wire);
      for (const [at, noise] of changes) Buffer.from(noise).copy(bytes, at);
      const demuxer = new TsDemuxer();
      for (let at = 0; at < bytes.length; at += step) {
        demuxer.push(bytes.subarray(at, at + step));
        expect(demuxer.heldBytes).toBeLessThan(17 * 2 ** 20);
      }
    }),
    { numRuns: 300 },
  );
});

test('drops an endless frame at the size limit', () => {
  const writer = new TsWriter({ video: 27, audio: null });
  const demuxer = new TsDemuxer();
  const piece = writer.pes('video', { pts: 0, dts: 0, payload: Buffer.alloc(60_000, 1) });
  read(demuxer, [...writer.tables(), ...piece]);
  const [, ...rest] = piece;
  let most = 0;
  for (let sent = 0; sent < 24 * 2 ** 20; sent += rest.length * 184) {
    for (const packet of rest) demuxer.push(writer.again(packet));
    most = Math.max(most, demuxer.heldBytes);
  }
  expect(most).toBeGreaterThan(15 * 2 ** 20);
  expect(most).toBeLessThanOrEqual(16 * 2 ** 20);
  expect(demuxer.heldBytes).toBe(0);
});
