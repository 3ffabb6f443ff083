import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { imageKey } from '../../src/catalog/images/image-key.ts';
import { mediaPrefix } from '../../src/catalog/tasks/encode-task.ts';
import { deleteMedia } from '../../src/jobs/housekeeping/delete-media.ts';
import { sweep } from '../../src/jobs/housekeeping/sweep.ts';
import { processVideo } from '../../src/jobs/planning/process-video.ts';
import { readJpegSize } from '../../src/media/images/jpeg-size.ts';
import { PREVIEW_NAMES } from '../../src/media/images/plan-previews.ts';
import { readAnimatedWebp } from '../support/animated-webp.ts';
import { checkObjects, checkWhole } from './check-video.ts';
import {
  addLibrary,
  listObjects,
  loadMedia,
  makeClip,
  startWorkerFixture,
  until,
  untilState,
  upload,
  type Worker,
  type WorkerFixture,
} from './worker-fixture.ts';

const run = promisify(execFile);
const never = new AbortController().signal;
const FAST = ['-c:v', 'mpeg4', '-q:v', '2'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-bf', '2'];
const generated = (graph: string) => ['-f', 'lavfi', '-i', graph];

/** Grey that jumps to a clearly different level at each step. */
const STEPS = (sec: number, everySec: number, fps: number) =>
  `color=s=16x16:r=${fps}:d=${sec},format=yuv420p,geq=lum='30+mod(floor(T/${everySec}+0.001)*67,180)':cb=128:cr=128,` +
  'scale=320:180:flags=neighbor,setsar=1';
const levelOfStep = (step: number) => 30 + ((step * 67) % 180);
/** Five seconds of black, a still of sixteen, then four other scenes of three. */
const SCENES = [
  'color=black:s=320x180:r=10:d=5[s0]',
  'testsrc=s=320x180:r=10:d=0.1,loop=159:1,setpts=N/10/TB,format=yuv420p[s1]',
  'smptebars=s=320x180:r=10:d=3,format=yuv420p[s2]',
  'mandelbrot=s=320x180:r=25,trim=duration=3,fps=10,format=yuv420p[s3]',
  'rgbtestsrc=s=320x180:r=10:d=3,format=yuv420p[s4]',
  'cellauto=s=320x180:r=25,trim=duration=3,fps=10,format=yuv420p[s5]',
  '[s0][s1][s2][s3][s4][s5]concat=n=6',
].join(';');

let fixture: WorkerFixture;
let worker: Worker;
const keys = new Map<string, MediaKey>();
beforeAll(async () => {
  fixture = await startWorkerFixture({ makesPreviews: true });
  worker = await fixture.startWorker();
  const small = await addLibrary(fixture, { encoding: { rungs: [240] } });
  const two = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  const clips: [string, number, string[], number?][] = [
    ['long.avi', small, [...generated(STEPS(75, 2, 4)), ...FAST]],
    ['short.avi', small, [...generated(STEPS(3.5, 1, 10)), ...FAST], 2_100],
    ['scenes.mkv', two, [...generated(SCENES), ...FAST]],
    ['upright.mkv', two, [...generated('testsrc2=s=270x480:r=10000/1001:d=12'), ...FAST]],
    ['line.mkv', small, [...generated('testsrc2=s=1280x64:r=10:d=7'), ...FAST]],
    ['passing.mp4', small, [...generated('testsrc2=s=320x180:r=10:d=13'), ...H264, '-g', '40', '-b:v', '300k']],
    ['copied and encoded.mp4', two, [...generated('testsrc2=s=640x360:r=10:d=13'), ...H264, '-g', '28', '-crf', '30']],
    ['frame.mkv', small, [...generated('testsrc2=s=320x180:r=25:d=0.04'), ...FAST]],
    ['fast frame.mp4', small, [...generated('testsrc2=s=320x180:r=120:d=0.008'), ...H264]],
    ['sound.mp3', small, generated('sine=d=3')],
  ];
  for (const [name, libraryId, argv, thumbnailTimeMs] of clips) {
    const key = await upload(fixture, libraryId, await makeClip(fixture, name, ...argv), {}, thumbnailTimeMs ?? null);
    keys.set(name, key);
  }
  for (const key of keys.values()) await untilState(fixture, key, 'finished');
});
afterAll(() => fixture.stop());

function keyOf(name: string): MediaKey {
  const key = keys.get(name);
  if (key === undefined) throw new Error(`Expected a video ${name}.`);
  return key;
}

async function load(name: string) {
  const key = keyOf(name);
  const media = await loadMedia(fixture, key);
  const { images } = media;
  if (images === null) throw new Error(`Expected images of ${name}, got ${JSON.stringify(media.messages)}.`);
  const read = (file: string) => fixture.storage.readBytes(imageKey(key, images, file), null, never);
  return { key, media, images, read };
}

/** Returns the grey levels of an image, shrunk to `columns` x `rows` by averaging. */
async function levels(bytes: Buffer, columns: number, rows: number): Promise<number[]> {
  const file = path.join(fixture.clips, 'looked-at.jpg');
  await writeFile(file, bytes);
  // Reads the first plane unchanged: ffmpeg assumes studio levels for grey.
  const filters = `scale=${columns}:${rows}:flags=area,format=yuvj420p`;
  const argv = ['-v', 'error', '-i', file, '-vf', filters, '-frames:v', '1', '-f', 'rawvideo', '-'];
  const { stdout } = await run('ffmpeg', argv, { encoding: 'buffer' });
  return [...stdout.subarray(0, columns * rows)];
}

/** Converts a studio level to a JPEG level, which has the full range. */
const fullRange = (luma: number) => ((luma - 16) * 255) / 219;

describe('the storyboard', () => {
  test.each([
    { name: 'long.avi', durationSec: 75, everySec: 2, sheets: 2 },
    { name: 'short.avi', durationSec: 3.5, everySec: 1, sheets: 1 },
  ])('$name: every storyboard tile shows its moment', async ({ name, durationSec, everySec, sheets }) => {
    const { media, images, read } = await load(name);
    const frames = Math.ceil(durationSec / everySec);
    expect(images.board).toMatchObject({ frames, everySec, tileWidthPx: 300, tileHeightPx: 168 });
    expect(media.thumbnail_count).toBe(frames);
    const tiles: number[] = [];
    for (let sheet = 0; sheet < sheets; sheet += 1) {
      const bytes = await read(`seek/_${sheet}.jpg`);
      expect(readJpegSize(bytes)).toEqual({ widthPx: 1800, heightPx: 6 * 168 });
      tiles.push(...(await levels(bytes, 6, 6)));
    }
    tiles.slice(0, frames).forEach((level, tile) => {
      expect(Math.abs(level - fullRange(levelOfStep(tile))), `tile ${tile}`).toBeLessThan(20);
    });
    for (const level of tiles.slice(frames)) expect(level).toBeLessThan(20);
    await expect(read(`seek/_${sheets}.jpg`)).rejects.toThrow();
  });

  test.each([
    { name: 'upright.mkv', tileHeightPx: 534, frames: 7 },
    { name: 'line.mkv', tileHeightPx: 16, frames: 7 },
    { name: 'passing.mp4', tileHeightPx: 168, frames: 7 },
    { name: 'copied and encoded.mp4', tileHeightPx: 168, frames: 7 },
    { name: 'frame.mkv', tileHeightPx: 168, frames: 1 },
    { name: 'fast frame.mp4', tileHeightPx: 168, frames: 1 },
  ])('$name: storyboard tiles are $tileHeightPx px high, one per frame', async ({ name, tileHeightPx, frames }) => {
    const { images, read } = await load(name);
    expect(images.board).toMatchObject({ frames, tileHeightPx });
    const bytes = await read('seek/_0.jpg');
    expect(readJpegSize(bytes)).toEqual({ widthPx: 1800, heightPx: 6 * tileHeightPx });
    const tiles = await levels(bytes, 6, 6);
    expect(tiles.map((level) => level > 20)).toEqual(tiles.map((_, tile) => tile < frames));
  });
});

describe('thumbnails', () => {
  test('thumbnails are five different frames, none black, even if the video begins black', async () => {
    const { key, media, images, read } = await load('scenes.mkv');
    expect(images.posters).toBe(5);
    const posters = await Promise.all([1, 2, 3, 4, 5].map((number) => read(`thumbnail_${number}.jpg`)));
    for (const poster of posters) expect(readJpegSize(poster)).toEqual({ widthPx: 320, heightPx: 180 });
    const looks: number[][] = [];
    for (const poster of posters) looks.push(await levels(poster, 16, 9));
    for (const [index, look] of looks.entries()) {
      expect(Math.max(...look), `thumbnail ${index + 1}`).toBeGreaterThan(60);
      for (const other of looks.slice(index + 1)) expect(distance(look, other)).toBeGreaterThan(8);
    }
    const shown = await fixture.storage.readBytes(media.thumbnail_key ?? ('' as never), null, never);
    expect(posters.some((poster) => poster.equals(shown))).toBe(true);
    expect(media.thumbnail_blurhash).toMatch(/^L[^ ]{27}$/);
    expect(media.thumbnail_key).toContain(`${key.mediaId}/thumbnail/`);
  });

  test('the thumbnail shows the requested moment', async () => {
    const { media } = await load('short.avi');
    const shown = await fixture.storage.readBytes(media.thumbnail_key ?? ('' as never), null, never);
    const [level = 0] = await levels(shown, 1, 1);
    expect(Math.abs(level - fullRange(levelOfStep(2)))).toBeLessThan(20);
  });

  test('thumbnails have the size of the largest rendition', async () => {
    const { read } = await load('copied and encoded.mp4');
    expect(readJpegSize(await read('thumbnail_3.jpg'))).toEqual({ widthPx: 640, heightPx: 360 });
    const { read: readUpright } = await load('upright.mkv');
    expect(readJpegSize(await readUpright('thumbnail_1.jpg'))).toEqual({ widthPx: 240, heightPx: 426 });
  });
});

function distance(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, level, index) => sum + Math.abs(level - (b[index] ?? 0)), 0) / a.length;
}

