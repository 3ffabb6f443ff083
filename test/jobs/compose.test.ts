import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { composing, loadPart } from '../../src/catalog/compose/compose-store.ts';
import type { MediaKey } from '../../src/catalog/db.ts';
import { createVideoStore } from '../../src/catalog/videos/video-store.ts';
import { planComposition } from '../../src/jobs/compose/plan-composition.ts';
import { checkFinished } from './check-video.ts';
import {
  addLibrary,
  loadRenditions,
  makeClip,
  startWorkerFixture,
  untilState,
  upload,
  type WorkerFixture,
} from './worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });

const run = promisify(execFile);
const OLD = ['-c:v', 'mpeg4', '-q:v', '4', '-c:a', 'pcm_s16le'];
const H264 = [
  '-c:v',
  'libx264',
  '-preset',
  'ultrafast',
  '-g',
  '50',
  '-b:v',
  '300k',
  '-pix_fmt',
  'yuv420p',
  '-c:a',
  'aac',
];

let fixture: WorkerFixture;
let libraryId: number;
let first: MediaKey;
let second: MediaKey;
let copied: MediaKey;
let silent: MediaKey;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  await fixture.startWorker();
  const clips = await Promise.all([
    makeClip(fixture, 'first.avi', ...blinking(13), ...OLD),
    makeClip(fixture, 'second.avi', ...blinking(9), ...OLD),
    makeClip(fixture, 'copied.mp4', ...blinking(10), ...H264),
    makeClip(fixture, 'silent.avi', ...blinking(6).slice(0, 4), ...OLD.slice(0, 4)),
  ]);
  const keys = await Promise.all(clips.map((clip) => upload(fixture, libraryId, clip)));
  [first, second, copied, silent] = keys as [MediaKey, MediaKey, MediaKey, MediaKey];
  for (const key of keys) await untilState(fixture, key, 'finished');
});
afterAll(() => fixture.stop());

/** White and a tone for the first fifth of each second. */
function blinking(sec: number): string[] {
  const white = "drawbox=enable='lt(mod(t,1),0.2)':color=white:t=fill";
  const beep = 'if(lt(mod(t,1),0.2),0.6*sin(2*PI*1000*t),0)';
  return [
    ...['-f', 'lavfi', '-i', `color=black:s=640x48:r=25:d=${sec},${white}`],
    ...['-f', 'lavfi', '-i', `aevalsrc='${beep}':s=48000:d=${sec}`],
  ];
}

type Part = [MediaKey, number, number];
async function compose(parts: readonly Part[], isExact: boolean): Promise<MediaKey> {
  const { db } = fixture.database;
  const wanted = await Promise.all(
    parts.map(async ([key, fromSec, toSec]) => ({ view: await loadPart(db, key), fromSec, toSec })),
  );
  const made = { libraryId, title: 'Composed', collectionId: null, thumbnailTimeMs: null };
  return createVideoStore(db).create(made, (key) => async (tx) => {
    const composed = planComposition(key, wanted, isExact);
    await composing(key, composed)(tx);
  });
}

/** Returns when the frame turns white and when audio begins, in seconds, in the decoded files of the check. */
async function onsets(key: MediaKey): Promise<{ seen: number[]; heard: number[]; timesMs: number[] }> {
  const renditions = (await loadRenditions(fixture, key)).filter(({ active }) => active);
  const fileOf = (kind: string) => path.join(fixture.clips, `${renditions.find((one) => one.kind === kind)?.id}.mp4`);
  const options = { encoding: 'buffer' as const, maxBuffer: 2 ** 28 };
  const grey = ['-vf', 'scale=1:1,format=gray', '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'];
  const { stdout: light } = await run('ffmpeg', ['-v', 'error', '-i', fileOf('video'), ...grey], options);
  const asked = [
    '-v',
    'error',
    '-select_streams',
    'v',
    '-show_entries',
    'packet=pts',
    '-of',
    'csv=p=0',
    fileOf('video'),
  ];
  const { stdout: times } = await run('ffprobe', asked);
  const ticks = times
    .trim()
    .split('\n')
    .map(Number.parseFloat)
    .sort((a, b) => a - b);
  const scale = renditions.find(({ kind }) => kind === 'video')?.timescale ?? 1;
  const timesMs = ticks.map((tick) => Math.round(((tick - (ticks[0] ?? 0)) * 1000) / scale));
  const seen = timesMs.flatMap((ms, index) =>
    (light[index] ?? 0) > 128 && (index === 0 || (light[index - 1] ?? 0) < 128) ? [ms / 1000] : [],
  );
  const { stdout: pcm } = await run(
    'ffmpeg',
    ['-v', 'error', '-i', fileOf('audio'), '-ac', '1', '-f', 'f32le', '-'],
    options,
  );
  const samples = new Float32Array(pcm.buffer, pcm.byteOffset, Math.floor(pcm.length / 4));
  const heard: number[] = [];
  let quiet = 48_000;
  samples.forEach((sample, index) => {
    if (Math.abs(sample) < 0.1) quiet += 1;
    else {
      if (quiet > 4_800) heard.push(index / 48_000);
      quiet = 0;
    }
  });
  return { seen, heard, timesMs };
}

