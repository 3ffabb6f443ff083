import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { discard, LIBRARY_KEY, newDataDir, type Service, startService } from '../../test/support/service.ts';
import { call, createVideo, FAILED, FINISHED, getVideo } from '../../test/support/videos.ts';
import { cpuTicks, listTree, programOf } from './process-tree.ts';
import type { Scope } from './scope.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Creates a folder in the temporary folder of the system. It is removed with the scope. */
export function makeFolder(scope: Scope): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-bench-'));
  scope.own(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the whole service over a new data folder. Both end with the scope. */
export async function startMillrace(scope: Scope, env: Record<string, string> = {}): Promise<Service> {
  const service = await startService(await newDataDir(), { MILLRACE_PREVIEWS: 'on', ...env });
  scope.own(() => discard(service));
  return service;
}

export type Sent = { guid: string; lastByteMs: number; answered: Promise<void> };

/**
 * Creates a video and uploads a file to it. Resolves when the last byte was handed to the kernel. The result includes
 * this time.
 */
export async function sendFile(service: Service, file: string): Promise<Sent> {
  const guid = await createVideo(service, path.basename(file));
  const { size } = await stat(file);
  const put = request(`${service.apiUrl}/library/1/videos/${guid}`, {
    method: 'PUT',
    headers: { AccessKey: LIBRARY_KEY, 'Content-Type': 'application/octet-stream', 'Content-Length': String(size) },
  });
  const answered = new Promise<void>((resolve, reject) => {
    put.once('error', reject);
    put.once('response', (response) => {
      response.resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`Expected 200 for the upload, got ${response.statusCode}.`));
    });
  });
  await pipeline(createReadStream(file, { highWaterMark: 2 ** 20 }), put);
  return { guid, lastByteMs: performance.now(), answered };
}

/** Waits until a video is finished. Polls rarely, so that the cost of polling is not measured. */
export async function untilFinished(service: Service, guid: string, limitMs: number): Promise<void> {
  const deadlineMs = performance.now() + limitMs;
  for (;;) {
    const { status } = await getVideo(service, guid);
    if (status === FINISHED) return;
    if (status === FAILED) throw new Error('Expected the video to be encoded, but it failed.');
    if (performance.now() > deadlineMs) throw new Error(`Expected the video to be finished within ${limitMs} ms.`);
    await sleep(500);
  }
}

/** Deletes a video and waits until no encoder of the service is running. */
export async function dropVideo(service: Service, guid: string): Promise<void> {
  await call(service, 'DELETE', `/library/1/videos/${guid}`);
  await untilNoEncoder(service);
}

/** Waits until the service has run neither ffmpeg nor ffprobe for 300 ms. */
export async function untilNoEncoder(service: Service): Promise<void> {
  let calmSinceMs = performance.now();
  const deadlineMs = calmSinceMs + 60_000;
  while (performance.now() - calmSinceMs < 300) {
    if (performance.now() > deadlineMs) throw new Error('Expected the encoders to end within 60 s.');
    if (listTree(service.pid).some((pid) => /^(ffmpeg|ffprobe)$/.test(programOf(pid)))) calmSinceMs = performance.now();
    await sleep(30);
  }
}

/** Waits until the encoders of the service have used no CPU for 300 ms, because they exited or are waiting. */
export async function untilEncodersRest(service: Service): Promise<void> {
  const used = () =>
    listTree(service.pid)
      .filter((pid) => programOf(pid) === 'ffmpeg')
      .reduce((sum, pid) => sum + cpuTicks(pid), 0);
  const deadlineMs = performance.now() + 60_000;
  let [last, calmSinceMs] = [used(), performance.now()];
  while (performance.now() - calmSinceMs < 300) {
    if (performance.now() > deadlineMs) throw new Error('Expected the encoders to rest within 60 s.');
    await sleep(30);
    const now = used();
    if (now !== last) calmSinceMs = performance.now();
    last = now;
  }
}

/**
 * Starts a second worker of the service, as on another machine. `through` is a command prefix that starts the worker,
 * such as one that selects a core. Returns a function that stops the worker. The scope also stops it.
 */
export async function startWorker(
  scope: Scope,
  service: Service,
  through: readonly string[] = [],
): Promise<() => Promise<void>> {
  const command = [...through, process.execPath, path.join(root, 'bin/millrace.js'), 'serve', '--role', 'worker'];
  const [program = '', ...argv] = command;
  const child = spawn(program, argv, {
    env: {
      ...process.env,
      MILLRACE_DATA_DIR: service.dataDir,
      MILLRACE_ENCODE_THREADS: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
  };
  scope.own(stop);
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    const receive = (data: Buffer) => {
      output += data.toString();
      if (/ready/.test(output)) resolve();
    };
    child.stdout.on('data', receive);
    child.stderr.on('data', receive);
    child.once('exit', () => reject(new Error(`Expected the worker to become ready, but it ended: ${output}`)));
  });
  await ready;
  return stop;
}
