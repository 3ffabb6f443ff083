import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visibility } from '../../src/catalog/visibility.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

/** Creates a stream whose recording is a video with another visibility. */
async function recorded(isPublic: boolean, visibility: Visibility): Promise<string> {
  const { body } = await api.call('POST', '/library/1/live', { body: { title: 'Talk', public: isPublic } });
  const { guid } = Object(body);
  const { db } = api.database;
  await db
    .updateTable('media')
    .set({ type: 'video', visibility })
    .where('id', '=', guid as Guid)
    .execute();
  return guid;
}

test('the play data of a stream whose recording is private needs a token, in a zone with tokens too', async () => {
  const guid = await recorded(true, 'private');
  const play = (query = '') => api.call('GET', `/library/1/live/${guid}/play${query}`, { key: null });
  expect((await play()).status).toBe(403);
  const settings = JSON.stringify({ tokenRequired: true });
  await api.database.db.updateTable('pull_zone').set({ settings }).where('library_id', '=', 1).execute();
  expect((await play()).status).toBe(403);
  const expires = Math.floor(Date.now() / 1000) + 600;
  const token = createHash('sha256').update(`${api.first.libraryKey}${guid}${expires}`).digest('hex');
  expect(await play(`?token=${token}&expires=${expires}`)).toMatchObject({
    status: 200,
    body: { tokenAuthEnabled: true, videoPlaylistUrl: expect.stringContaining('bcdn_token=') },
  });
  expect((await api.call('GET', `/library/1/live/${guid}`)).body).toMatchObject({
    playbackUrlHls: expect.stringContaining('bcdn_token='),
  });
});

test('the play data of a stream that was not public needs no token once its recording is public', async () => {
  const guid = await recorded(false, 'public');
  expect((await api.call('GET', `/library/1/live/${guid}/play`, { key: null })).status).toBe(200);
});
