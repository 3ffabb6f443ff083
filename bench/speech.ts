import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { answerWords, startScriptedEngine } from '../test/support/scripted-engine.ts';
import type { Service } from '../test/support/service.ts';
import { findProcesses } from '../test/support/service-processes.ts';
import { LIBRIVOX } from '../test/support/speech.ts';
import { call } from '../test/support/videos.ts';
import { type CpuGroup, measureCommand, openCpuGroup } from './support/cpu-group.ts';
import { runFfmpeg } from './support/ffmpeg.ts';
import { makeFolder, sendFile, startMillrace, untilFinished, untilNoEncoder } from './support/millrace.ts';
import { listTree, pssBytes } from './support/process-tree.ts';
import { type Measurement, report, say } from './support/report.ts';

// Measures a worker's cost of transcribing a minute of read speech: decoding, detecting speech, sending spans, cues,
// rows and captions. The speech engine, a simulated HTTP server, responds immediately and is counted separately. Also
// measures the memory of the worker with all its children and, for comparison, the CPU time of a real engine,
// pocketsphinx. `--minutes` is the duration of the audio (120).
const { values: options } = parseArgs({ options: { minutes: { type: 'string', default: '120' } } });
const MINUTES = Number(options.minutes);
const LIMIT_MS = 1_200_000;
const SAMPLE_MS = 500;
const MIB = 2 ** 20;

await report('speech', async (scope) => {
  const folder = makeFolder(scope);
  const clip = await makeTalk(folder);
  const engine = await startScriptedEngine((_, response) => answerWords(response, ['One', 'two', 'three.']));
  scope.own(() => engine.close());
  const group = openCpuGroup();
  // The group ends after the service, which contains the worker.
  scope.own(() => group.close());
  const service = await startMillrace(scope, {
    MILLRACE_TRANSCRIBER: engine.url,
    MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8',
  });
  const { guid, answered } = await sendFile(service, clip);
  await answered;
  await untilFinished(service, guid, LIMIT_MS);
  await untilNoEncoder(service);
  const { cpuSec, peakBytes } = await measureWorker(service, guid, group);
  say(`All but the engine: ${cpuSec.toFixed(1)} cpu-s, at most ${(peakBytes / MIB).toFixed(0)} MiB.`);
  const { cpuSec: engineSec, minutes } = await measureEngine(folder);
  say(`${MINUTES} minutes of sound, ${engine.counts().length} spans`);
  const unit = 'cpu-s';
  const perMinute: Measurement[] = [
    { name: 'all but the engine, a minute', ours: cpuSec / MINUTES, baseline: null, bar: 0.5, unit, isAbsolute: true },
    { name: 'the engine (pocketsphinx), a minute', ours: engineSec / minutes, baseline: null, bar: null, unit },
  ];
  const memory = { ours: peakBytes / MIB, baseline: null, bar: 400, unit: 'MiB', isAbsolute: true, isSpeedless: true };
  return [...perMinute, { name: `worker and all it starts, ${MINUTES} minutes`, ...memory }];
});

/** Creates a file with repeated sentences and pauses between them, and video that needs almost no processor time. */
async function makeTalk(folder: string): Promise<string> {
  const sentences = Object.values(LIBRIVOX);
  const inputs = sentences.flatMap((sentence) => ['-i', sentence.path]);
  const padded = sentences.map((_, index) => `[${index}:a]aresample=48000,apad=pad_dur=1.2[s${index}]`).join(';');
  const labels = sentences.map((_, index) => `[s${index}]`).join('');
  const joined = `${padded};${labels}concat=n=${sentences.length}:v=0:a=1[a]`;
  const round = path.join(folder, 'round.m4a');
  await runFfmpeg([...inputs, '-filter_complex', joined, '-map', '[a]', '-c:a', 'aac', '-b:a', '64k', round]);
  const file = path.join(folder, 'talk.mp4');
  const picture = ['-f', 'lavfi', '-i', 'color=gray:s=160x120:r=2'];
  const length = ['-t', String(MINUTES * 60)];
  await runFfmpeg([
    '-stream_loop',
    '-1',
    '-i',
    round,
    ...picture,
    '-map',
    '0:a',
    '-map',
    '1:v',
    '-c:a',
    'copy',
    ...length,
    file,
  ]);
  return file;
}

/** Returns CPU seconds and peak memory from the request to the captions, minus those of an idle worker. */
async function measureWorker(
  service: Service,
  guid: string,
  group: CpuGroup,
): Promise<{ cpuSec: number; peakBytes: number }> {
  const [worker] = await findProcesses(service, 'role.ts worker');
  if (worker === undefined) throw new Error('Expected a worker.');
  group.adopt(worker.pid);
  const restBegan = group.usedSec();
  await sleep(10 * SAMPLE_MS);
  const restASec = (group.usedSec() - restBegan) / ((10 * SAMPLE_MS) / 1000);
  const [usedBefore, beganMs] = [group.usedSec(), performance.now()];
  await call(service, 'POST', `/library/1/videos/${guid}/transcribe?language=en`, {});
  let peakBytes = 0;
  while (!(await isTranscribed(service, guid))) {
    if (performance.now() - beganMs > LIMIT_MS) throw new Error(`Expected captions within ${LIMIT_MS} ms, got none.`);
    peakBytes = Math.max(
      peakBytes,
      listTree(worker.pid).reduce((sum, pid) => sum + pssBytes(pid), 0),
    );
    await sleep(SAMPLE_MS);
  }
  const tookSec = (performance.now() - beganMs) / 1000;
  const cpuSec = group.usedSec() - usedBefore - restASec * tookSec;
  say(`Transcribed in ${tookSec.toFixed(0)} s; at rest the worker takes ${restASec.toFixed(3)} cpu-s a second.`);
  return { cpuSec, peakBytes };
}

async function isTranscribed(service: Service, guid: string): Promise<boolean> {
  const { transcription } = Object(await call(service, 'GET', `/library/1/videos/${guid}/activity`));
  const { state, reason } = Object(transcription);
  if (state === 'failed') throw new Error(`Expected captions, got: ${reason}`);
  return state === 'finished';
}

async function measureEngine(folder: string): Promise<{ cpuSec: number; minutes: number }> {
  const file = path.join(folder, 'span.wav');
  const inputs = Object.values(LIBRIVOX).flatMap((sentence) => ['-i', sentence.path]);
  const joined = `concat=n=${inputs.length / 2}:v=0:a=1`;
  await runFfmpeg([...inputs, '-filter_complex', joined, '-ar', '16000', '-ac', '1', file]);
  const { cpuSec } = await measureCommand('pocketsphinx_continuous', ['-infile', file, '-logfn', '/dev/null']);
  // The audio has 16,000 samples of 16 bits per second.
  const { size } = await stat(file);
  return { cpuSec, minutes: size / 32_000 / 60 };
}