describe('previews', () => {
  test.each(['scenes.mkv', 'short.avi', 'upright.mkv', 'passing.mp4', 'line.mkv'])(
    'previews show four moments: %s',
    async (name) => {
      const { images, read } = await load(name);
      expect(images.previews).toEqual(PREVIEW_NAMES);
      for (const preview of ['preview.gif', 'preview_hq.webm', 'preview_hq.mp4']) {
        const { frames, durationSec, longSidePx, codec } = await probe(preview, await read(preview));
        expect(codec).toBe({ gif: 'gif', webm: 'vp9', mp4: 'h264' }[preview.split('.')[1] ?? '']);
        expect(Math.abs(durationSec - 3), preview).toBeLessThan(0.41);
        expect(frames, preview).toBeGreaterThan(25);
        expect(longSidePx).toBeLessThanOrEqual(480);
      }
      const { frames, durationSec, longSidePx } = readAnimatedWebp(await read('preview.webp'));
      // Equal frames are merged into one.
      expect([frames > 2, longSidePx <= 320]).toEqual([true, true]);
      expect(Math.abs(durationSec - 3)).toBeLessThan(0.35);
    },
  );

  test('previews show the moments in order', async () => {
    const { read } = await load('scenes.mkv');
    const file = path.join(fixture.clips, 'preview.mp4');
    await writeFile(file, await read('preview_hq.mp4'));
    const argv = ['-v', 'error', '-i', file, '-vf', 'fps=10,scale=16:9:flags=area,format=gray', '-f', 'rawvideo', '-'];
    const { stdout } = await run('ffmpeg', argv, { encoding: 'buffer' });
    const looks = Array.from({ length: stdout.length / 144 }, (_, n) => [...stdout.subarray(144 * n, 144 * (n + 1))]);
    const cuts = looks.filter((look, index) => index > 0 && distance(look, looks[index - 1] ?? []) > 15);
    expect(cuts.length).toBeGreaterThanOrEqual(4);
    for (const look of looks) expect(Math.max(...look)).toBeGreaterThan(60);
  });
});

