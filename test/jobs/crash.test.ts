import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { deleteMedia } from '../../src/jobs/housekeeping/delete-media.ts';
import { sweep } from '../../src/jobs/housekeeping/sweep.ts';
import { checkFinished } from './check-video.ts';
import { encodersOf, freezeEncoders, isRunning, killEncoders } from './encoders.ts';
import {
  addLibrary,
  listObjects,
  loadChunks,
  makeClip,
  startWorkerFixture,
  until,
  untilState,
  upload,
  type Worker,
  type WorkerFixture,
} from './worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

let fixture: WorkerFixture;
let libraryId: number;
let clip: string;
const processes: ChildProcess[] = [];
let workers: Worker[] = [];

beforeAll(async () => {
  fixture = await startWorkerFixture();
  libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=640x96:r=10:d=18', '-f', 'lavfi', '-i', 'anullsrc=r=44100:d=18'];
  clip = await makeClip(fixture, 'long.avi', ...inputs, '-c:v', 'mpeg4', '-q:v', '5', '-c:a', 'pcm_s16le');
});
afterAll(() => fixture.stop());
afterEach(async () => {
  for (const child of processes.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  for (const worker of workers) await worker.stop();
  workers = [];
});

async function startProcess(): Promise<ChildProcess> {
  const script = path.join(import.meta.dirname, 'worker-process.ts');
  const folders = [
    String(fixture.database.config.host),
    fixture.objects,
    path.join(fixture.clips, `cache-p${processes.length}`),
  ];
  const child = spawn(process.execPath, [script, ...folders], { stdio: ['ignore', 'pipe', 'inherit'] });
  processes.push(child);
  await once(child.stdout, 'data');
  return child;
}

async function startHere(): Promise<void> {
  workers.push(await fixture.startWorker());
}

/** Waits until a long encode of the video is running. */
async function untilEncoding(key: MediaKey): Promise<void> {
  await until(async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from encode_task
      where media_id = ${key.mediaId} and kind = 'video' and queue = 'long' and state = 'running'
    `.execute(fixture.database.db);
    return rows[0]?.n !== 0;
  }, 'a long encode to be under way');
}

async function runSweep(): Promise<void> {
  const { db } = fixture.database;
  await db.transaction().execute(fixture.sender.send(sweep, {}, { onlyOneNamed: 'now' }));
  await until(async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from millrace_queue.job
      where singleton_key = 'sweep:now' and state in ('created', 'retry', 'active')
    `.execute(db);
    return rows[0]?.n === 0;
  }, 'the sweep to be over');
}

/** Checks that the video finished once: complete, each chunk from one attempt, no leftovers after the sweep. */
async function checkFinishedOnce(key: MediaKey): Promise<void> {
  await untilState(fixture, key, 'finished');
  await runSweep();
  const renditions = await checkFinished(fixture, key);
  expect(renditions.map(({ rung, frames, warnings }) => ({ rung, frames, warnings }))).toEqual([
    { rung: 360, frames: 180, warnings: '' },
    { rung: 240, frames: 180, warnings: '' },
    { rung: null, frames: 844, warnings: '' },
    { rung: null, frames: 844, warnings: '' },
  ]);
  const places = (await loadChunks(fixture, key)).map((chunk) => `${chunk.rendition_id} ${chunk.first_segment}`);
  expect(new Set(places).size).toBe(places.length);
}

test('a worker killed in mid-encode leaves no encoder, and another worker finishes the video once', async () => {
  const doomed = await startProcess();
  const key = await upload(fixture, libraryId, clip);
  await untilEncoding(key);
  const encoders = await freezeEncoders(doomed.pid ?? 0);
  doomed.kill('SIGKILL');
  await startHere();
  await until(async () => !encoders.some(isRunning), 'no encoder');
  await checkFinishedOnce(key);
});

test('a worker that was suspended past its lease publishes none of its tasks', async () => {
  const frozen = await startProcess();
  const key = await upload(fixture, libraryId, clip);
  await untilEncoding(key);
  frozen.kill('SIGSTOP');
  await startHere();
  await untilState(fixture, key, 'finished');
  const before = await loadChunks(fixture, key);
  frozen.kill('SIGCONT');
  await until(async () => encodersOf(frozen.pid ?? 0).length === 0, 'the late encoder to end');
  expect(await loadChunks(fixture, key)).toEqual(before);
  await checkFinishedOnce(key);
});

test('restarts a killed encoder', async () => {
  await startHere();
  const key = await upload(fixture, libraryId, clip);
  await untilEncoding(key);
  killEncoders(await freezeEncoders(process.pid));
  await checkFinishedOnce(key);
});

test('two workers share one video and finish it once', async () => {
  await startHere();
  await startHere();
  const key = await upload(fixture, libraryId, clip);
  await checkFinishedOnce(key);
});

test('deleting a video in mid-encode stops its encoders and leaves no object', async () => {
  await startHere();
  const key = await upload(fixture, libraryId, clip);
  await untilEncoding(key);
  await fixture.database.db.transaction().execute(async (tx) => {
    await tx.deleteFrom('media').where('id', '=', key.mediaId).execute();
    await fixture.sender.send(deleteMedia, { ...key, prefix: `${libraryId}/${key.mediaId}/` })(tx);
  });
  await until(async () => encodersOf(process.pid).length === 0, 'no encoder');
  await until(async () => (await listObjects(fixture, key)).size === 0, 'no object');
  await runSweep();
  expect(await listObjects(fixture, key)).toEqual(new Map());
});

test('a worker that stops releases its encode task, and the next worker continues immediately', async () => {
  await startHere();
  const key = await upload(fixture, libraryId, clip);
  await untilEncoding(key);
  await workers.splice(0)[0]?.stop();
  // The encoder was killed, but it may remain visible in its sandbox for a moment.
  await until(async () => encodersOf(process.pid).length === 0, 'no encoder');
  await startHere();
  await checkFinishedOnce(key);
});
