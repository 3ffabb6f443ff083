import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, types } from 'hls-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  decodeHashes,
  fragmentedFile,
  makeVideo,
  REAL_CLIP,
  type TestRendition,
} from '../../../test/support/media/run-test-renditions.ts';
import { readFragment } from '../cmaf/fragment.ts';
import type { ChunkIndex } from '../cmaf/idx.ts';
import { readInitSegment } from '../cmaf/init-segment.ts';
import { findIFrame, type IFrame, iFrameSizeBytes, listIFrames, writeIFrameHead } from './i-frame.ts';
import { computeIFrameRates, type IFrameRun, iFrameAddress, writeIFramePlaylist } from './i-frame-playlist.ts';
import { writePlaylist } from './playlist.ts';

let folder: string;
let video: TestRendition;
let run: IFrameRun;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'i-frames-'));
  video = await makeVideo({ input: REAL_CLIP, rate: { num: 24, den: 1 }, frames: 720, filter: 'scale=320:180' });
  run = { timescale: 24_000, frames: video.chunks.flatMap((chunk) => listIFrames(chunk.index)), isWhole: true };
});

afterAll(() => rm(folder, { recursive: true }));

const delayTicks = 4800;

/** Returns each I-frame as delivered: its header, then its byte range of the chunk. */
function iFrameSegments(): { frame: IFrame; bytes: Buffer }[] {
  return video.chunks.flatMap(({ storageKey, index }) => {
    const object = video.objects.get(storageKey) ?? Buffer.alloc(0);
    return listIFrames(index).map((frame) => {
      const picture = object.subarray(frame.startByte, frame.endByte + 1);
      return { frame, bytes: Buffer.concat([writeIFrameHead(frame, delayTicks), picture]) };
    });
  });
}

describe('the I-frame segments of a real clip', () => {
  test('have one sample each, shown until the next', () => {
    const segments = iFrameSegments();
    expect(segments.map(({ frame }) => frame.startTick)).toEqual(
      Array.from({ length: 15 }, (_, index) => index * 48_000),
    );
    for (const { frame, bytes } of segments) {
      expect(bytes.length).toBe(iFrameSizeBytes(frame));
      const { baseTick, samples, payload } = readFragment(bytes);
      expect(baseTick).toBe(frame.startTick);
      expect(samples).toEqual([
        { durationTicks: 48_000, sizeBytes: payload.length, compositionOffsetTicks: delayTicks, isSync: true },
      ]);
    }
  });

  test('decode through their playlist to the keyframes of the clip without warnings', async () => {
    await mkdir(join(folder, 'i'));
    await writeFile(join(folder, 'init.mp4'), video.init);
    for (const { frame, bytes } of iFrameSegments())
      await writeFile(join(folder, iFrameAddress(frame.startTick)), bytes);
    const playlist = join(folder, 'i-frames.m3u8');
    await writeFile(playlist, writeIFramePlaylist(run, ''));
    await writeFile(join(folder, 'whole.mp4'), fragmentedFile(video));
    const { hashes, warnings } = await decodeHashes(playlist, 'v:0');
    const whole = await decodeHashes(join(folder, 'whole.mp4'), 'v:0');
    expect(warnings).toBe('');
    expect(hashes).toEqual(whole.hashes.filter((_, index) => index % 48 === 0));
  });

  test('are found by the tick in their URL', () => {
    const [first, second] = video.chunks;
    if (first === undefined || second === undefined) throw new Error('Expected two chunks.');
    expect(findIFrame(first.index, 48_000)).toEqual(listIFrames(first.index)[1]);
    expect(findIFrame(second.index, 192_000)).toEqual(listIFrames(second.index)[0]);
    expect(findIFrame(first.index, 48_001)).toBeNull();
    expect(findIFrame(first.index, 192_000)).toBeNull();
  });
});

