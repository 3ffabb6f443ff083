import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addLibrary } from '../delivery/publish.ts';
import type { TestEdge } from '../delivery/start-test-edge.ts';
import { checkFinished } from '../jobs/check-video.ts';
import {
  loadChunks,
  loadMedia,
  loadRenditions,
  makeClip,
  untilState,
  upload,
  type Worker,
} from '../jobs/worker-fixture.ts';
import {
  addOnDemandLibrary,
  countRuns,
  drop,
  fetchFile,
  fillIn,
  findRung,
  followStates,
  holdRuns,
  type OnDemandFixture,
  PATIENT,
  segmentUrl,
  startOnDemandFixture,
  uploadReady,
} from './on-demand-fixture.ts';

const run = promisify(execFile);

let fixture: OnDemandFixture;
let edge: TestEdge;
let worker: Worker;
let libraryId: number;
beforeAll(async () => {
  fixture = await startOnDemandFixture();
  libraryId = await addOnDemandLibrary(fixture, [240, 360]);
  edge = await fixture.edgeFixture.start({ storage: fixture.storage, limits: PATIENT });
  worker = await fixture.startWorker({ quickSlots: 4, longSlots: 1 });
});
afterAll(async () => {
  await edge.close();
  await fixture.stop();
});

const picture = (source: string) => ['-f', 'lavfi', '-i', source];
const SOUND = ['-f', 'lavfi', '-i', 'anullsrc=r=48000:d=20'];
/** No browser plays this codec, so all of the clip has to be encoded. */
const MPEG4 = ['-c:v', 'mpeg4', '-q:v', '5', '-g', '50', '-c:a', 'pcm_s16le'];

test('a thousand viewers of one cold segment cause one encode of it', async () => {
  const clip = await makeClip(fixture, 'cold.avi', ...picture('testsrc2=s=160x120:r=10:d=24'), ...MPEG4);
  const key = await uploadReady(fixture, libraryId, clip);
  const url = segmentUrl(edge, key, await findRung(fixture, key, 240), 5);
  onTestFinished(await holdRuns(fixture));
  const before = await countRuns(fixture);
  const fetchDigest = async () => {
    const { status, body } = await fetchFile(url);
    return `${status} ${createHash('sha256').update(body).digest('hex')}`;
  };
  const answers = new Set(await Promise.all(Array.from({ length: 1000 }, fetchDigest)));
  expect([...answers]).toEqual([expect.stringMatching(/^200 /)]);
  expect(await countRuns(fixture)).toBe(before + 1);
  await drop(fixture, key);
});

test('encodes segments of a protected video on demand, but not for requests in the clear', async () => {
  const drm = { enabled: true, version: 'enterprise' };
  const encoding = { rungs: [240], jitEnabled: true };
  const protectedId = await addLibrary(fixture.database.db, { encoding, drm });
  const clip = await makeClip(fixture, 'protected.avi', ...picture('testsrc2=s=160x120:r=10:d=24'), ...MPEG4);
  const key = await uploadReady(fixture, protectedId, clip);
  const clear = segmentUrl(edge, key, await findRung(fixture, key, 240), 5);
  onTestFinished(await holdRuns(fixture));
  const before = await countRuns(fixture);
  expect((await fetchFile(clear)).status).toBe(404);
  expect(await countRuns(fixture)).toBe(before);
  const { status, body } = await fetchFile(clear.replace('/5.m4s', '/e1/5.m4s'));
  expect([status, await countRuns(fixture)]).toEqual([200, before + 1]);
  expect(body.indexOf('senc')).toBeGreaterThan(0);
  await drop(fixture, key);
});