async function probe(name: string, bytes: Buffer) {
  const file = path.join(fixture.clips, name);
  await writeFile(file, bytes);
  const entries = 'stream=codec_name,width,height,nb_read_frames:format=duration';
  const argv = ['-v', 'error', '-count_frames', '-show_entries', entries, '-of', 'json', file];
  const { streams, format } = JSON.parse((await run('ffprobe', argv)).stdout);
  expect(streams).toHaveLength(1);
  const [{ codec_name: codec, width, height, nb_read_frames: frames }] = streams;
  return { codec, frames: Number(frames), longSidePx: Math.max(width, height), durationSec: Number(format.duration) };
}

test('an audio-only video finishes without images', async () => {
  const media = await loadMedia(fixture, keyOf('sound.mp3'));
  expect(media).toMatchObject({ images: null, thumbnail_key: null, thumbnail_count: 0, messages: [] });
});

test('references and counts every stored object, so that a sweep deletes nothing', async () => {
  await sweep.run({}, worker.deps, never);
  for (const key of keys.values()) await checkWhole(fixture, key);
  expect(fixture.errors).toEqual([]);
});

test('the sweep adds images to a video that was finished without them', async () => {
  const { key, images: before } = await load('upright.mkv');
  const { db } = fixture.database;
  await db.deleteFrom('encode_task').where('media_id', '=', key.mediaId).execute();
  await db.updateTable('media').set({ images: null }).where('id', '=', key.mediaId).execute();
  await sweep.run({}, worker.deps, never);
  await until(async () => (await loadMedia(fixture, key)).images !== null, 'new images');
  const { images, media } = await load('upright.mkv');
  expect(images.folder).not.toBe(before.folder);
  expect({ board: images.board, state: media.state }).toEqual({ board: before.board, state: 'finished' });
  await checkObjects(fixture, key);
});

