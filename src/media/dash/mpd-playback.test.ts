import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTool } from '../../../test/support/media/read-test-media.ts';
import {
  decodeHashes,
  fragmentedFile,
  makeAudio,
  makeVideo,
  segmentBytes,
  segmentSizes,
  type TestRendition,
} from '../../../test/support/media/run-test-renditions.ts';
import { readInitSegment } from '../cmaf/init-segment.ts';
import type { DashAudio, DashRendition, DashVideo } from './dash-presentation.ts';
import { writeMpd } from './write-mpd.ts';

const film = { num: 24_000, den: 1001 };

let folder: string;
let renditions: { tall: TestRendition; small: TestRendition; english: TestRendition; german: TestRendition };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dash-'));
  const pattern = (size: string) => ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=24000/1001`];
  const tone = (hertz: number) => ['-f', 'lavfi', '-i', `sine=${hertz}:d=9.3`];
  const [tall, small, english, german] = await Promise.all([
    makeVideo({ input: pattern('320x180'), rate: film, frames: 222 }),
    makeVideo({ input: pattern('160x90'), rate: film, frames: 222 }),
    makeAudio(tone(440)),
    makeAudio(tone(880)),
  ]);
  renditions = { tall, small, english, german };
  for (const [id, rendition] of Object.entries(renditions)) {
    await mkdir(join(folder, 'r', id), { recursive: true });
    await writeFile(join(folder, 'r', id, 'init.mp4'), rendition.init);
    for (const number of rendition.segments.keys()) {
      await writeFile(join(folder, 'r', id, `${number}.m4s`), segmentBytes(rendition, number));
    }
    await writeFile(join(folder, `${id}.mp4`), fragmentedFile(rendition));
  }
});

afterAll(() => rm(folder, { recursive: true }));

function listed(id: keyof typeof renditions): DashRendition {
  const { init, segments } = renditions[id];
  const { codecString, timescale } = readInitSegment(init);
  const segmentDurationsTicks = segments.map((segment) => segment.durationTicks);
  const segmentSizesBytes = segmentSizes(renditions[id]);
  const times = { timescale, firstSegment: 0, startTick: 0, segmentDurationsTicks };
  return { id, codecString, ...times, segmentSizesBytes, segmentFolder: '', contentProtection: [] };
}

function listedVideo(id: keyof typeof renditions, widthPx: number): DashVideo {
  return {
    ...listed(id),
    widthPx,
    heightPx: (widthPx * 9) / 16,
    frameRate: film,
    sampleAspect: { num: 1, den: 1 },
    colours: null,
  };
}

function listedAudio(id: keyof typeof renditions, language: string): DashAudio {
  return { ...listed(id), language, name: '', isDefault: language === 'en', channels: 2, sampleRateHz: 48_000 };
}

test('an MPD of stored segments plays the same media in an independent player without warnings', async () => {
  const path = join(folder, 'manifest.mpd');
  const document = writeMpd({
    video: [listedVideo('tall', 320), listedVideo('small', 160)],
    audio: [listedAudio('english', 'en'), listedAudio('german', 'de')],
  });
  await writeFile(path, document);
  const show = ['-show_entries', 'stream=codec_name,width,start_time:stream_tags=language', '-of', 'json'];
  const { stdout, stderr } = await runTool('ffprobe', ['-v', 'warning', ...show, path]);
  expect(stderr).toBe('');
  const { streams } = JSON.parse(stdout.toString()) as { streams: { codec_name: string; width?: number }[] };
  expect(streams.map((it) => [it.codec_name, it.width])).toEqual([
    ['h264', 320],
    ['h264', 160],
    ['aac', undefined],
    ['aac', undefined],
  ]);
  for (const [id, stream] of [
    ['tall', 'v:0'],
    ['small', 'v:1'],
    ['english', 'a:0'],
    ['german', 'a:1'],
  ] as const) {
    const played = await decodeHashes(path, stream);
    expect(played.warnings).toBe('');
    expect(played.hashes).toEqual(
      (await decodeHashes(join(folder, `${id}.mp4`), stream.startsWith('v') ? 'v:0' : 'a:0')).hashes,
    );
  }
});
