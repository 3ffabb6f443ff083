import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { freezeDatabase } from '../support/freeze-database.ts';
import { checkFinished } from './check-video.ts';
import { encodersOf } from './encoders.ts';
import {
  addLibrary,
  loadMedia,
  makeClip,
  startWorkerFixture,
  until,
  untilState,
  upload,
  type WorkerFixture,
} from './worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

/**
 * Longer than a lease of the fixture and the gap after which expired leases are not claimed, but shorter than the time
 * until tasks are abandoned. In ms.
 */
const PAUSE_MS = 14_000;

let fixture: WorkerFixture;
beforeAll(async () => {
  fixture = await startWorkerFixture();
});
afterAll(() => fixture.stop());

/** Returns the running long encodes, once nothing else runs. */
const runningTasks = async ({ mediaId }: MediaKey) => {
  const { rows } = await sql<{ queue: string; attempt: number }>`
    select queue, attempt from encode_task where media_id = ${mediaId} and state = 'running'
  `.execute(fixture.database.db);
  return rows.every(({ queue }) => queue === 'long') ? rows : [];
};

test('a database pause longer than the leases does not restart a running encode task', async () => {
  const libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=640x96:r=25:d=30'];
  const clip = await makeClip(fixture, 'long.avi', ...inputs, '-c:v', 'mpeg4', '-q:v', '5');
  await fixture.startWorker({ quickSlots: 2, longSlots: 1 });
  const key = await upload(fixture, libraryId, clip);
  // A task without an encoder has no work to lose yet.
  let task: { attempt: number } | undefined;
  await until(async () => {
    [task] = await runningTasks(key);
    return task !== undefined && encodersOf(process.pid).length > 0;
  }, 'a long encode to be under way');
  const goOn = freezeDatabase(fixture.database);
  await sleep(PAUSE_MS);
  goOn();
  await untilState(fixture, key, 'finished');
  const { rows } = await sql<{ attempt: number }>`
    select distinct attempt from chunk where media_id = ${key.mediaId} and attempt = ${task?.attempt ?? 0}
  `.execute(fixture.database.db);
  // The running work was published by the attempt that began it.
  expect(rows).toEqual([{ attempt: task?.attempt }]);
  expect((await loadMedia(fixture, key)).messages).toEqual([]);
  expect((await checkFinished(fixture, key)).map(({ rung, frames }) => ({ rung, frames }))).toEqual([
    { rung: 360, frames: 750 },
    { rung: 240, frames: 750 },
  ]);
});
