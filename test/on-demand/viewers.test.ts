import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { createSegmentRequestStore } from '../../src/catalog/on-demand/segment-request-store.ts';
import { deleteMedia } from '../../src/jobs/housekeeping/delete-media.ts';
import { newGuid } from '../../src/lib/guid.ts';
import type { TestEdge } from '../delivery/start-test-edge.ts';
import { checkObjects } from '../jobs/check-video.ts';
import { freezeEncoders, isRunning, thawEncoders } from '../jobs/encoders.ts';
import { listObjects, loadMedia, makeClip, until, type Worker, type WorkerSlots } from '../jobs/worker-fixture.ts';
import {
  addOnDemandLibrary,
  countOpen,
  fetchFile,
  fetchPatiently,
  findRung,
  type OnDemandFixture,
  PATIENT,
  segmentUrl,
  startOnDemandFixture,
  uploadReady,
} from './on-demand-fixture.ts';

const NO_BACKFILL: WorkerSlots = { quickSlots: 4, longSlots: 0, viewerSlots: 2 };

let fixture: OnDemandFixture;
let edge: TestEdge;
let libraryId: number;
let film: string;
/** A ready video with no pending work. */
let shared: MediaKey;
const workers: Worker[] = [];
const processes: ChildProcess[] = [];
beforeAll(async () => {
  fixture = await startOnDemandFixture();
  libraryId = await addOnDemandLibrary(fixture, [240, 480]);
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=854x120:r=25:d=30'];
  film = await makeClip(fixture, 'film.avi', ...picture, '-c:v', 'mpeg4', '-q:v', '8', '-g', '50');
  await startHere();
  shared = await uploadQuiet(film);
  await stopAll();
});
// Each test uses its own edge, so that requests of another test's viewers have no effect.
beforeEach(async () => {
  edge = await fixture.edgeFixture.start({ storage: fixture.storage });
});
afterEach(async () => {
  await edge.close();
  await stopAll();
});
afterAll(() => fixture.stop());

async function stopAll(): Promise<void> {
  for (const child of processes.splice(0)) await kill(child);
  for (const worker of workers.splice(0)) await worker.stop();
}

async function startHere(slots = NO_BACKFILL): Promise<void> {
  workers.push(await fixture.startWorker(slots));
}

