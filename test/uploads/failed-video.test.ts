import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Origin, serve, startOrigin } from './origin.ts';
import { open } from './tus-client.ts';
import { startUploadFixture, type UploadFixture } from './upload-fixture.ts';

let fixture: UploadFixture;
let origin: Origin;
beforeAll(async () => {
  [fixture, origin] = await Promise.all([startUploadFixture(), startOrigin()]);
  await fixture.startWorker();
});
afterAll(async () => {
  await fixture.stop();
  await origin.stop();
  expect(fixture.faults).toEqual([]);
});

const file = randomBytes(300_000);

test.each(['put', 'tus', 'fetch'])(
  'accepts a new file via %s for a video whose first file was unusable',
  async (method) => {
    origin.script(serve(file));
    const guid = await fixture.createVideo();
    const { db } = fixture.database;
    const path = `/library/1/videos/${guid}`;
    await fixture.call('PUT', path, { body: Buffer.from('no video at all') });
    const first = await fixture.loadRow(guid);
    await db.updateTable('media').set({ state: 'failed', state_reason: 'not-media' }).where('id', '=', guid).execute();
    if (method === 'put') expect((await fixture.call('PUT', path, { body: file })).status).toBe(200);
    if (method === 'fetch') {
      const { status: answered } = await fixture.call('POST', `${path}/fetch`, { body: { url: `${origin.url}/a` } });
      expect(answered).toBe(200);
    }
    if (method === 'tus') {
      const library = { url: fixture.url, libraryId: 1, key: fixture.first.libraryKey };
      const upload = await open(library, guid, file.length);
      // Until the other file is stored, the video stays unchanged.
      expect(await fixture.loadVideo(guid)).toMatchObject({ status: 5 });
      expect((await upload.patch(0, file)).status).toBe(204);
    }
    const taken = async () => expect(await fixture.loadVideo(guid)).toMatchObject({ status: 1 });
    await vi.waitFor(taken, { timeout: 20_000, interval: 50 });
    expect((await fixture.storedSource(guid)).equals(file)).toBe(true);
    expect(await fixture.countJobs('process-video', guid)).toBe(2);
    const retired = await db.selectFrom('retired_object').select('storage_key').where('media_id', '=', guid).execute();
    expect(retired).toEqual([{ storage_key: first.source_key }]);
  },
);
