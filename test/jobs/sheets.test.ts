import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { imageKey } from '../../src/catalog/images/image-key.ts';
import { claimTask } from '../../src/catalog/tasks/claim-store.ts';
import type { Claim } from '../../src/catalog/tasks/encode-task.ts';
import { sweep } from '../../src/jobs/housekeeping/sweep.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import { checkFinished, checkObjects } from './check-video.ts';
import { performClaim } from './tasks.ts';
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

/** At this rate, 72 s, where the second sheet begins, is between two frames. */
const CLIP = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=6000/1001:d=90', '-c:v', 'mpeg4', '-q:v', '5'];
const NAMES = ['seek/_0.jpg', 'seek/_1.jpg', ...[1, 2, 3, 4, 5].map((number) => `thumbnail_${number}.jpg`)];
const never = new AbortController().signal;

let fixture: WorkerFixture;
let deps: JobDeps;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  // The tests run tasks that need a long slot themselves, one after the other.
  deps = (await fixture.startWorker({ quickSlots: 4, longSlots: 0 })).deps;
});
afterAll(() => fixture.stop());

test('creates each storyboard sheet once while the video is encoded, with the same result as afterwards', async () => {
  const key = await upload(
    fixture,
    await addLibrary(fixture, { encoding: { rungs: [240] } }),
    await makeClip(fixture, 'a.avi', ...CLIP),
  );
  await untilState(fixture, key, 'transcoding');
  // Waits until the worker has encoded the first segment.
  await until(async () => (await openTasks(key, 'quick')).length === 0, 'the end of quick tasks');
  const kinds: string[] = [];
  for (let [id] = await openTasks(key, 'long'); id !== undefined; [id] = await openTasks(key, 'long')) {
    const claim = await claimOne(key, id);
    kinds.push(claim.task.kind);
    if (claim.task.kind === 'sheets') await performTwice(claim);
    else await performClaim(deps, claim);
  }
  await untilState(fixture, key, 'finished');
  expect(kinds.filter((kind) => kind === 'sheets')).toHaveLength(1);
  expect(kinds.indexOf('sheets')).toBeLessThan(kinds.lastIndexOf('video'));
  const { images } = await loadMedia(fixture, key);
  expect(images?.sheetFolders).toEqual([{ first: 0, end: 1, folder: expect.not.stringMatching(`${images?.folder}`) }]);
  await checkFinished(fixture, key);
  const stored = await readImages(key);
  await makeAtOnce(key);
  expect((await loadMedia(fixture, key)).images?.sheetFolders).toBeUndefined();
  const made = await readImages(key);
  expect(NAMES.filter((_, index) => made[index]?.equals(stored[index] ?? Buffer.alloc(0)))).toEqual(NAMES);
  await checkObjects(fixture, key);
  expect(fixture.errors).toEqual([]);
});

/** Returns the unfinished tasks of a queue, the most urgent first. */
async function openTasks({ mediaId }: MediaKey, queue: 'quick' | 'long') {
  const rows = await fixture.database.db
    .selectFrom('encode_task')
    .select('id')
    .where('media_id', '=', mediaId)
    .where('queue', '=', queue)
    .where('state', 'in', ['waiting', 'running'])
    .orderBy('priority', 'desc')
    .execute();
  return rows.map(({ id }) => id);
}

async function claimOne(key: MediaKey, id: Claim['task']['id']): Promise<Claim> {
  const claim = await fixture.database.db.transaction().execute((tx) => claimTask(tx, key, id, 'test'));
  if (claim === null) throw new Error(`Expected task ${id} to wait.`);
  return claim;
}

/**
 * Makes another worker take over a slow worker's task. The slow worker's sheets are rejected when they finally arrive.
 */
async function performTwice(late: Claim): Promise<void> {
  const { key, id } = late.task;
  await fixture.database.db.updateTable('encode_task').set({ state: 'waiting' }).where('id', '=', id).execute();
  await performClaim(deps, await claimOne(key, id));
  await performClaim(deps, late);
}

/** Deletes a video's images and creates them all in one task. */
async function makeAtOnce(key: MediaKey): Promise<void> {
  await fixture.database.db.updateTable('media').set({ images: null }).where('id', '=', key.mediaId).execute();
  await sweep.run({}, deps, never);
  await until(async () => (await loadMedia(fixture, key)).images !== null, 'the images');
}

async function readImages(key: MediaKey): Promise<Buffer[]> {
  const { images } = await loadMedia(fixture, key);
  if (images === null) throw new Error('Expected images.');
  return Promise.all(NAMES.map((name) => fixture.storage.readBytes(imageKey(key, images, name), null, never)));
}
