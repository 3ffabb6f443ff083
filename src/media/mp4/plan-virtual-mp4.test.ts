import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { BufferSource, Input, MP4 } from 'mediabunny';
import { createFile, MP4BoxBuffer } from 'mp4box';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool } from '../../../test/support/media/read-test-media.ts';
import {
  decodeHashes,
  fragmentedFile,
  makeAudio,
  makeVideo,
  REAL_CLIP,
  readVirtual,
  type TestRendition,
} from '../../../test/support/media/run-test-renditions.ts';
import { planVirtualMp4, type StoredMovie } from './plan-virtual-mp4.ts';

const FRAMES = 720;
const neverAborted = new AbortController().signal;

let folder: string;
let video: TestRendition;
let audio: TestRendition;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'virtual-mp4-'));
  [video, audio] = await Promise.all([
    makeVideo({ input: REAL_CLIP, rate: { num: 24, den: 1 }, frames: FRAMES, filter: 'scale=320:180' }),
    makeAudio(REAL_CLIP),
  ]);
});

afterAll(() => rm(folder, { recursive: true }));

type Shape = { picture: boolean; sound: boolean };

function movieOf({ picture, sound }: Shape): StoredMovie {
  const track = ({ init, chunks }: TestRendition, language: string | null) => ({ init, chunks, language });
  const heard = track(audio, 'de');
  return picture ? { video: track(video, null), audio: sound ? heard : null } : { video: null, audio: heard };
}

async function wholeFile(shape: Shape) {
  const plan = await planVirtualMp4(movieOf(shape), neverAborted);
  const objects = new Map([...video.objects, ...audio.objects]);
  return { plan, objects, file: readVirtual(plan, objects, [0, plan.sizeBytes - 1]) };
}

async function saved(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

describe('the virtual MP4 of a real clip', () => {
  test('decodes to exactly the frames and samples of the stored fragments without warnings', async () => {
    const { plan, file } = await wholeFile({ picture: true, sound: true });
    expect(file.length).toBe(plan.sizeBytes);
    const path = await saved('whole.mp4', file);
    for (const [stream, rendition] of [
      ['v', video],
      ['a', audio],
    ] as const) {
      const stored = await decodeHashes(await saved(`${stream}.mp4`, fragmentedFile(rendition)), `${stream}:0`);
      const virtual = await decodeHashes(path, `${stream}:0`);
      expect(virtual.warnings).toBe('');
      expect(virtual.hashes).toEqual(stored.hashes);
      expect(virtual.hashes.length).toBeGreaterThanOrEqual(stream === 'v' ? FRAMES : 1400);
    }
  });

  test.each([
    { picture: true, sound: true, tracks: [{ codec: 'h264', ticks: 720_000 }, { codec: 'aac' }] },
    { picture: true, sound: false, tracks: [{ codec: 'h264', ticks: 720_000 }] },
    { picture: false, sound: true, tracks: [{ codec: 'aac' }] },
  ])('starts at 0 and has the exact length (video $picture, audio $sound)', async ({ tracks, ...shape }) => {
    const { file } = await wholeFile(shape);
    const path = await saved(`${shape.picture}-${shape.sound}.mp4`, file);
    const show = ['-show_entries', 'stream=codec_name,start_pts,duration_ts,nb_frames:stream_tags=language'];
    const { stdout, stderr } = await runTool('ffprobe', ['-v', 'warning', ...show, '-of', 'json', path]);
    expect(stderr).toBe('');
    const soundTicks = audio.facts.reduce((sum, it) => sum + it.durationTicks, 0);
    const { streams } = JSON.parse(stdout.toString()) as { streams: unknown[] };
    expect(streams).toEqual(
      tracks.map(({ codec, ticks }) =>
        expect.objectContaining({
          codec_name: codec,
          start_pts: 0,
          duration_ts: ticks ?? soundTicks,
          nb_frames: codec === 'aac' ? String(soundTicks / 1024) : String(FRAMES),
          tags: { language: codec === 'aac' ? 'deu' : 'und' },
        }),
      ),
    );
  });
});

describe('the virtual MP4 in other readers', () => {
  test('has the samples of the stored fragments when read by mediabunny', async () => {
    const { file } = await wholeFile({ picture: true, sound: true });
    const input = new Input({ formats: [MP4], source: new BufferSource(file) });
    const [picture, sound] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()];
    expect((await picture?.computePacketStats())?.packetCount).toBe(FRAMES);
    expect((await sound?.computePacketStats())?.packetCount).toBe(audio.facts.reduce((sum, it) => sum + it.samples, 0));
    expect([await picture?.getFirstTimestamp(), await sound?.getFirstTimestamp()]).toEqual([0, 0]);
    expect(await picture?.computeDuration()).toBeCloseTo(30, 9);
    expect(await sound?.getLanguageCode()).toBe('deu');
  });

  test('is progressive with a keyframe every 2 s when read by mp4box', async () => {
    const { file } = await wholeFile({ picture: true, sound: true });
    const boxes = createFile();
    boxes.appendBuffer(MP4BoxBuffer.fromArrayBuffer(Uint8Array.from(file).buffer, 0));
    boxes.flush();
    const info = boxes.getInfo();
    expect([info.isFragmented, info.isProgressive]).toEqual([false, true]);
    expect(info.tracks.map((track) => track.nb_samples)).toEqual([
      FRAMES,
      audio.facts.reduce((sum, it) => sum + it.samples, 0),
    ]);
    const samples = boxes.getTrackSamplesInfo(1);
    expect(samples.flatMap((sample, index) => (sample.is_sync ? [index] : []))).toEqual(
      Array.from({ length: 15 }, (_, index) => index * 48),
    );
  });
});