test('a video is ready before it is encoded, and all of its segments join seamlessly', async () => {
  const inputs = [...picture('testsrc2=s=640x48:r=24000/1001:d=16'), ...SOUND, '-t', '16'];
  const clip = await makeClip(fixture, 'film.avi', ...inputs, ...MPEG4);
  const key = await upload(fixture, libraryId, clip);
  const states = ['created', 'uploaded', 'processing', 'jit-segmenting', 'jit-ready'];
  expect(await followStates(fixture, key, 'jit-ready')).toEqual(states);

  const playlists = `${edge.base}/vz-${libraryId}/${key.mediaId}`;
  const master = (await fetchFile(`${playlists}/playlist.m3u8`)).body.toString();
  expect(master.match(/RESOLUTION=\d+x\d+/g)).toEqual(['RESOLUTION=640x48', 'RESOLUTION=426x32']);
  const renditions = (await loadRenditions(fixture, key)).filter(({ kind }) => kind === 'video');
  for (const { id } of renditions) {
    const list = (await fetchFile(`${playlists}/r/${id}/video.m3u8`)).body.toString();
    expect(list).toContain('#EXT-X-ENDLIST');
    expect(boundariesOf(list).map((sec) => Math.round(sec * 24_000))).toEqual(
      // A segment is 96 frames of 1001 ticks. 384 frames are 16 s at this rate, rounded to whole frames.
      Array.from({ length: 4 }, (_, segment) => (segment + 1) * 96 * 1001),
    );
  }
  const [high = '', low = ''] = renditions.map(({ id }) => id);
  for (const [id, segment] of [
    [high, 3],
    [low, 1],
    [high, 2],
  ] as const) {
    expect((await fetchFile(`${playlists}/r/${id}/${segment}.m4s`)).status).toBe(200);
  }
  const forViewers = (await loadChunks(fixture, key)).map((chunk) => chunk.storage_key);
  await fillIn(fixture, key, worker.deps);
  await untilState(fixture, key, 'finished');
  const decoded = await checkFinished(fixture, key);
  expect(decoded.map(({ rung, frames, warnings }) => ({ rung, frames, warnings }))).toEqual([
    { rung: 360, frames: 384, warnings: '' },
    { rung: 240, frames: 384, warnings: '' },
    expect.objectContaining({ rung: null, warnings: '' }),
    expect.objectContaining({ rung: null, warnings: '' }),
  ]);
  const all = (await loadChunks(fixture, key)).map((chunk) => chunk.storage_key);
  expect(all).toEqual(expect.arrayContaining(forViewers));
  expect(all.length).toBeGreaterThan(forViewers.length);
  for (const { id } of renditions)
    expect(await pictureTicks(id)).toEqual(Array.from({ length: 384 }, (_, n) => n * 1001));
});

test("encodes lower rungs of a source that is passed through, on the source's own cuts", async () => {
  const inputs = [...picture('testsrc2=s=640x48:r=25:d=12'), ...SOUND, '-t', '12'];
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '70', '-c:a', 'aac'];
  const clip = await makeClip(
    fixture,
    'copy.mp4',
    ...inputs,
    ...h264,
    '-b:v',
    '300k',
    '-maxrate',
    '400k',
    '-bufsize',
    '800k',
  );
  const key = await uploadReady(fixture, libraryId, clip);
  const url = segmentUrl(edge, key, await findRung(fixture, key, 240), 3);
  expect((await fetchFile(url)).status).toBe(200);
  await fillIn(fixture, key, worker.deps);
  await untilState(fixture, key, 'finished');
  expect(await checkFinished(fixture, key)).toMatchObject([
    { origin: 'pass-through', rung: 360, frames: 300, warnings: '' },
    { origin: 'encode', rung: 240, frames: 300, warnings: '' },
    { kind: 'audio', warnings: '' },
  ]);
});

test('a video is finished when viewers have watched all of it', async () => {
  const library = await addOnDemandLibrary(fixture, [240]);
  const clip = await makeClip(fixture, 'watched.avi', ...picture('testsrc2=s=160x120:r=10:d=14'), ...MPEG4);
  const key = await uploadReady(fixture, library, clip);
  const rendition = await findRung(fixture, key, 240);
  for (const segment of [0, 1, 2, 3])
    expect((await fetchFile(segmentUrl(edge, key, rendition, segment))).status).toBe(200);
  await untilState(fixture, key, 'finished');
  await checkFinished(fixture, key);
});