/** Returns the length of an audio file, and the zero crossings per second in the middle of each second. */
async function hear(key: MediaKey): Promise<{ lengthSec: number; crossings: number[] }> {
  await checkFinished(fixture, key);
  const [track] = (await loadRenditions(fixture, key)).filter(({ active, kind }) => active && kind === 'audio');
  const decoding = ['-v', 'error', '-i', path.join(fixture.clips, `${track?.id}.mp4`), '-ac', '1', '-ar', '48000'];
  const options = { encoding: 'buffer' as const, maxBuffer: 2 ** 28 };
  const { stdout } = await run('ffmpeg', [...decoding, '-f', 'f32le', '-'], options);
  const samples = new Float32Array(stdout.buffer, stdout.byteOffset, Math.floor(stdout.length / 4));
  const crossings = Array.from({ length: Math.floor(samples.length / 48_000) }, (_, sec) => {
    const middle = samples.subarray((sec + 0.3) * 48_000, (sec + 0.7) * 48_000);
    return middle.filter((sample, index) => index > 0 && sample < 0 !== (middle[index - 1] ?? 0) < 0).length * 2.5;
  });
  return { lengthSec: samples.length / 48_000, crossings };
}

async function checkComposed(key: MediaKey, sec: number, rungs: number[]): Promise<void> {
  await untilState(fixture, key, 'finished');
  const made = await checkFinished(fixture, key);
  expect(made.map(({ rung, warnings }) => `${rung} ${warnings}`)).toEqual([
    ...rungs.map((rung) => `${rung} `),
    'null ',
  ]);
  for (const one of made.filter(({ kind }) => kind === 'video')) {
    expect(one).toMatchObject({ frames: Math.round(sec * 25), durationSec: sec });
  }
  const { seen, heard, timesMs } = await onsets(key);
  expect(timesMs).toEqual(timesMs.map((_, index) => index * 40));
  expect(seen.length).toBeGreaterThan(2);
  // If a part begins during white, its audio also begins there.
  for (const sec of seen) {
    const nearest = Math.min(...heard.map((other) => Math.abs(other - sec)));
    expect({ sec, isNear: nearest < 0.04, nearest }).toMatchObject({ isNear: true });
  }
  expect(fixture.errors).toEqual([]);
}

test('joins the exact parts of two videos: copies whole segments and encodes only the ends', async () => {
  const key = await compose(
    [
      [first, 1.52, 11.4],
      [second, 3, 8.6],
      [first, 4, 8],
    ],
    true,
  );
  await checkComposed(key, 19.48, [360, 240]);
});

test("if the sources are passed through, encodes that rung's ends and copies the lower rung", async () => {
  const key = await compose([[copied, 2.4, 9.2]], true);
  await checkComposed(key, 6.8, [360, 240]);
});

test('joins parts of one frame rate whose files use different timescales', async () => {
  const scales = await Promise.all(
    [first, copied].map(async (key) => (await loadPart(fixture.database.db, key)).cutList),
  );
  expect(scales.map(({ timescale }) => timescale)).toEqual([25_000, 12_800]);
  const key = await compose(
    [
      [copied, 2.4, 7],
      [first, 1.52, 5],
      [copied, 0, 3.4],
    ],
    true,
  );
  await checkComposed(key, 11.48, [360, 240]);
});

