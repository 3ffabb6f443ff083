import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openPeers } from '../../ingest/whip/peer.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import type { IngestEvent } from '../live/tracks/foreign-audio.ts';
import { RtpReceiver } from './rtp-receiver.ts';
import { readCandidates, readOffer } from './sdp-offer.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const SPS = hex('6742c00ada11ec0440000003004000000c83c489a8');
const PPS = hex('68ce0fc8');
const VIDEO = { mid: '0', kind: 'video', payloadType: 102 } as const;
const AUDIO = { mid: '1', kind: 'audio', payloadType: 111 } as const;
const MTU = 200;

type Source = { type: number; ssrc: number; sequence: number };

function packet(source: Source, timestamp: number, payload: Buffer, isMarked: boolean): Buffer {
  const head = Buffer.alloc(12);
  head.set([0x80, (isMarked ? 0x80 : 0) | source.type]);
  head.writeUInt16BE(source.sequence, 2);
  head.writeUInt32BE(timestamp % 2 ** 32, 4);
  head.writeUInt32BE(source.ssrc, 8);
  source.sequence = (source.sequence + 1) & 0xffff;
  return Buffer.concat([head, payload]);
}

/** Returns a frame as browsers send it: parameter sets in one aggregate, and the slice in fragments. */
function picture(source: Source, timestamp: number, number: number): Buffer[] {
  const isKey = number % 20 === 0;
  const slice = Buffer.alloc(500, 0xaa);
  slice.writeUInt8(isKey ? 0x65 : 0x61, 0);
  slice.writeUInt32BE(number, 1);
  const sized = (nal: Buffer) => [Buffer.from([0, nal.length]), nal];
  const aggregate = Buffer.concat([Buffer.from([0x78]), ...sized(SPS), ...sized(PPS)]);
  const packets = isKey ? [packet(source, timestamp, aggregate, false)] : [];
  for (let at = 1; at < slice.length; at += MTU) {
    const isLast = at + MTU >= slice.length;
    const head = Buffer.from([0x7c, (at === 1 ? 0x80 : 0) | (isLast ? 0x40 : 0) | (slice.readUInt8(0) & 0x1f)]);
    packets.push(packet(source, timestamp, Buffer.concat([head, slice.subarray(at, at + MTU)]), isLast));
  }
  return packets;
}

function stream(count: number, firstTimestamp: number, ssrc = 7): Buffer[] {
  const source = { type: VIDEO.payloadType, ssrc, sequence: 65_500 };
  return Array.from({ length: count }, (_, index) => picture(source, firstTimestamp + index * 3_000, index)).flat();
}

const pictures = (events: readonly IngestEvent[]) =>
  events.flatMap((event) => (event.type === 'unit' ? [event.unit] : []));

test('reassembles frames in order from duplicated and reordered packets when both counters wrap', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { minLength: 60, maxLength: 60 }), fc.boolean(), (delays, isDoubled) => {
      const packets = stream(60, 2 ** 32 - 90_000);
      // Each packet is up to five positions late.
      const arrivals = packets.map((bytes, index) => ({ bytes, index: index + (delays[index % delays.length] ?? 0) }));
      const sent = arrivals
        .sort((a, b) => a.index - b.index)
        .flatMap(({ bytes }) => (isDoubled ? [bytes, bytes] : [bytes]));
      const first = packets[0] as Buffer; // The test sends 60 frames.
      const receiver = new RtpReceiver([VIDEO, AUDIO]);
      const events = [first, ...sent].flatMap((bytes, index) => receiver.push(bytes, index));
      expect(pictures(events).map(({ bytes }) => bytes.readUInt32BE(5))).toEqual(
        Array.from({ length: 60 }, (_, index) => index),
      );
      const times = pictures(events).map(({ dtsMs }) => dtsMs);
      for (const [index, ms] of times.slice(1).entries()) expect(ms - (times[index] ?? 0)).toBeCloseTo(100 / 3, 3);
    }),
    { numRuns: 50 },
  );
});

test('a new source continues at its arrival time, whatever its clock is', () => {
  const receiver = new RtpReceiver([VIDEO]);
  const before = stream(20, 0).flatMap((bytes) => receiver.push(bytes, 0));
  const after = stream(20, 2 ** 31, 8).flatMap((bytes) => receiver.push(bytes, 1_000));
  expect(pictures(before)).toHaveLength(20);
  expect(pictures(after).map(({ dtsMs }) => Math.round(dtsMs))).toEqual(
    Array.from({ length: 20 }, (_, index) => 1_000 + Math.round((index * 100) / 3)),
  );
});