test('lists the whole duration from the start, including audio, in HLS and DASH', async () => {
  const inputs = [...picture('testsrc2=s=160x120:r=10:d=18.5'), ...SOUND, '-t', '18.5'];
  const key = await uploadReady(fixture, libraryId, await makeClip(fixture, 'listed.avi', ...inputs, ...MPEG4));
  const playlists = `${edge.base}/vz-${libraryId}/${key.mediaId}`;
  const manifest = (await fetchFile(`${playlists}/manifest.mpd`)).body.toString();
  expect(manifest).toContain('mediaPresentationDuration="PT18.5');
  // 18.5 s are 868 frames of 1024 ticks: four segments of 188, and one of 116.
  expect(manifest).toMatch(/<S t="0" d="192512" r="3"\/>\s*<S d="118784"\/>/);
  const sound = (await loadRenditions(fixture, key)).find(({ kind }) => kind === 'audio');
  const list = (await fetchFile(`${playlists}/r/${sound?.id}/video.m3u8`)).body.toString();
  expect(list).toContain('#EXT-X-ENDLIST');
  expect(boundariesOf(list).map((sec) => Math.round((sec * 48_000) / 1024))).toEqual([188, 376, 564, 752, 868]);
  await drop(fixture, key);
});

test('encodes audio with normalised loudness in one task', async () => {
  const library = await addOnDemandLibrary(fixture, [240], { normaliseLoudness: true });
  const inputs = [...picture('testsrc2=s=160x120:r=10:d=9'), ...SOUND, '-t', '9'];
  const key = await uploadReady(fixture, library, await makeClip(fixture, 'level.avi', ...inputs, ...MPEG4));
  const onDemand = (await loadRenditions(fixture, key)).map(({ kind, on_demand }) => [kind, on_demand]);
  expect(onDemand).toEqual([
    ['video', true],
    ['audio', false],
  ]);
  await drop(fixture, key);
});

const LOW = 'testsrc2=s=160x90:r=5:d=26';
test.each([
  { name: 'no index of keyframes', file: 'a.ts', args: [...picture(LOW), '-c:v', 'mpeg2video'], why: 'mpegts' },
  { name: 'only one keyframe', file: 'b.mkv', args: [...picture(LOW), '-c:v', 'mpeg4', '-g', '600'], why: '20 s' },
  { name: 'one keyframe in an indexed file', file: 'c.mp4', args: [...picture(LOW), '-g', '600'], why: '20 s' },
  { name: 'audio only', file: 'd.wav', args: SOUND, why: 'no video' },
  { name: 'a library on the free tier', file: 'e.mkv', args: picture(LOW), why: 'premium', tier: 'free' },
])(
  '$name: the video is encoded completely in advance, and reports the reason',
  async ({ file, args, why, tier = 'premium' }) => {
    const library = await addOnDemandLibrary(fixture, [240], { tier });
    const key = await upload(fixture, library, await makeClip(fixture, file, ...args));
    const states = await followStates(fixture, key, 'finished');
    expect(states).not.toContain('jit-ready');
    const { messages } = await loadMedia(fixture, key);
    expect(messages).toMatchObject([{ level: 2, issueCode: 9, message: expect.stringContaining(why) }]);
  },
);

/** Returns the end of each segment of a playlist, in seconds, as the sum of all durations up to it. */
function boundariesOf(playlist: string): number[] {
  let sec = 0;
  return [...playlist.matchAll(/#EXTINF:([\d.]+),/g)].map(([, length]) => {
    sec += Number(length);
    return sec;
  });
}

/** Returns the presentation time of each frame of an assembled rendition. */
async function pictureTicks(renditionId: string): Promise<number[]> {
  const file = path.join(fixture.clips, `${renditionId}.mp4`);
  const { stdout } = await run('ffprobe', ['-v', 'error', '-show_entries', 'packet=pts', '-of', 'csv=p=0', file]);
  const ticks = stdout
    .trim()
    .split('\n')
    .map((line) => Number.parseInt(line, 10));
  const first = Math.min(...ticks);
  return ticks.map((tick) => tick - first).sort((a, b) => a - b);
}
