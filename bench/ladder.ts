import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Service } from '../test/support/service.ts';
import { findProcesses } from '../test/support/service-processes.ts';
import { REAL_CLIP } from '../test/support/videos.ts';
import { type BareRun, bareLadder, bareSound, LADDER } from './support/bare-ladder.ts';
import { measureCommand, openCpuGroup } from './support/cpu-group.ts';
import { remux, runFfmpeg } from './support/ffmpeg.ts';
import {
  dropVideo,
  makeFolder,
  sendFile,
  startMillrace,
  startWorker,
  untilFinished,
  untilNoEncoder,
} from './support/millrace.ts';
import { type Measurement, report, say } from './support/report.ts';
import type { Scope } from './support/scope.ts';

// Measures the CPU seconds of the whole service, from the first uploaded byte until the video is finished, compared to
// ffmpeg with the same ladder: 1080p to 240p and audio. Both use all processors and their default number of threads.
// They alternate, because the speed of a machine changes within minutes. With `--clip-sec`, only the beginning of the
// clip is used, for a quick result.
const { values: options } = parseArgs({ options: { 'clip-sec': { type: 'string', default: '30' } } });
const CLIP_SEC = Number(options['clip-sec']);
const LIMIT_MS = 600_000;
const SETTLE_SEC = 3;
const DRIFT_SEC = 10;

await report('ladder', async (scope) => {
  const folder = makeFolder(scope);
  const mp4 = path.join(folder, 'clip.mp4');
  await runFfmpeg(['-i', REAL_CLIP, '-map', '0', '-c', 'copy', '-t', String(CLIP_SEC), '-movflags', '+faststart', mp4]);
  const mkv = await remux(mp4, path.join(folder, 'clip.mkv'));
  const bare = async (threads: BareRun['threads'] = 'own') => {
    const args = bareLadder(mkv, folder, LADDER, { hasSound: true, threads });
    const { cpuSec, wallSec } = await measureCommand('ffmpeg', args);
    say(`one bare ffmpeg, ${threads} threads: ${cpuSec.toFixed(1)} cpu-s in ${wallSec.toFixed(1)} s`);
    return cpuSec;
  };
  const { encode, stop } = await startMeasured(scope);
  const before = await bare();
  const encoded = await encode(mkv);
  const between = await bare();
  const passed = await encode(mp4);
  const after = await bare();
  await stop();
  const frugal = await bare('one');
  let apart = (await measureCommand('ffmpeg', bareSound(mkv, folder))).cpuSec;
  for (const rung of LADDER) {
    const args = bareLadder(mkv, folder, [rung], { hasSound: false, threads: 'own' });
    apart += (await measureCommand('ffmpeg', args)).cpuSec;
  }
  const unit = 'cpu-s';
  return [
    { name: 'ladder against one ffmpeg', ours: encoded, baseline: (before + between) / 2, bar: 1.05, unit },
    { name: 'the same, against one with a thread for each part', ours: encoded, baseline: frugal, bar: null, unit },
    { name: 'ladder against one ffmpeg a rendition', ours: encoded, baseline: apart, bar: 0.67, unit },
    {
      name: 'source passes through, against one ffmpeg',
      ...{ ours: passed, baseline: (between + after) / 2, bar: 0.55, unit },
    },
    ...(await compareWorkers(scope, folder)),
  ];
});

type Measured = { encode: (file: string) => Promise<number>; stop: () => Promise<void> };

