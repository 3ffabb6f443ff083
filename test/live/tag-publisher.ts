import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import type { FlvTag } from '../../src/media/live/flv/flv-tag.ts';
import { FlvTagWriter } from '../../src/media/live/flv/flv-tag-writer.ts';
import { TsDemuxer } from '../../src/media/mpegts/ts-demuxer.ts';
import { syncSourceArgv } from '../support/av-sync.ts';
import { addSbr, readAdtsFile } from '../support/he-aac.ts';
import { onceARun } from '../support/once-a-run.ts';
import { openRtmpPublisher } from '../support/rtmp-publisher.ts';

const TURN_MS = 20;
const FRAME_SAMPLES = 1024;

/** Flashes and beeps: their duration, and ffmpeg arguments of the encoders. */
type TagClip = { lengthSec: number; size?: string; argv: readonly string[] };

export const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-bf', '2', '-g', '60'];
export const HEVC = [
  ...['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
  ...['-x265-params', 'log-level=none:keyint=60:min-keyint=60:open-gop=0:scenecut=0:bframes=2'],
];
export const AAC = ['-c:a', 'aac', '-b:a', '96k', '-ac', '2'];

/** Returns a clip as tags of enhanced RTMP. ffmpeg 5.1 writes only H.264 into FLV, so it writes an MPEG-TS. */
export async function makeTags(name: string, { lengthSec, size, argv }: TagClip): Promise<FlvTag[]> {
  const file = await onceARun(`tags-${name}.ts`, async (place) => {
    const source = syncSourceArgv({ lengthSec, ...(size === undefined ? {} : { size }) });
    await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...source, ...argv, '-f', 'mpegts', place]);
  });
  const demuxer = new TsDemuxer();
  const { events } = demuxer.push(await readFile(file));
  const writer = new FlvTagWriter();
  return [...events, ...demuxer.end()].flatMap((event) => (event.type === 'foreign' ? [] : [writer.write(event)]));
}

/**
 * Returns the tags of HE-AAC: AAC-LC at half the rate, whose frames contain SBR data. `config` is the
 * AudioSpecificConfig, by default with implicit signalling.
 */
export async function makeHeAacTags(
  lengthSec: number,
  channels: 1 | 2,
  config: Buffer = Buffer.from([0x13, channels << 3]),
): Promise<FlvTag[]> {
  const file = await makeHeAac(lengthSec, channels);
  const tagOf = (timestampMs: number, kind: number, data: Buffer): FlvTag => {
    return { type: 8, timestampMs, body: Buffer.concat([Buffer.from([0xaf, kind]), data]) };
  };
  const frames = readAdtsFile(await readFile(file));
  return [
    tagOf(0, 0, config),
    ...frames.map((frame, index) => tagOf(Math.round((index * FRAME_SAMPLES) / 24), 1, frame)),
  ];
}

/** Returns an MPEG-TS with flashes in H.264 and beeps in HE-AAC with implicit signalling. */
export async function makeHeAacClip(lengthSec: number, channels: 1 | 2): Promise<string> {
  const audio = await makeHeAac(lengthSec, channels);
  return onceARun(`he-aac-${channels}-${lengthSec}.ts`, async (place) => {
    const flashes = syncSourceArgv({ lengthSec }).slice(0, 4);
    const argv = [...flashes, '-i', audio, ...H264, '-c:a', 'copy', '-f', 'mpegts', place];
    await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...argv]);
  });
}

/** Returns an ADTS file of beeps in HE-AAC with implicit signalling. */
function makeHeAac(lengthSec: number, channels: 1 | 2): Promise<string> {
  return onceARun(`he-aac-${channels}-${lengthSec}.aac`, async (place) => {
    const [, , , , ...beeps] = syncSourceArgv({ lengthSec });
    const plain = ['-c:a', 'aac', '-b:a', '48k', '-ar', '24000', '-ac', `${channels}`, '-f', 'adts', `${place}.lc`];
    await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...beeps, ...plain]);
    const frames = readAdtsFile(await readFile(`${place}.lc`)).map(addSbr);
    await writeFile(place, Buffer.concat(frames.map((frame) => Buffer.concat([adtsHead(frame, channels), frame]))));
  });
}

function adtsHead(frame: Buffer, channels: number): Buffer {
  const size = frame.length + 7;
  const rest = [(channels << 6) | (size >> 11), (size >> 3) & 0xff, ((size & 7) << 5) | 0x1f, 0xfc];
  return Buffer.from([0xff, 0xf1, 0x40 | (6 << 2), ...rest]);
}

/** Returns an FLV file (FLV 10.1, annex E) with these tags. */
export function writeFlvFile(tags: readonly FlvTag[]): Buffer {
  const head = Buffer.from([...Buffer.from('FLV'), 1, 5, 0, 0, 0, 9, 0, 0, 0, 0]);
  const written = tags
    .toSorted((a, b) => a.timestampMs - b.timestampMs)
    .map(({ type, timestampMs, body }) => {
      const tag = Buffer.alloc(11);
      tag.writeUInt8(type, 0);
      tag.writeUIntBE(body.length, 1, 3);
      tag.writeUIntBE(timestampMs & 0xffffff, 4, 3);
      tag.writeUInt8(timestampMs >>> 24, 7);
      const size = Buffer.alloc(4);
      size.writeUInt32BE(11 + body.length);
      return Buffer.concat([tag, body, size]);
    });
  return Buffer.concat([head, ...written]);
}

/** Returns tags of several clips one after another. `fromMs`: start of each. */
export function joinTags(clips: readonly { fromMs: number; tags: readonly FlvTag[] }[]): FlvTag[] {
  return clips.flatMap(({ fromMs, tags }) => tags.map((tag) => ({ ...tag, timestampMs: tag.timestampMs + fromMs })));
}

/**
 * Publishes tags in real time, in the order of their timestamps. `clockOf` returns the timestamp that is sent instead.
 * Resolves with a function that waits until all are sent, and disconnects.
 */
export async function publishTags(
  address: string,
  tags: readonly FlvTag[],
  clockOf: (timestampMs: number, type: FlvTag['type']) => number = (timestampMs) => timestampMs,
): Promise<() => Promise<void>> {
  const publisher = await openRtmpPublisher(address);
  const sorted = tags.toSorted((a, b) => a.timestampMs - b.timestampMs);
  const startedMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<void>();
  let next = 0;
  const timer = setInterval(() => {
    for (let tag = sorted[next]; tag !== undefined; tag = sorted[next]) {
      if (tag.timestampMs > performance.now() - startedMs) return;
      publisher.send({ ...tag, timestampMs: clockOf(tag.timestampMs, tag.type) });
      next += 1;
    }
    clearInterval(timer);
    resolve();
  }, TURN_MS);
  void publisher.closed.then(resolve);
  onTestFinished(() => {
    clearInterval(timer);
    publisher.close();
  });
  return async () => {
    await promise;
    publisher.close();
    await publisher.closed;
  };
}
