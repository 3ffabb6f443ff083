import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Storage, StorageAway } from '../../src/ports/storage.ts';
import { checkFinished } from './check-video.ts';
import {
  addLibrary,
  loadMedia,
  makeClip,
  startWorker,
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
let worker: Worker;
let isAway = false;

/** Makes the fixture's store look like one on another machine, which can be unreachable. */
function remote(storage: Storage): Storage {
  const reach = () => {
    if (isAway) throw new StorageAway('Expected S3 to respond, got no response.');
  };
  return {
    ...storage,
    kind: 's3',
    localPath: () => null,
    async put(...call) {
      reach();
      return storage.put(...call);
    },
    async read(...call) {
      reach();
      return storage.read(...call);
    },
    async readBytes(...call) {
      reach();
      return storage.readBytes(...call);
    },
    async delete(...call) {
      reach();
      return storage.delete(...call);
    },
  };
}

beforeAll(async () => {
  fixture = await startWorkerFixture();
  worker = await startWorker({
    database: fixture.database,
    storage: remote(fixture.storage),
    cache: path.join(fixture.clips, 'cache'),
    onError: (error) => fixture.errors.push(error),
    slots: { quickSlots: 2, longSlots: 1 },
  });
});
afterAll(async () => {
  await worker?.stop();
  await fixture.stop();
});

test('a store outage before planning or during an encode only delays the video', async () => {
  const libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=640x96:r=25:d=18', '-f', 'lavfi', '-i', 'anullsrc=r=44100:d=18'];
  const clip = await makeClip(fixture, 'long.avi', ...inputs, '-c:v', 'mpeg4', '-q:v', '5', '-c:a', 'pcm_s16le');
  isAway = true;
  const key = await upload(fixture, libraryId, clip);
  await until(async () => (await loadMedia(fixture, key)).state_reason?.includes('storage') === true, 'the reason');
  expect(await loadMedia(fixture, key)).toMatchObject({ state: 'processing', process_tries: 0 });
  isAway = false;
  await untilState(fixture, key, 'transcoding');
  isAway = true;
  const postponed = () =>
    sql<{ failures: number; attempts: number }>`
      select max(failures) as failures, count(distinct attempt) as attempts from encode_task
      where media_id = ${key.mediaId} and state = 'waiting' and reason like '%storage%'
    `.execute(fixture.database.db);
  const seen = new Set<number>();
  // By now, each task has been tried more often than the failure limit.
  await until(async () => {
    const { rows } = await sql<{ attempt: number }>`
      select attempt from encode_task where media_id = ${key.mediaId} and reason like '%storage%'
    `.execute(fixture.database.db);
    for (const { attempt } of rows) seen.add(attempt);
    return seen.size > 8;
  }, 'postponed works to be tried again');
  expect((await postponed()).rows[0]?.failures).toBe(0);
  isAway = false;
  await untilState(fixture, key, 'finished');
  expect((await loadMedia(fixture, key)).messages).toEqual([]);
  expect((await checkFinished(fixture, key)).map(({ kind, rung }) => `${kind} ${rung}`)).toEqual([
    'video 360',
    'video 240',
    'audio null',
    'audio null',
  ]);
});