test('joins an encoded and a copied video whose time grids have the same timescale', async () => {
  const clip = await makeClip(fixture, 'scaled.mp4', ...blinking(13), ...H264, '-video_track_timescale', '25000');
  const scaled = await upload(fixture, libraryId, clip);
  await untilState(fixture, scaled, 'finished');
  const parts = [first, scaled].map((key): Part => [key, 0, 13]);
  await checkComposed(await compose(parts, true), 26, [360, 240]);
});

test('joins parts at segment boundaries without encoding and without the original', async () => {
  await sql`update media set source_key = null where id = ${copied.mediaId}`.execute(fixture.database.db);
  await expect(compose([[copied, 2.4, 9.2]], true)).rejects.toMatchObject({ kind: 'invalid' });
  const key = await compose([[copied, 2.4, 7.1]], false);
  await untilState(fixture, key, 'finished');
  const [part] = (await loadPart(fixture.database.db, copied)).cutList.startTicks.slice(1);
  expect(part).toBeGreaterThan(0);
  const made = await checkFinished(fixture, key);
  expect(made.map(({ rung, warnings }) => `${rung} ${warnings}`)).toEqual(['360 ', '240 ', 'null ']);
  expect(made[0]?.durationSec).toBe(made[1]?.durationSec);
});

test('joins parts of audio files', async () => {
  const tone = (sec: number, pitchHz: number) => ['-f', 'lavfi', '-i', `sine=f=${pitchHz}:d=${sec}`];
  const files = [
    await makeClip(fixture, 'podcast.m4a', ...tone(9, 500), '-c:a', 'aac'),
    await makeClip(fixture, 'jingle.mp3', ...tone(5.37, 1_500), '-ar', '22050'),
  ];
  const keys = await Promise.all(files.map((file) => upload(fixture, libraryId, file)));
  const [podcast, jingle] = keys as [MediaKey, MediaKey];
  for (const key of keys) await untilState(fixture, key, 'finished');
  const key = await compose(
    [
      [jingle, 0, 2],
      [podcast, 3.25, 7.5],
      [jingle, 4, 5],
    ],
    true,
  );
  await untilState(fixture, key, 'finished');
  const { lengthSec, crossings } = await hear(key);
  expect(lengthSec).toBeCloseTo(7.25, 1);
  // 1,500 Hz for two seconds, then 500 Hz, then 1,500 Hz again.
  expect(crossings.map((one) => Math.round(one / 100))).toEqual([30, 30, 10, 10, 10, 10, 30]);
});

test('a part without audio is silent, and the part after it stays in sync', async () => {
  const key = await compose(
    [
      [silent, 0, 4.2],
      [first, 0.5, 6.6],
    ],
    true,
  );
  await untilState(fixture, key, 'finished');
  await checkFinished(fixture, key);
  const { seen, heard } = await onsets(key);
  expect(heard[0]).toBeGreaterThan(4.1);
  for (const sec of heard) expect(Math.min(...seen.map((other) => Math.abs(other - sec)))).toBeLessThan(0.04);
});

test('rejects videos that have no common rendition or are unfinished, and reports the reason', async () => {
  const clip = await makeClip(
    fixture,
    'upright.avi',
    '-f',
    'lavfi',
    '-i',
    'color=s=180x320:r=25:d=2',
    ...OLD.slice(0, 4),
  );
  const upright = await upload(fixture, libraryId, clip);
  await untilState(fixture, upright, 'finished');
  const both: Part[] = [
    [first, 0, 4],
    [upright, 0, 2],
  ];
  await expect(compose(both, true)).rejects.toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('share at least one resolution'),
  });
  const fast = ['-vf', 'fps=50', '-video_track_timescale', '12800'];
  const quick = await upload(
    fixture,
    libraryId,
    await makeClip(fixture, 'quick.mp4', ...blinking(4), ...fast, ...H264),
  );
  await untilState(fixture, quick, 'finished');
  expect((await loadPart(fixture.database.db, quick)).cutList.timescale).toBe(12_800);
  const rates: Part[] = [
    [copied, 0, 4],
    [quick, 0, 2],
  ];
  await expect(compose(rates, true)).rejects.toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('the first part, 25 frames a second, got 50 frames a second'),
  });
  await expect(compose([[{ ...first, libraryId: 999 }, 0, 1]], true)).rejects.toMatchObject({
    kind: 'invalid',
  });
});