test('requests a keyframe after an unrepaired loss and continues with it', () => {
  const packets = stream(60, 0);
  // Lose a packet in the middle of frame 25.
  const lost = packets.findIndex((bytes) => bytes.readUInt32BE(4) === 75_000) + 1;
  const receiver = new RtpReceiver([VIDEO]);
  receiver.feedback(0);
  const events: IngestEvent[] = [];
  for (const [index, bytes] of packets.entries()) {
    if (index === lost) continue;
    events.push(...receiver.push(bytes, index * 10));
    if (index === lost + 3) {
      const types = receiver.feedback(index * 10).map((message) => message.readUInt16BE(0) & 0x1fff);
      expect(types).toContain((1 << 8) | 205);
    }
  }
  const numbers = pictures(events).map(({ bytes }) => bytes.readUInt32BE(5));
  expect(numbers).toEqual([
    ...Array.from({ length: 25 }, (_, index) => index),
    ...Array.from({ length: 20 }, (_, index) => 40 + index),
  ]);
});

test('requests keyframes regularly, and immediately while no picture arrives', () => {
  const receiver = new RtpReceiver([VIDEO]);
  const requestedMs: number[] = [];
  const packets = stream(21, 0);
  for (let ms = 0; ms < 3_000; ms += 100) {
    for (const bytes of packets) if (bytes.readUInt32BE(4) === ms * 30) receiver.push(bytes, ms);
    const types = receiver.feedback(ms).map((message) => message.readUInt16BE(0) & 0x1fff);
    if (types.includes((1 << 8) | 206)) requestedMs.push(ms);
  }
  expect(requestedMs).toEqual([0, 2_000, 2_400, 2_700]);
});

/** Returns a sender report without reception reports (RFC 3550 section 6.4.1). */
function report(ssrc: number, wallSec: number, timestamp: number): Buffer {
  const bytes = Buffer.alloc(28);
  bytes.set([0x80, 200, 0, 6]);
  bytes.writeUInt32BE(ssrc, 4);
  bytes.writeUInt32BE(2_208_988_800 + wallSec, 8);
  bytes.writeUInt32BE(timestamp, 16);
  return bytes;
}

test('sender reports set the offset between audio and video', () => {
  const video = { type: VIDEO.payloadType, ssrc: 7, sequence: 0 };
  const audio = { type: AUDIO.payloadType, ssrc: 8, sequence: 0 };
  const receiver = new RtpReceiver([VIDEO, AUDIO]);
  const sound = (timestamp: number, nowMs: number) =>
    receiver.push(packet(audio, timestamp, Buffer.from([0x78, 1]), true), nowMs);
  for (const bytes of picture(video, 90_000, 0)) receiver.push(bytes, 1_000);
  sound(48_000, 1_400);
  // Both were captured at the same time on the sender's clock.
  receiver.push(report(7, 100, 90_000), 1_500);
  receiver.push(report(8, 100, 48_000), 1_500);
  const [event] = sound(96_000, 2_400);
  expect(event).toMatchObject({ type: 'foreign', audio: { ptsMs: 2_000 } });
});

test('the offset between audio and video does not depend on packets that were late at the start', () => {
  const video = { type: VIDEO.payloadType, ssrc: 7, sequence: 0 };
  const audio = { type: AUDIO.payloadType, ssrc: 8, sequence: 0 };
  const receiver = new RtpReceiver([VIDEO, AUDIO]);
  const shownMs: number[] = [];
  const heardMs: number[] = [];
  for (let ms = 0; ms < 400; ms += 40) {
    // The first pictures wait for the connection, and the first one takes 60 ms to arrive.
    const sent = picture(video, ms * 90, ms === 0 ? 0 : 1);
    const events = sent.flatMap((bytes, index) =>
      receiver.push(bytes, Math.max(ms, 150) + index * (ms === 0 ? 15 : 0)),
    );
    shownMs.push(...pictures(events).map(({ dtsMs }) => dtsMs - ms));
    for (const event of receiver.push(packet(audio, ms * 48, Buffer.from([0x78, 1]), true), Math.max(ms, 30))) {
      if (event.type === 'foreign') heardMs.push(event.audio.ptsMs - ms);
    }
  }
  expect(new Set(shownMs)).toEqual(new Set([150]));
  expect(heardMs.at(-1)).toBe(150);
});

test('a sender report that arrives with late audio sets its time alone', () => {
  const video = { type: VIDEO.payloadType, ssrc: 7, sequence: 0 };
  const audio = { type: AUDIO.payloadType, ssrc: 8, sequence: 0 };
  const receiver = new RtpReceiver([VIDEO, AUDIO]);
  const sound = (timestampMs: number, nowMs: number) =>
    receiver.push(packet(audio, timestampMs * 48, Buffer.from([0x78, 1]), true), nowMs);
  for (const bytes of picture(video, 0, 0)) receiver.push(bytes, 0);
  receiver.push(report(7, 100, 0), 0);
  for (let ms = 0; ms < 1_000; ms += 20) sound(ms, ms);
  // A pause of 5 s, during which the clock of the audio stopped.
  sound(1_000, 6_000);
  receiver.push(report(8, 106, 48_000), 6_010);
  const events = Array.from({ length: 20 }, (_, index) => sound(1_020 + index * 20, 6_020 + index * 20)).flat();
  const times = events.map((event) => (event.type === 'foreign' ? Math.round(event.audio.ptsMs) : Number.NaN));
  expect(times).toEqual(Array.from({ length: 21 }, (_, index) => 6_000 + index * 20));
});

