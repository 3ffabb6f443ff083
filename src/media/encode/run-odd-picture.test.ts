import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFrameNumbers, syncSourceArgv } from '../../../test/support/av-sync.ts';
import { ask, collect, factsOf, frameHashes, makeClip, makeFolder } from '../../../test/support/media/run-clip.ts';
import { toNumber } from '../probe/frame-rate.ts';
import { planFrameGrid } from '../timeline/cut-list.ts';
import { h264 } from './codecs/h264.ts';
import { type EncodeJob, planEncode } from './encode.ts';
import { planLadder } from './ladder.ts';

const execute = promisify(execFile);

let dir = '';
let remove = async () => {};

beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
});
afterAll(() => remove());

const VP8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '2M', '-pix_fmt', 'yuv420p'];
const VP9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '2M', '-pix_fmt', 'yuv420p'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p'];
const PICTURE_SEC = 2.5;
const RATE = 20;

/** Creates a video that changes from a larger size to portrait format, like a recording of a resized window. */
async function makeResized(name: string, codec: readonly string[]): Promise<{ path: string; reference: string }> {
  const parts: string[] = [];
  for (const [index, size] of ['640x360', '480x640'].entries()) {
    const picture = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=${RATE}:d=${PICTURE_SEC}`];
    parts.push(await makeClip(dir, `${index}-${name}`, [...picture, ...codec]));
  }
  const list = join(dir, `${name}.txt`);
  await writeFile(list, parts.map((part) => `file '${part}'\n`).join(''));
  const path = await makeClip(dir, name, ['-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy']);
  return { path, reference: await makeReference(name, parts) };
}

/** Creates the expected video by processing each part separately. */
async function makeReference(name: string, parts: readonly string[]): Promise<string> {
  const colours = 'in_color_matrix=bt601:out_color_matrix=bt709:in_range=tv:out_range=tv';
  const fitted = `scale=270:360:${colours},pad=640:360:184:0,setsar=1`;
  const graph = `[0:v]scale=640:360:${colours}[a];[1:v]${fitted}[b];[a][b]concat`;
  const inputs = parts.flatMap((part) => ['-i', part]);
  return makeClip(dir, `${name}.reference.mkv`, [...inputs, '-filter_complex', graph, '-c:v', 'ffv1']);
}

/** Returns the lowest PSNR of any plane of any frame, in dB, and the number of compared frames. */
async function likeness(path: string, reference: string): Promise<{ frames: number; worstDb: number }> {
  const stats = join(dir, 'psnr.log');
  const graph = `[0:v]settb=1/1000,setpts=N[a];[1:v]settb=1/1000,setpts=N[b];[a][b]psnr=stats_file=${stats}`;
  const argv = ['-v', 'error', '-i', path, '-i', reference, '-filter_complex', graph, '-f', 'null', '-'];
  await execute('ffmpeg', argv);
  const lines = (await readFile(stats, 'utf8')).split('\n').filter((line) => line !== '');
  const values = lines.flatMap((line) => [...line.matchAll(/psnr_[yuv]:([\d.]+|inf)/g)].map(([, db]) => Number(db)));
  return { frames: lines.length, worstDb: Math.min(...values.map((db) => (Number.isNaN(db) ? 99 : db))) };
}

test.each([
  { name: 'resized-8.webm', codec: VP8 },
  { name: 'resized-9.webm', codec: VP9 },
  { name: 'resized.mkv', codec: H264 },
  { name: 'resized.ts', codec: H264 },
])('$name: letterboxes a size that changes during the video, with each frame at its time', async ({ name, codec }) => {
  const { path, reference } = await makeResized(name, codec);
  const facts = await factsOf(path);
  const cutList = planFrameGrid(facts);
  const whole: EncodeJob = {
    ...{ facts, cutList, codec: h264, watermark: null, decoderThreads: 1, encoderThreads: 1 },
    range: { fromSegment: 0, toSegment: cutList.startTicks.length },
    rungs: planLadder(facts, { allowedRungs: [360] }),
  };
  const { outputs } = await collect(planEncode(whole), path);
  const media = outputs[0] ?? Buffer.alloc(0);
  const times = (await ask(media, 'packet=pts')).map(Number).toSorted((a, b) => a - b);
  expect(times).toEqual(Array.from({ length: 2 * PICTURE_SEC * RATE }, (_, frame) => (times[0] ?? 0) + frame * 1000));
  const encoded = join(dir, `${name}.mp4`);
  await writeFile(encoded, media);
  const { frames, worstDb } = await likeness(encoded, reference);
  expect(frames).toBe(times.length);
  expect(worstDb).toBeGreaterThan(27);
  // Encode only the second segment, which begins with the changed size, as for a viewer who seeks.
  const alone = await collect(planEncode({ ...whole, range: { fromSegment: 1, toSegment: 2 } }), path);
  expect(await frameHashes(alone.outputs[0] ?? Buffer.alloc(0))).toHaveLength(20);
});

test('keeps every frame of a fast second in a slow screen recording', async () => {
  const still = 'not(mod(n\\,12))';
  const frames = [`testsrc2=s=160x90:r=60:d=4`, `select=if(between(t\\,1\\,2.5)\\,mod(n\\,10)\\,${still})`].join(',');
  const argv = ['-f', 'lavfi', '-i', frames, '-fps_mode', 'vfr', ...H264];
  const path = await makeClip(dir, 'screen.mp4', argv);
  const facts = await factsOf(path);
  expect(facts.video).toMatchObject({ rate: { num: 60, den: 1 }, isVariableRate: true });
  const cutList = planFrameGrid(facts);
  const [rung] = planLadder(facts, { allowedRungs: [240] });
  if (rung === undefined) throw new Error('Expected a rung.');
  const codec = { ...h264, encoderArgv: () => ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0'] };
  const range = { fromSegment: 0, toSegment: 1 };
  const plan = { facts, cutList, range, rungs: [rung], codec, watermark: null, decoderThreads: 1, encoderThreads: 1 };
  const { outputs } = await collect(planEncode(plan), path);
  const shown = new Set(await frameHashes(outputs[0] ?? Buffer.alloc(0)));
  expect(shown.size).toBe((await frameHashes(path)).length);
});

const PAUSES = "select='lt(mod(n,30),20)'";
const SCREEN = "select='if(between(t,2,3.5),mod(n,10),not(mod(n,12)))'";
const PHONE = "setpts='floor((N+0.15*sin(N*N))/29.92*90000)/90000/TB'";
const UNSTEADY = "setpts='(N/30+0.009*sin(N*N))/TB'";
const TICKS = ['-video_track_timescale', '90000'];

test.each([
  { name: 'runs of 30 pictures a second with pauses.mp4', rate: 30, filter: PAUSES, grid: 30 },
  { name: 'runs of 30 pictures a second with pauses.mkv', rate: 30, filter: PAUSES, grid: 30 },
  { name: 'a screen of 5 to 60 pictures a second.mp4', rate: 60, filter: SCREEN, grid: 60 },
  { name: 'a screen of 5 to 60 pictures a second.mkv', rate: 60, filter: SCREEN, grid: 60 },
  { name: 'a phone of 29.92 pictures a second.mp4', rate: 30, filter: PHONE, grid: 30, options: TICKS },
  { name: 'a phone of 29.92 pictures a second.mkv', rate: 30, filter: PHONE, grid: 30 },
  { name: 'jitter of 9 ms.mp4', rate: 30, filter: UNSTEADY, grid: 30, options: TICKS },
])('keeps every frame of $name', async ({ name, rate, filter, grid, options = [] }) => {
  const source = syncSourceArgv({ lengthSec: 8, rate });
  const path = await makeClip(dir, name, [...source, '-vf', filter, '-fps_mode', 'vfr', ...H264, ...options]);
  const facts = await factsOf(path);
  expect(Math.abs(toNumber(facts.video?.rate ?? { num: 0, den: 1 }) / grid - 1)).toBeLessThan(0.005);
  const cutList = planFrameGrid(facts);
  const rungs = planLadder(facts, { allowedRungs: [240] });
  const common = { facts, cutList, codec: h264, watermark: null, decoderThreads: 1, encoderThreads: 1, rungs };
  // Ranges are encoded by separate processes, which must agree on the frames at their boundary.
  const shown: number[] = [];
  for (const [fromSegment, toSegment] of [
    [0, 1],
    [1, cutList.startTicks.length],
  ] as const) {
    const { outputs } = await collect(planEncode({ ...common, range: { fromSegment, toSegment } }), path);
    const encoded = join(dir, `${fromSegment} ${name}.mp4`);
    await writeFile(encoded, outputs[0] ?? Buffer.alloc(0));
    shown.push(...(await readFrameNumbers(encoded)));
  }
  expect((await readFrameNumbers(path)).filter((number) => !shown.includes(number))).toEqual([]);
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
});

test.each(['moving.apng', 'moving.gif'])('encodes every frame of an animation: %s', async (name) => {
  const argv = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=2'];
  const path = await makeClip(dir, name, name.endsWith('apng') ? [...argv, '-f', 'apng', '-plays', '0'] : argv);
  const facts = await factsOf(path);
  const cutList = planFrameGrid(facts);
  const rungs = planLadder(facts, { allowedRungs: [240] });
  const job = { facts, cutList, codec: h264, watermark: null, decoderThreads: 1, encoderThreads: 1, rungs };
  const range = { fromSegment: 0, toSegment: cutList.startTicks.length };
  const { outputs } = await collect(planEncode({ ...job, range }), path);
  expect(new Set(await frameHashes(outputs[0] ?? Buffer.alloc(0))).size).toBe(20);
});
