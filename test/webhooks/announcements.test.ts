import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { claimProcess } from '../../src/catalog/lifecycle/process-store.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { type Origin, serve, startOrigin, status } from '../uploads/origin.ts';
import { open, type TusLibrary } from '../uploads/tus-client.ts';
import { startUploadFixture, type UploadFixture } from '../uploads/upload-fixture.ts';
import { readLog, setWebhookUrl } from './webhook-sender.ts';

let fixture: UploadFixture;
let library: TusLibrary;
let origin: Origin;

beforeAll(async () => {
  [fixture, origin] = await Promise.all([startUploadFixture(), startOrigin()]);
  library = { url: fixture.url, libraryId: 1, key: fixture.first.libraryKey };
  await setWebhookUrl(fixture.database, 1, 'http://127.0.0.1:9/');
  await fixture.startWorker();
});
beforeEach(() => fixture.empty());
afterEach(() => expect(fixture.faults).toEqual([]));
afterAll(async () => {
  await fixture.stop();
  await origin.stop();
});

const [QUEUED, PROCESSING, FAILED, STARTED, FINISHED, UPLOAD_FAILED] = [0, 1, 5, 6, 7, 8];
const bytes = randomBytes(2_000);

/** Returns the statuses announced for a video, in order. */
const announced = async (guid: string) =>
  (await readLog(fixture.database, 1)).filter(({ mediaId }) => mediaId === guid).map((entry) => entry.status);
const untilAnnounced = (guid: string, statuses: (number | undefined)[]) =>
  vi.waitFor(async () => expect(await announced(guid)).toEqual(statuses), { timeout: 20_000, interval: 50 });

test('a stored PUT announces queued once, and a rejected PUT announces no event', async () => {
  const guid = await fixture.createVideo();
  const put = (body: Uint8Array) => fixture.call('PUT', `/library/1/videos/${guid}`, { body });
  expect((await put(new Uint8Array())).status).toBe(400);
  expect(await announced(guid)).toEqual([]);
  expect((await put(bytes)).status).toBe(200);
  expect((await put(bytes)).status).toBe(400);
  expect(await announced(guid)).toEqual([QUEUED]);
});

test('announces only one of two simultaneous PUTs', async () => {
  const guid = await fixture.createVideo();
  const put = () => fixture.call('PUT', `/library/1/videos/${guid}`, { body: bytes });
  const answers = await Promise.all([put(), put()]);
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 400]);
  expect(await announced(guid)).toEqual([QUEUED]);
});

test('a resumable upload announces started, finished and queued, even if its last chunk is repeated', async () => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, bytes.length);
  expect(await announced(guid)).toEqual([STARTED]);
  await upload.patch(0, bytes.subarray(0, 1_000));
  await Promise.all([upload.patch(1_000, bytes.subarray(1_000)), upload.patch(1_000, bytes.subarray(1_000))]);
  await upload.patch(1_000, bytes.subarray(1_000));
  expect(await announced(guid)).toEqual([STARTED, FINISHED, QUEUED]);
});

test('a resumable upload that its client terminates announces one failure', async () => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, bytes.length);
  await upload.patch(0, bytes.subarray(0, 1_000));
  await upload.remove();
  await upload.remove();
  await fixture.sweep();
  expect(await announced(guid)).toEqual([STARTED, UPLOAD_FAILED]);
});

test('an abandoned resumable upload announces one failure when it expires', async () => {
  const guid = await fixture.createVideo();
  await open(library, guid, bytes.length);
  const expired = { expires_at: new Date(0), lease_until: null };
  await fixture.database.db.updateTable('upload').set(expired).where('media_id', '=', guid).execute();
  await Promise.all([fixture.sweep(), fixture.sweep()]);
  await fixture.sweep();
  expect(await announced(guid)).toEqual([STARTED, UPLOAD_FAILED]);
});

test('a resumable upload that completes after another upload provided the original announces a failure', async () => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, bytes.length);
  await fixture.call('PUT', `/library/1/videos/${guid}`, { body: bytes });
  expect((await upload.patch(0, bytes)).status).toBe(400);
  expect(await announced(guid)).toEqual([STARTED, QUEUED, UPLOAD_FAILED]);
});

test('a fetch announces queued when its file is stored, and failed when its origin refuses', async () => {
  origin.script(serve(bytes));
  const ask = async () =>
    Object((await fixture.call('POST', '/library/1/videos/fetch', { body: { url: `${origin.url}/film.mp4` } })).body)
      .id;
  await untilAnnounced(await ask(), [QUEUED]);
  // The first request is the check before the fetch is accepted.
  origin.script(serve(bytes), status(404));
  await untilAnnounced(await ask(), [FAILED]);
});

test('two re-encode requests announce queued and processed once more', async () => {
  const guid = await fixture.createVideo();
  await fixture.call('PUT', `/library/1/videos/${guid}`, { body: bytes });
  const key = { libraryId: 1, mediaId: guid };
  await claimProcess(fixture.database.db, key, 'test');
  const change = { state: 'finished' as const };
  await fixture.database.db.updateTable('media').set(change).where('id', '=', guid).execute();
  const reencode = () => fixture.call('POST', `/library/1/videos/${guid}/reencode`);
  expect((await Promise.all([reencode(), reencode()])).map((answer) => answer.status)).toEqual([200, 200]);
  await claimProcess(fixture.database.db, key, 'test');
  expect(await announced(guid)).toEqual([QUEUED, PROCESSING, QUEUED, PROCESSING]);
});

test('a video that is deleted during its upload announces no further event', async () => {
  const guid: Guid = await fixture.createVideo();
  await open(library, guid, bytes.length);
  await fixture.call('DELETE', `/library/1/videos/${guid}`);
  await fixture.sweep();
  expect(await announced(guid)).toEqual([STARTED]);
  expect(await announced(newGuid())).toEqual([]);
});
