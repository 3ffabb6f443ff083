import { afterEach, expect, test, vi } from 'vitest';
import { TsWriter } from '../../../test/support/media/ts-writer.ts';
import { NO_DATA, UNREADABLE } from '../../media/live/publishing/publisher.ts';
import { EncoderBudget } from '../../media/live/publishing/run-publisher-media.ts';
import type { LiveEvent } from '../../media/live/tracks/access-unit.ts';
import { MAX_DESCRIPTION } from '../../media/live/tracks/video-config.ts';
import { SrtSession } from './srt-session.ts';

const START = Buffer.from([0, 0, 1]);
const SPS = Buffer.from('6742c00ada11ec0440000003004000000c83c489a8', 'hex');
const PPS = Buffer.from('68ce3c80', 'hex');

const PICTURE = Buffer.concat([START, SPS, START, PPS, START, Buffer.alloc(100, 0x65)]);

afterEach(() => {
  vi.useRealTimers();
});

/** Returns a session, and a list of everything that it passes on, reports or closes. */
function startSession(): { session: SrtSession; seen: string[] } {
  const seen: string[] = [];
  const input = {
    push: (event: LiveEvent) => void seen.push(event.type),
    relay: () => undefined,
    leaveOut: (reason: string) => void seen.push(reason),
    end: (reason: string) => void seen.push(`ended: ${reason}`),
  };
  const session = new SrtSession(input, {
    budget: new EncoderBudget(0),
    report: ({ message }) => void seen.push(`reported: ${message}`),
    close: (reason) => void seen.push(`closed: ${reason}`),
  });
  return { session, seen };
}

function packetsOf(writer: TsWriter, payloads: readonly Buffer[]): Buffer[] {
  const pictures = payloads.flatMap((payload, index) =>
    writer.pes('video', { pts: index * 3_600, dts: null, payload }),
  );
  return [...writer.tables(), ...pictures];
}

test('emits the last frame and ends once when the connection ends', () => {
  const { session, seen } = startSession();
  for (const packet of packetsOf(new TsWriter({ video: 27, audio: null }), [PICTURE, PICTURE])) session.take(packet);
  expect(seen).toEqual(['config', 'unit']);
  session.end('the caller left', 'publisher');
  session.end('the server stops', 'server');
  expect(seen).toEqual(['config', 'unit', 'unit', 'ended: the caller left']);
});

test('reports the first of consecutive faults, disconnects after 100, and reads nothing after the end', () => {
  const oversized = Buffer.concat([START, Buffer.alloc(MAX_DESCRIPTION + 1, 0x67)]);
  const { session, seen } = startSession();
  const writer = new TsWriter({ video: 27, audio: null });
  const takeDamaged = (count: number) => {
    for (const packet of packetsOf(writer, Array<Buffer>(count).fill(oversized))) session.take(packet);
  };
  // The last of these frames is still open.
  takeDamaged(100);
  expect(seen).toEqual([
    expect.stringMatching(/^reported: Expected a parameter set/),
    expect.stringMatching(/^Damaged media is left out. Expected a parameter set/),
  ]);
  takeDamaged(1);
  expect(seen.slice(2)).toEqual([expect.stringMatching(/^closed: Expected a parameter set/)]);
  session.end('the caller was disconnected', 'server');
  const before = [...seen];
  // MPEG-2 video would be reported if the session still read it.
  for (const packet of new TsWriter({ video: 2, audio: null }).tables()) session.take(packet);
  expect(seen).toEqual(before);
});

test('disconnects a caller that sends no media for 15 s', async () => {
  vi.useFakeTimers();
  const { session, seen } = startSession();
  const packets = packetsOf(new TsWriter({ video: 27, audio: null }), [PICTURE, PICTURE]);
  await vi.advanceTimersByTimeAsync(14_000);
  for (const packet of packets) session.take(packet);
  await vi.advanceTimersByTimeAsync(14_000);
  expect(seen).toEqual(['config', 'unit']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(seen.at(-1)).toBe(`closed: ${NO_DATA}`);
  session.end('the caller was disconnected', 'server');
  expect(vi.getTimerCount()).toBe(0);
});

test('disconnects a caller whose media makes the receiver throw and reads nothing more from it', () => {
  const seen: string[] = [];
  const input = {
    push: () => {
      throw new RangeError('The media consumer failed.');
    },
    relay: () => undefined,
    leaveOut: () => undefined,
    end: (reason: string) => void seen.push(`ended: ${reason}`),
  };
  const session: SrtSession = new SrtSession(input, {
    budget: new EncoderBudget(0),
    report: ({ cause }) => void seen.push(`reported: ${cause instanceof Error ? cause.name : cause}`),
    close: (reason) => session.end(reason, 'server'),
  });
  const writer = new TsWriter({ video: 27, audio: null });
  for (const packet of packetsOf(writer, [PICTURE, PICTURE, PICTURE])) session.take(packet);
  expect(seen).toEqual(['reported: RangeError', `ended: ${UNREADABLE}`]);
});