test('random bytes cause no error other than BrokenMedia and are not kept', () => {
  const wire = stream(10, 0);
  const noise = fc.array(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.nat(wire.length - 1)), { maxLength: 80 });
  fc.assert(
    fc.property(noise, fc.uint8Array({ minLength: 1, maxLength: 40 }), (pieces, damage) => {
      const receiver = new RtpReceiver([VIDEO, AUDIO]);
      for (const piece of pieces) {
        const bytes = Buffer.from(typeof piece === 'number' ? (wire[piece] ?? []) : piece);
        if (typeof piece === 'number' && piece % 3 === 0) Buffer.from(damage).copy(bytes, piece % bytes.length);
        try {
          receiver.push(bytes, 0);
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenMedia);
        }
      }
      expect(receiver.feedback(0).length).toBeLessThan(10);
      expect(receiver.heldPackets).toBeLessThanOrEqual(2 * 513);
    }),
    { numRuns: 500 },
  );
});

const OFFER = [
  'v=0',
  'o=- 1 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0 1',
  'm=audio 9 UDP/TLS/RTP/SAVPF 63 111',
  'a=mid:0',
  'a=rtpmap:63 red/48000/2',
  'a=rtpmap:111 opus/48000/2',
  'a=fmtp:111 minptime=10',
  'm=video 9 UDP/TLS/RTP/SAVPF 96 103 102',
  'a=mid:1',
  'a=rtpmap:96 VP8/90000',
  'a=rtpmap:102 H264/90000',
  'a=fmtp:102 packetization-mode=1;profile-level-id=42e01f',
  'a=rtpmap:103 H264/90000',
  'a=fmtp:103 packetization-mode=1;profile-level-id=64001f',
];

test('accepts one codec per medium in an offer and removes the lines of other codecs', () => {
  const { sdp, tracks } = readOffer(OFFER.join('\r\n'));
  expect(tracks).toEqual([
    { mid: '0', kind: 'audio', payloadType: 111 },
    { mid: '1', kind: 'video', payloadType: 102 },
  ]);
  expect(sdp).toContain('m=video 9 UDP/TLS/RTP/SAVPF 102\r\n');
  expect(sdp).not.toMatch(/VP8|:103 |red/);
  expect(() => readOffer(OFFER.filter((line) => !/H264|opus/.test(line)).join('\r\n'))).toThrow(
    'expected one track of H.264',
  );
  expect(() => readOffer('hello')).toThrow(BrokenMedia);
  expect(readCandidates('a=mid:1\r\na=candidate:1 1 udp 1 127.0.0.1 9 typ host\r\na=end-of-candidates')).toEqual([
    { mid: '1', candidate: 'candidate:1 1 udp 1 127.0.0.1 9 typ host' },
  ]);
});

test('rejects a medium without a supported codec in the answer with a reason', async () => {
  const secrets = ['a=ice-ufrag:abcd', `a=ice-pwd:${'a'.repeat(24)}`, 'a=setup:actpass'];
  const transport = [...secrets, `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`];
  const lines = OFFER.filter((line) => !line.includes('H264') && !line.startsWith('a=fmtp:10'));
  const sdp = lines.flatMap((line) => (line.startsWith('a=mid') ? [line, ...transport, 'a=rtcp-mux'] : [line]));
  const offer = readOffer(`${sdp.join('\r\n')}\r\n`);
  expect(offer.tracks.map(({ kind }) => kind)).toEqual(['audio']);
  expect(offer.leftOut).toEqual([{ mid: '1', reason: expect.stringMatching(/video.* left out.* got VP8/) }]);
  const peers = await openPeers({ bindAddress: '127.0.0.1', iceServers: [], udpPort: 0, publicHost: null });
  const events = { message: () => undefined, connected: () => undefined, closed: () => undefined };
  const peer = await peers.open(offer.sdp, events, new AbortController().signal);
  expect(peer.answer).toMatch(/m=audio [1-9]/);
  expect(peer.answer).toMatch(/m=video 0 /);
  peer.close();
  peers.close();
});

test('rejects damaged offers only with BrokenMedia', () => {
  const lines = fc.array(fc.oneof(fc.constantFrom(...OFFER), fc.string({ maxLength: 60 })), { maxLength: 40 });
  fc.assert(
    fc.property(lines, (damaged) => {
      try {
        readOffer(['v=0', ...damaged].join('\r\n'));
      } catch (error) {
        expect(error).toBeInstanceOf(BrokenMedia);
      }
    }),
    { numRuns: 300 },
  );
});