describe('the virtual MP4 by ranges', () => {
  test('returns the exact bytes of any range', async () => {
    const { plan, objects, file } = await wholeFile({ picture: true, sound: true });
    const bound = fc.integer({ min: 0, max: plan.sizeBytes - 1 });
    fc.assert(
      fc.property(bound, fc.oneof(bound, fc.nat(3)), (at, other) => {
        const range =
          other < 4 ? [at, Math.min(at + other, plan.sizeBytes - 1)] : [Math.min(at, other), Math.max(at, other)];
        const [start = 0, end = 0] = range;
        expect(readVirtual(plan, objects, [start, end]).equals(file.subarray(start, end + 1))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('returns the bytes on both sides of every border', async () => {
    const { plan, objects, file } = await wholeFile({ picture: true, sound: true });
    for (const offset of [...plan.extents.offsets, plan.sizeBytes - 1]) {
      for (const [start, end] of [
        [offset - 1, offset],
        [offset, offset],
        [offset - 1, offset - 1],
      ] as const) {
        expect(readVirtual(plan, objects, [start, end]).equals(file.subarray(start, end + 1))).toBe(true);
      }
    }
  });

  test('stores the frames of each 4 s followed by the audio of the same time', async () => {
    const { plan } = await wholeFile({ picture: true, sound: true });
    const kinds = [...plan.extents.keyNumbers].map((number) => plan.extents.keys[number]?.split('/')[1]);
    expect(kinds.join('')).toBe(`${'vva'.repeat(7)}va`);
  });

  test('rejects a range outside the file', async () => {
    const { plan, objects } = await wholeFile({ picture: true, sound: true });
    for (const range of [
      [-1, 0],
      [5, 4],
      [0, plan.sizeBytes],
      [0.5, 3],
      [0, Number.NaN],
    ] as const) {
      expect(() => readVirtual(plan, objects, range)).toThrow('Expected a range within');
    }
  });
});

test.each([-900, -15, 15, 20_000])(
  'keeps all frames if the second chunk starts %d ticks after the end of the first',
  async (ticks) => {
    const [first, ...others] = video.chunks;
    const moved = others.map(({ index, ...chunk }) => ({
      ...chunk,
      index: { ...index, startTick: index.startTick + ticks },
    }));
    const chunks = first === undefined ? [] : [first, ...moved];
    const plan = await planVirtualMp4({ video: { ...video, chunks, language: null }, audio: null }, neverAborted);
    const path = await saved(`moved-${ticks}.mp4`, readVirtual(plan, video.objects, [0, plan.sizeBytes - 1]));
    const { hashes, warnings } = await decodeHashes(path, 'v:0');
    expect([hashes.length, warnings]).toEqual([FRAMES, '']);
    const lengths = ['-show_entries', 'stream=duration_ts', '-of', 'csv=p=0'];
    const { stdout } = await runTool('ffprobe', ['-v', 'error', ...lengths, path]);
    expect(Number(stdout)).toBe(FRAMES * 1_000 + ticks);
  },
);

describe('planning a virtual MP4 fails', () => {
  test('if there is a gap, a wrong init segment or no chunk', async () => {
    const { init, chunks } = video;
    const plan = (track: { init: Buffer; chunks: TestRendition['chunks'] }) =>
      planVirtualMp4({ video: { ...track, language: null }, audio: null }, neverAborted);
    await expect(plan({ init, chunks: chunks.slice(0, 1).concat(chunks.slice(2)) })).rejects.toThrow(
      'Expected the next chunk at tick 192000, got 480000',
    );
    await expect(plan(audio)).rejects.toThrow('Expected the init of the video rendition, got one of audio');
    await expect(plan({ init, chunks: audio.chunks })).rejects.toThrow('Expected chunks of timescale 24000');
    await expect(plan({ init, chunks: [] })).rejects.toThrow('Expected at least one chunk in a track, got none');
  });

  test('if the caller has disconnected', async () => {
    await expect(planVirtualMp4(movieOf({ picture: true, sound: true }), AbortSignal.abort())).rejects.toThrow('abort');
  });
});