test('a video that is encoded again gets new images in place of the old ones', async () => {
  const { key, images: before } = await load('short.avi');
  await fixture.database.db.transaction().execute(async (tx) => {
    await tx.updateTable('media').set({ state: 'uploaded' }).where('id', '=', key.mediaId).execute();
    await fixture.sender.send(processVideo, key)(tx);
  });
  await until(async () => (await loadMedia(fixture, key)).images?.folder !== before.folder, 'new images');
  await untilState(fixture, key, 'finished');
  await checkObjects(fixture, key);
  const old = imageKey(key, before, 'preview.webp');
  const retired = await fixture.database.db.selectFrom('retired_object').select('storage_key').execute();
  expect(retired).toContainEqual({ storage_key: old });
  await sweep.run({}, { ...worker.deps, retiredGraceSec: 0 }, never);
  expect(await fixture.storage.head(old)).toBeNull();
  await checkObjects(fixture, key);
});

test('deleting a video deletes its images', async () => {
  const { key } = await load('upright.mkv');
  const { db } = fixture.database;
  expect([...(await listObjects(fixture, key)).keys()].filter((name) => name.includes('/pictures/'))).toHaveLength(10);
  await db.deleteFrom('media').where('id', '=', key.mediaId).execute();
  await db.transaction().execute(fixture.sender.send(deleteMedia, { ...key, prefix: mediaPrefix(key) }));
  await until(async () => (await listObjects(fixture, key)).size === 0, 'all objects to be gone');
  const rows = await db.selectFrom('image').selectAll().where('media_id', '=', key.mediaId).execute();
  expect(rows).toEqual([]);
});

test('if images cannot be created, the video finishes with a message', async () => {
  const { key } = await load('line.mkv');
  const { db } = fixture.database;
  const [chunk] = await db.selectFrom('chunk').selectAll().where('media_id', '=', key.mediaId).execute();
  if (chunk === undefined) throw new Error('Expected a chunk.');
  const file = fixture.storage.localPath(chunk.storage_key) ?? '';
  const whole = await readFile(file);
  await writeFile(file, Buffer.concat([whole.subarray(0, 200), Buffer.alloc(whole.length - 200)]));
  await db.deleteFrom('encode_task').where('media_id', '=', key.mediaId).execute();
  await db.updateTable('media').set({ images: null }).where('id', '=', key.mediaId).execute();
  await sweep.run({}, worker.deps, never);
  await until(async () => (await loadMedia(fixture, key)).messages.length > 0, 'a message');
  const { state, messages, images } = await loadMedia(fixture, key);
  expect({ state, images }).toEqual({ state: 'finished', images: null });
  expect(messages).toEqual([expect.objectContaining({ level: 2, value: 'Storyboard, thumbnails and previews' })]);
  await checkObjects(fixture, key);
  fixture.errors.length = 0;
  await sweep.run({}, worker.deps, never);
  const tasks = await db.selectFrom('encode_task').selectAll().where('media_id', '=', key.mediaId).execute();
  expect(tasks.map(({ state: one }) => one)).toEqual(['failed']);
});
