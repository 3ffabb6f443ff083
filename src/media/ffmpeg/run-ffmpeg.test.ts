import { execFileSync, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ask,
  collect,
  decodeRaw,
  factsOf,
  forever,
  isAlive,
  makeClip,
  makeFolder,
  processTree,
  until,
} from '../../../test/support/media/run-clip.ts';
import { planAudioEncode } from '../encode/encode-audio.ts';
import { chooseThumbnail, planThumbnails } from '../images/thumbnail.ts';
import { GUARD_ARGV, SOURCE_URL } from '../probe/open-source.ts';
import { type FfmpegPlan, QUIET_ARGV } from './ffmpeg-plan.ts';
import { FfmpegFailed, runFfmpeg } from './run-ffmpeg.ts';

let dir = '';
let remove = async () => {};

beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
});
afterAll(() => remove());

/** Returns an endless run with two outputs of a generated video. */
function endless(more: readonly string[] = []): FfmpegPlan {
  const output = (fd: number) => ['-map', '0', '-c:v', 'mpeg4', '-f', 'mpegts', `pipe:${fd}`];
  const argv = [...QUIET_ARGV, '-f', 'lavfi', ...more, '-i', 'testsrc2=s=64x64', ...output(4), ...output(5)];
  return { argv, outputs: ['one', 'two'], durationSec: 60 };
}

async function failure(done: Promise<unknown>): Promise<FfmpegFailed> {
  const reason = await done.then(
    () => null,
    (error: unknown) => error,
  );
  if (reason instanceof FfmpegFailed) return reason;
  throw new Error(`Expected a failed run, got ${String(reason)}.`);
}

test('an abort kills every process of a run', async () => {
  const control = new AbortController();
  const run = await runFfmpeg(endless(), { sourcePath: null }, control.signal);
  for (const output of run.outputs) output.resume();
  await until(() => processTree(run.pid).length > 1);
  const members = processTree(run.pid);
  control.abort();
  expect(await failure(run.done)).toMatchObject({ kind: 'aborted' });
  await until(() => !members.some(isAlive));
});

test('closing an output ends the run', async () => {
  const run = await runFfmpeg(endless(), { sourcePath: null }, forever);
  const [one, two] = run.outputs;
  two?.resume();
  one?.once('data', () => one.destroy());
  expect(await failure(run.done)).toMatchObject({ kind: 'aborted' });
});