async function startMeasured(scope: Scope): Promise<Measured> {
  const service = await startMillrace(scope);
  const group = openCpuGroup();
  group.adopt(service.pid);
  scope.own(async () => {
    await service.stop();
    await group.close();
  });
  // Exclude the first seconds of a service, which are not part of an encode.
  await sleep(SETTLE_SEC * 1000);
  const idleFrom = group.usedSec();
  await sleep(DRIFT_SEC * 1000);
  const driftPerSec = (group.usedSec() - idleFrom) / DRIFT_SEC;
  return {
    stop: async () => void (await service.stop()),
    async encode(file) {
      const [startMs, fromSec] = [performance.now(), group.usedSec()];
      const guid = await encodeOnce(service, file);
      const wallSec = (performance.now() - startMs) / 1000;
      const cpuSec = group.usedSec() - fromSec - driftPerSec * wallSec;
      say(
        `${path.basename(file)}: ${cpuSec.toFixed(1)} cpu-s in ${wallSec.toFixed(1)} s, idle ` +
          `${driftPerSec.toFixed(3)} cpu-s/s`,
      );
      await dropVideo(service, guid);
      return cpuSec;
    },
  };
}

async function encodeOnce(service: Service, file: string): Promise<string> {
  const { guid, answered } = await sendFile(service, file);
  await answered;
  await untilFinished(service, guid, LIMIT_MS);
  await untilNoEncoder(service);
  return guid;
}

/**
 * Measures the wall time of one video on one worker with one slot and one core, and on two such workers. If a worker
 * had more cores, work outside the slot, mainly audio, would run on the other core. The source is small (360p, four
 * minutes), because the ratio depends only on the duration. The baseline is the gain of two concurrent ffmpeg encoders,
 * each on one core, over running them in sequence. This is the maximum gain from the cores.
 */
async function compareWorkers(scope: Scope, folder: string): Promise<Measurement[]> {
  const small = path.join(folder, 'small.mkv');
  const long = path.join(folder, 'long.mkv');
  await runFfmpeg([
    ...['-i', REAL_CLIP, '-vf', 'scale=640:360', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '48'],
    ...['-c:a', 'aac', '-ac', '2', small],
  ]);
  await remux(small, long, 8);
  const service = await startMillrace(scope, { MILLRACE_ENCODE_THREADS: '1' });
  for (const { pid } of await findProcesses(service, 'role.ts worker')) {
    await measureCommand('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(pid)]);
  }
  const before = await encodeWallSec(service, long);
  const stopWorker = await startWorker(scope, service, onCore(1));
  const two = await encodeWallSec(service, long);
  await stopWorker();
  const one = (before + (await encodeWallSec(service, long))) / 2;
  const gain = await bareGain(small, folder);
  say(
    `4 min at 360p: ${one.toFixed(1)} s with one worker, ${two.toFixed(1)} s with two; two bare ffmpeg gain ` +
      `${gain.toFixed(2)}x`,
  );
  const gained = { ours: one / two, baseline: gain, unit: 'x', isFloor: true };
  return [
    { name: 'two workers against one', ...gained, bar: 1.8, isAbsolute: true },
    { name: 'the same, of what two bare ffmpeg gain', ...gained, bar: 0.9, needsIdle: true },
  ];
}

/** Command prefix that confines a command to one core. */
function onCore(core: number): string[] {
  return ['taskset', '--cpu-list', String(core)];
}

async function encodeWallSec(service: Service, file: string): Promise<number> {
  const startMs = performance.now();
  const guid = await encodeOnce(service, file);
  const wallSec = (performance.now() - startMs) / 1000;
  await dropVideo(service, guid);
  return wallSec;
}

async function bareGain(source: string, folder: string): Promise<number> {
  const rungs = LADDER.slice(-2);
  const encode = (core: number) => {
    const [program = '', ...argv] = [...onCore(core), 'ffmpeg'];
    return measureCommand(program, [
      ...argv,
      ...bareLadder(source, folder, rungs, { hasSound: false, threads: 'one' }),
    ]);
  };
  const timeSec = async (task: () => Promise<unknown>) => {
    const startMs = performance.now();
    await task();
    return (performance.now() - startMs) / 1000;
  };
  const apart = await timeSec(async () => {
    await encode(0);
    await encode(1);
  });
  return apart / (await timeSec(() => Promise.all([encode(0), encode(1)])));
}