describe('the I-frame playlist', () => {
  test('is accepted by a parser and is as long as the clip', () => {
    const playlist = parse(writeIFramePlaylist(run, 'r/x/'));
    if (!(playlist instanceof types.MediaPlaylist)) throw new Error('Expected a media playlist.');
    expect([playlist.isIFrame, playlist.endlist, playlist.targetDuration, playlist.version]).toEqual([
      true,
      true,
      2,
      7,
    ]);
    expect(playlist.segments.map((segment) => segment.uri)).toEqual(
      run.frames.map((frame) => `r/x/i/${frame.startTick}.m4s`),
    );
    expect(playlist.segments[0]?.map?.uri).toBe('r/x/init.mp4');
    expect(playlist.segments.reduce((sum, segment) => sum + segment.duration, 0)).toBeCloseTo(30, 6);
  });

  test('has no end while frames are missing', () => {
    const text = writeIFramePlaylist({ ...run, isWhole: false }, '');
    expect(text).toContain('#EXT-X-PLAYLIST-TYPE:EVENT');
    expect(text).not.toContain('ENDLIST');
  });

  test('cannot be written without frames', () => {
    expect(() => writeIFramePlaylist({ ...run, frames: [] }, '')).toThrow('Expected at least one frame');
  });

  test('is listed with the rates of its segments', () => {
    const rates = computeIFrameRates(run);
    const sizes = iFrameSegments().map(({ bytes }) => bytes.length);
    expect(rates.averageBps).toBe(Math.ceil((sizes.reduce((sum, size) => sum + size, 0) * 8) / 30));
    expect(rates.peakBps).toBe(Math.max(...sizes) * 4);
    const { codecString } = readInitSegment(video.init);
    const resolution = { widthPx: 320, heightPx: 180 };
    const text = writePlaylist([
      { tag: 'version', version: 7 },
      { tag: 'i-frame-stream-inf', ...rates, codecs: codecString, resolution, uri: 'r/x/i-frames.m3u8' },
      { tag: 'stream-inf', peakBps: 1, codecs: 'avc1.64000d', uri: 'r/x/video.m3u8' },
    ]);
    const master = parse(text);
    if (!(master instanceof types.MasterPlaylist)) throw new Error('Expected a multivariant playlist.');
    const listed = master.variants.find((it) => it.isIFrameOnly);
    expect(listed).toMatchObject({
      uri: 'r/x/i-frames.m3u8',
      bandwidth: rates.peakBps,
      averageBandwidth: rates.averageBps,
      codecs: codecString,
      resolution: { width: 320, height: 180 },
    });
  });
});

describe('the peak rate of I-frame segments', () => {
  const frame = (startTick: number, durationTicks: number, sizeBytes: number): IFrame => ({
    startTick,
    durationTicks,
    startByte: 0,
    endByte:
      sizeBytes - 1 - (iFrameSizeBytes({ startTick: 0, durationTicks: 1, startByte: 0, endByte: 0, sample: 0 }) - 1),
    sample: 0,
  });
  const peak = (frames: IFrame[]) => computeIFrameRates({ timescale: 1000, frames, isWhole: true }).peakBps;

  test('ignores a single frame that is shown briefly', () => {
    expect(peak([frame(0, 4000, 1000), frame(4000, 40, 1000)])).toBe(Math.ceil((2000 * 8) / 4.04));
  });

  test('covers several consecutive short frames', () => {
    expect(peak([frame(0, 4000, 1000), frame(4000, 1000, 4000), frame(5000, 1000, 4000)])).toBe(32_000);
  });

  test('is the average of a run shorter than half a target duration', () => {
    expect(peak([frame(0, 100, 500)])).toBe(40_000);
  });
});

describe('sync samples', () => {
  const index = (syncs: number[], offsets: number[]): ChunkIndex => ({
    timescale: 1000,
    startTick: 5000,
    durationTicks: syncs.length * 10,
    sizeBytes: 50 + syncs.length * 7,
    sha256: Buffer.alloc(32),
    ctsRuns: 0,
    fragments: [{ samples: syncs.length, prefixBytes: 50, payloadBytes: syncs.length * 7, crc32: 0 }],
    sampleSizesBytes: new Uint32Array(syncs.length).fill(7),
    sampleDurationsTicks: new Uint32Array(syncs.length).fill(10),
    compositionOffsetsTicks: Int32Array.from(offsets),
    syncs: Uint8Array.from(syncs),
  });

  test('within a fragment are found at their presentation time', () => {
    expect(listIFrames(index([1, 0, 0, 1, 0], [0, 10, -10, 0, 0]))).toEqual([
      { startTick: 5000, durationTicks: 30, startByte: 50, endByte: 56, sample: 0 },
      { startTick: 5030, durationTicks: 20, startByte: 71, endByte: 77, sample: 3 },
    ]);
  });

  test('are listed in order of time without duplicates', () => {
    expect(listIFrames(index([1, 1, 1], [0, 10, 0])).map((it) => [it.startTick, it.startByte])).toEqual([
      [5000, 50],
      [5020, 64],
    ]);
  });
});