test('stops a run that produces no output, but waits for a slow reader', async () => {
  const fifo = join(dir, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const argv = [...QUIET_ARGV, ...GUARD_ARGV, '-i', SOURCE_URL, '-f', 'mpegts', 'pipe:4'];
  const hung = await runFfmpeg(
    { argv, outputs: ['one'], durationSec: 1 },
    { sourcePath: fifo, stallSec: 0.5 },
    forever,
  );
  hung.outputs[0]?.resume();
  expect(await failure(hung.done)).toMatchObject({ kind: 'stalled', message: expect.stringContaining('0.5 s') });

  const run = await runFfmpeg(endless(['-t', '60']), { sourcePath: null, stallSec: 2, niceness: 0 }, forever);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(isAlive(run.pid)).toBe(true);
  const sizes = await Promise.all(run.outputs.map(async (output) => (await buffer(output)).length));
  await run.done;
  expect(Math.min(...sizes)).toBeGreaterThan(500_000);
});

test('a run in an endless loop counts as stalled, but a run that waits for a processor does not', async () => {
  const program = join(dir, 'circles');
  const [cpu = '0'] = /Cpus_allowed_list:\s*(\d+)/.exec(await readFile('/proc/self/status', 'utf8'))?.slice(1) ?? [];
  const circles = `while :; do :; done`;
  await writeFile(program, `#!/bin/sh\nexec taskset -c ${cpu} /bin/sh -c '${circles}'\n`, { mode: 0o755 });
  const plan = { argv: [], outputs: ['one'], durationSec: 1 };
  const common = { sourcePath: null, program };
  const alone = await runFfmpeg(plan, { ...common, stallSec: 0.5, niceness: 0 }, forever);
  alone.outputs[0]?.resume();
  expect(await failure(alone.done)).toMatchObject({ kind: 'stalled' });
  // Two processes share one processor. The tested one has the lower priority.
  const rival = spawn('taskset', ['-c', cpu, '/bin/sh', '-c', circles], { stdio: 'ignore' });
  const control = new AbortController();
  const starved = await runFfmpeg(plan, { ...common, stallSec: 1.5, niceness: 19 }, control.signal);
  await pause(4000);
  rival.kill('SIGKILL');
  expect(isAlive(starved.pid)).toBe(true);
  control.abort();
  expect(await failure(starved.done)).toMatchObject({ kind: 'aborted' });
});

test('reports the processor time, and progress that increases up to the duration', async () => {
  const seen: number[] = [];
  const run = await runFfmpeg(
    endless(['-t', '20']),
    { sourcePath: null, onProgress: (sec) => seen.push(sec) },
    forever,
  );
  for (const output of run.outputs) output.resume();
  const report = await run.done;
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(seen.at(-1)).toBeGreaterThan(19);
  expect(report.cpuSec).toBeGreaterThan(0);
  expect(report.damageReports).toBe(0);
});

test('reports slight damage and fails the run for severe damage', async () => {
  const clip = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:d=8', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25'];
  const path = await makeClip(dir, 'sound.ts', clip);
  const decode = [...QUIET_ARGV, ...GUARD_ARGV, '-i', SOURCE_URL, '-f', 'rawvideo', 'pipe:4'];
  const plan = { argv: decode, outputs: ['raw'], durationSec: 8 };
  expect((await collect(plan, path)).report.damageReports).toBe(0);
  const bytes = await readFile(path);
  bytes.fill(0xa5, Math.floor(bytes.length * 0.5), Math.floor(bytes.length * 0.52));
  await writeFile(join(dir, 'little.ts'), bytes);
  expect((await collect(plan, join(dir, 'little.ts'))).report.damageReports).toBeGreaterThan(0);

  const png = await makeClip(dir, 'much.avi', ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:d=2', '-c:v', 'png']);
  const much = await readFile(png);
  for (let at = 8192; at < much.length - 4096; at += 2048) much.fill(0x5a, at, at + 64);
  await writeFile(join(dir, 'much2.avi'), much);
  const run = await runFfmpeg({ ...plan, argv: decode }, { sourcePath: join(dir, 'much2.avi') }, forever);
  run.outputs[0]?.resume();
  expect(await failure(run.done)).toMatchObject({ kind: 'too-damaged' });
});

test.each([
  { name: 'tone.mkv', codec: 'pcm_s16le' },
  { name: 'tone.ts', codec: 'mp2' },
])('$name: audio is padded at its start, cut or padded at its end and stays in sync', async ({ name, codec }) => {
  // One second of silence, then a tone. The track starts half a second after the video.
  const tone = 'aevalsrc=if(gte(t\\,1)\\,sin(3000*t)\\,0):s=44100:d=3';
  const sound = await makeClip(dir, `${name}.wav`, ['-f', 'lavfi', '-i', tone]);
  const argv = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:d=5', '-itsoffset', '0.5', '-i', sound];
  const path = await makeClip(dir, name, [...argv, '-c:v', 'libx264', '-bf', '0', '-c:a', codec]);
  const facts = await factsOf(path);
  const track = facts.audio[0];
  if (track === undefined) throw new Error('Expected an audio track.');
  for (const durationSec of [facts.durationSec, 2.5]) {
    const { outputs } = await collect(
      planAudioEncode(track, { durationSec, originSec: facts.startSec, gainDb: 0 }),
      path,
    );
    const media = outputs[0] ?? Buffer.alloc(0);
    expect(await ask(media, 'stream=codec_name,profile,sample_rate,channels')).toEqual(['aac,LC,48000,2']);
    const pcm = await decodeRaw(media, 'a');
    const samples = new Float32Array(pcm.buffer, pcm.byteOffset, pcm.length / 4);
    const primedSec = 1024 / 48_000;
    expect(Math.abs(samples.length / 48_000 - primedSec - durationSec)).toBeLessThan(0.022);
    const onsetSec = samples.findIndex((sample) => Math.abs(sample) > 0.05) / 48_000 - primedSec;
    expect(Math.abs(onsetSec - 1.5)).toBeLessThan(0.03);
  }
});

test('does not choose the black first frame as the thumbnail', async () => {
  const black = 'color=black:s=320x180:d=3[a];testsrc2=s=320x180:d=3[b];[a][b]concat=n=2';
  const path = await makeClip(dir, 'black.mp4', ['-f', 'lavfi', '-i', black, '-c:v', 'libx264', '-g', '25']);
  const facts = await factsOf(path);
  const { outputs } = await collect(planThumbnails(facts, null), path);
  const samples = outputs.filter((_, index) => index % 2 === 1);
  expect(samples.map((sample) => sample.length)).toEqual(Array<number>(5).fill(4 * 32 * 18));
  const chosen = chooseThumbnail(samples) ?? -1;
  expect(outputs[2 * chosen]?.subarray(0, 3).toString('hex')).toBe('ffd8ff');
  expect((await decodeRaw(outputs[2 * chosen] ?? Buffer.alloc(0), 'v'))[0]).toBeGreaterThan(60);
  const exact = await collect(planThumbnails(facts, 1), path);
  expect(exact.outputs).toHaveLength(2);
  expect((await decodeRaw(exact.outputs[0] ?? Buffer.alloc(0), 'v'))[0]).toBeLessThan(20);
});