async function startProcess(): Promise<ChildProcess> {
  const script = path.join(import.meta.dirname, '../jobs/worker-process.ts');
  const folders = [
    String(fixture.database.config.host),
    fixture.objects,
    path.join(fixture.clips, `cache-v${processes.length}`),
  ];
  const child = spawn(process.execPath, [script, ...folders], { stdio: ['ignore', 'pipe', 'inherit'] });
  processes.push(child);
  await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** A ready video with no pending work. */
async function uploadQuiet(clip: string): Promise<MediaKey> {
  const key = await uploadReady(fixture, libraryId, clip);
  await until(async () => (await countOpen(fixture, key)).tasks === 0, 'its first encode tasks to be over');
  return key;
}

test('a worker finds a segment task even if the notification was lost', async () => {
  await startHere();
  const { db } = fixture.database;
  const [rung, segment] = [await findRung(fixture, shared, 480), 6];
  // No worker is registered as idle, so none is woken.
  await sql`create function forget_idle() returns trigger language plpgsql as 'begin return null; end'`.execute(db);
  await sql`create trigger forget_idle before insert on encode_idle for each row execute function
    forget_idle()`.execute(db);
  await sql`delete from encode_idle`.execute(db);
  const requests = createSegmentRequestStore(db, newGuid());
  await requests.put([{ ...shared, renditionId: rung, segment, aheadSegments: 0, isAwaited: true, forSec: 60 }]);
  const made = db.selectFrom('chunk').where('rendition_id', '=', rung).where('first_segment', '=', segment);
  await until(async () => (await made.select('first_segment').execute()).length > 0, 'the segment');
  await sql`drop function forget_idle cascade`.execute(db);
  await requests.dropAll();
});

test('an encoder whose only viewer disconnects stops and leaves no object', async () => {
  await startHere();
  const key = shared;
  const viewer = new AbortController();
  const url = segmentUrl(edge, key, await findRung(fixture, key, 480), 4);
  const answer = fetchFile(url, viewer.signal).catch((error: Error) => error.name);
  const encoders = await freezeEncoders(process.pid);
  viewer.abort();
  expect(await answer).toBe('AbortError');
  await until(async () => !encoders.some(isRunning), 'the encoder to end');
  await until(async () => (await countOpen(fixture, key)).runs === 0, 'no run');
  await checkObjects(fixture, key);
});

test('an encoder stops when its lease expires, even if the renewal hangs', async () => {
  await startHere();
  const viewer = new AbortController();
  const url = segmentUrl(edge, shared, await findRung(fixture, shared, 480), 4);
  const answer = fetchFile(url, viewer.signal).catch((error: Error) => error.name);
  const encoders = await freezeEncoders(process.pid);
  await fixture.database.db.transaction().execute(async (tx) => {
    await sql`select from encode_task where kind = 'segment' for update`.execute(tx);
    await until(async () => !encoders.some(isRunning), 'the encoder to end', 20);
    viewer.abort();
  });
  expect(await answer).toBe('AbortError');
  await until(async () => (await countOpen(fixture, shared)).runs === 0, 'no run', 20);
});

test('a segment that two viewers request is encoded even if the first disconnects', async () => {
  await startHere();
  const viewer = new AbortController();
  const url = segmentUrl(edge, shared, await findRung(fixture, shared, 480), 2);
  const first = fetchFile(url, viewer.signal).catch((error: Error) => error.name);
  const second = fetchPatiently(url);
  const encoders = await freezeEncoders(process.pid);
  viewer.abort();
  expect(await first).toBe('AbortError');
  thawEncoders(encoders);
  expect((await second).length).toBeGreaterThan(1000);
});

test('deleting a video during its encode stops the encoder and leaves no object', async () => {
  await startHere();
  const key = await uploadQuiet(film);
  const answer = fetchFile(segmentUrl(edge, key, await findRung(fixture, key, 480), 3));
  const encoders = await freezeEncoders(process.pid);
  await fixture.database.db.transaction().execute(async (tx) => {
    await tx.deleteFrom('media').where('id', '=', key.mediaId).execute();
    await fixture.sender.send(deleteMedia, { ...key, prefix: `${libraryId}/${key.mediaId}/` })(tx);
  });
  await until(async () => !encoders.some(isRunning), 'the encoder to end');
  await until(async () => (await listObjects(fixture, key)).size === 0, 'no object');
  expect([404, 503]).toContain((await answer).status);
  expect(await countOpen(fixture, key)).toEqual({ requests: 0, runs: 0, tasks: 0 });
  expect(fixture.errors).toEqual([]);
});

test('another worker continues for the same viewer if a worker is killed during the encode', async () => {
  const doomed = await startProcess();
  const answer = fetchPatiently(segmentUrl(edge, shared, await findRung(fixture, shared, 480), 5));
  const encoders = await freezeEncoders(doomed.pid ?? 0);
  await startHere();
  await kill(doomed);
  expect((await answer).length).toBeGreaterThan(1000);
  await until(async () => !encoders.some(isRunning), 'the first encoder to be gone');
});

test('without a worker, responds with 503 and a retry time', async () => {
  const hasty = await fixture.edgeFixture.start({ storage: fixture.storage, limits: { segmentWaitMs: 500 } });
  const url = segmentUrl(hasty, shared, await findRung(fixture, shared, 480), 1);
  expect(await fetchFile(url)).toMatchObject({ status: 503, retryAfter: '2' });
  await hasty.close();
});

test('an encoder that works ahead yields to a waiting viewer', async () => {
  await startHere({ ...NO_BACKFILL, viewerSlots: 1 });
  const [low, high] = [await findRung(fixture, shared, 240), await findRung(fixture, shared, 480)];
  await fetchPatiently(segmentUrl(edge, shared, low, 4));
  expect((await countOpen(fixture, shared)).runs).toBe(1);
  expect((await fetchPatiently(segmentUrl(edge, shared, high, 7))).length).toBeGreaterThan(1000);
});

test('gives up on a segment that cannot be encoded after several attempts, and the video reports this', async () => {
  await startHere();
  const key = shared;
  const rung = await findRung(fixture, key, 240);
  // An init segment that no encoder produces, so new output never matches it.
  await fixture.database.db
    .updateTable('rendition')
    .set({ init_sha256: Buffer.alloc(32) })
    .where('id', '=', rung)
    .execute();
  const patient = await fixture.edgeFixture.start({ storage: fixture.storage, limits: PATIENT });
  const viewer = new AbortController();
  const answer = fetchFile(segmentUrl(patient, key, rung, 2), viewer.signal).catch((error: Error) => error.name);
  await until(async () => (await loadMedia(fixture, key)).messages.length > 0, 'the message');
  viewer.abort();
  expect(await answer).toBe('AbortError');
  await patient.close();
  expect((await loadMedia(fixture, key)).messages).toMatchObject([{ issueCode: 10, level: 2, value: '240p' }]);
  fixture.errors.splice(0);
  await checkObjects(fixture, key);
});
