import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { addRows } from '../support/rendition-rows.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const RENDITIONS = [{ rung: 240 }, { rung: 720 }, { rung: 720, codec: 'vp9' }, { rung: 1440 }, { rung: null }];

/** Creates a finished video of 1000 bytes with renditions of 101 bytes each. */
async function createFinished(): Promise<Guid> {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'Stored' } });
  // The GUID comes from our own response.
  const guid = String(Object(body).guid) as Guid;
  await addRows(api.database.db, guid, RENDITIONS);
  await api.database.db
    .updateTable('media')
    .set({ state: 'finished', source_key: `1/${guid}/source/x` as StorageKey, source_bytes: 1000, storage_bytes: 1505 })
    .where('id', '=', guid)
    .execute();
  return guid;
}
const clean = (guid: string, query: string, options = {}) =>
  api.call('POST', `/library/1/videos/${guid}/resolutions/cleanup?${query}`, options);
const read = async (guid: string) => Object((await api.call('GET', `/library/1/videos/${guid}`)).body);
const info = async (guid: string, what: 'resolutions' | 'storage') =>
  Object((await api.call('GET', `/library/1/videos/${guid}/${what}`)).body);
const namesIn = (list: { resolution: string }[]) => new Set(list.map(({ resolution }) => resolution));

test('reports shown, configured, stored and MP4 resolutions', async () => {
  const guid = await createFinished();
  const answer = await info(guid, 'resolutions');
  expect(answer).toMatchObject({ success: true, message: 'OK', statusCode: 200 });
  const { data } = answer;
  expect(data).toMatchObject({
    videoId: guid,
    videoLibraryId: 1,
    availableResolutions: ['240p', '720p', '1440p'],
    configuredResolutions: ['240p', '360p', '480p', '720p', '1080p'],
    mp4Resolutions: [
      { resolution: '240p', path: 'play_240p.mp4' },
      { resolution: '720p', path: 'play_720p.mp4' },
    ],
    oldResolutions: [],
    hasBothOldAndNewResolutionFormat: false,
    hasOriginal: true,
  });
  expect(data.playlistResolutions.map(({ resolution }: { resolution: string }) => resolution)).toEqual([
    '1440p',
    '720p',
    '720p',
    '240p',
  ]);
  expect(data.playlistResolutions[2]).toEqual({
    resolution: '720p',
    path: expect.stringMatching(/^r\/[0-9a-f-]{36}\/video\.m3u8$/),
  });
  expect(data.playlistResolutions[0]).toEqual({ resolution: '1440p', path: '1440p/video.m3u8' });
  expect(data.storageResolutions).toHaveLength(4);
  expect(data.storageObjects).toHaveLength(5);
  expect(data.storageObjects[0]).toMatchObject({ isDirectory: true, length: 101, path: `/1/${guid}/` });
});

test('reports storage per rendition, which adds up to the total', async () => {
  const guid = await createFinished();
  const { data } = await info(guid, 'storage');
  expect(Object.values(data.encoded)).toEqual([
    { codec: 'x264', resolution: '1440p', size: 101 },
    { codec: 'x264', resolution: '720p', size: 101 },
    { codec: 'vp9', resolution: '720p', size: 101 },
    { codec: 'x264', resolution: '240p', size: 101 },
    { codec: 'aac', resolution: null, size: 101 },
  ]);
  expect(data).toMatchObject({ thumbnails: 0, previews: 0, originals: 1000, mp4Fallback: 0, miscellaneous: 0 });
  expect(data.calculatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
});

test('counts the storage of images as thumbnails or previews', async () => {
  const guid = await createFinished();
  const rows = [
    ['thumbnail_1.jpg', 'thumbnail', 20],
    ['seek/_0.jpg', 'thumbnail', 300],
    ['preview.webp', 'preview', 4000],
  ] as const;
  for (const [name, use, sizeBytes] of rows) {
    const key = `1/${guid}/pictures/x/${name}` as StorageKey;
    const row = { library_id: 1, media_id: guid, storage_key: key, use, size_bytes: sizeBytes };
    await api.database.db.insertInto('image').values(row).execute();
  }
  const { data } = await info(guid, 'storage');
  expect(data).toMatchObject({ thumbnails: 320, previews: 4000, miscellaneous: 0 });
});

describe('a cleanup', () => {
  test.each([
    ['resolutionsToDelete=720p', '240p,1440p', 'x264,vp9'],
    ['resolutionsToDelete=%20720P,240', '1440p', 'x264'],
    ['deleteNonConfiguredResolutions=true', '240p,720p', ''],
    ['RESOLUTIONSTODELETE=1440p&outputs=all', '240p,720p', ''],
  ])('a cleanup with %s keeps %s', async (query, left) => {
    const guid = await createFinished();
    const dry = await clean(guid, `${query}&dryRun=true`);
    expect(dry.body).toMatchObject({
      success: true,
      message: expect.stringMatching(/^Would delete .*x264.* bytes\.$/),
    });
    expect((await read(guid)).availableResolutions).toBe('240p,720p,1440p');
    expect((await clean(guid, query)).body).toEqual({ success: true, message: 'OK', statusCode: 200 });
    const video = await read(guid);
    expect(video).toMatchObject({ availableResolutions: left, status: 4, hasOriginal: true });
    // Active players may read retired objects for a day. Retired objects no longer count as storage.
    const gone = Number(/ (\d+) bytes\.$/.exec(Object(dry.body).message)?.[1]);
    expect(video.storageSize).toBe(1505 - gone);
    const { items } = Object((await api.call('GET', '/library/1/videos?itemsPerPage=1')).body);
    expect(items).toMatchObject([{ guid, storageSize: 1505 - gone }]);
    const { data: lists } = await info(guid, 'resolutions');
    expect(namesIn(lists.storageResolutions)).toEqual(new Set(left.split(',')));
    expect(namesIn(lists.playlistResolutions)).toEqual(new Set(left.split(',')));
    expect(lists.storageObjects).toHaveLength(lists.storageResolutions.length + 1);
    const { data } = await info(guid, 'storage');
    const sums = Object.values<{ size: number }>(data.encoded).reduce((sum, { size }) => sum + size, 0);
    expect(sums + data.miscellaneous + data.originals).toBe(1505 - gone);
    expect((await clean(guid, query)).body).toMatchObject({ success: true });
    expect((await read(guid)).availableResolutions).toBe(left);
  });

  test('removing all resolutions also removes the audio and keeps the original for encoding', async () => {
    const guid = await createFinished();
    await clean(guid, 'allResolutions=true');
    expect(await read(guid)).toMatchObject({ availableResolutions: '', hasOriginal: true, status: 4 });
    expect((await api.call('GET', `/library/1/videos/${guid}/play`)).body).toMatchObject({ isPlaylistPlayable: false });
    expect((await api.call('POST', `/library/1/videos/${guid}/reencode`)).status).toBe(200);
  });

  test('removes the original, after which nothing can be encoded again', async () => {
    const guid = await createFinished();
    await clean(guid, 'deleteOriginal=true');
    expect(await read(guid)).toMatchObject({ hasOriginal: false, availableResolutions: '240p,720p,1440p' });
    const retired = await api.database.db
      .selectFrom('retired_object')
      .selectAll()
      .where('media_id', '=', guid)
      .execute();
    expect(retired).toMatchObject([{ storage_key: `1/${guid}/source/x`, size_bytes: 1000 }]);
    expect((await info(guid, 'storage')).data).toMatchObject({ originals: 0, miscellaneous: 0 });
    expect((await read(guid)).storageSize).toBe(505);
    const again = await api.call('POST', `/library/1/videos/${guid}/reencode`);
    expect([again.status, again.text]).toEqual([400, '']);
  });

  test('MP4 files use no storage', async () => {
    const guid = await createFinished();
    const answer = await clean(guid, 'deleteMp4Files=true');
    expect(answer.body).toMatchObject({ success: true, message: expect.stringContaining('none is stored') });
    await clean(guid, 'allResolutions=true&outputs=mp4');
    expect((await read(guid)).availableResolutions).toBe('240p,720p,1440p');
  });
});

test('a cleanup reduces the storage counts of library and collection', async () => {
  const collection = Object((await api.call('POST', '/library/1/collections', { body: { name: 'Stored' } })).body);
  const guid = await createFinished();
  await api.call('POST', `/library/1/videos/${guid}`, { body: { collectionId: collection.guid } });
  const usage = async () => {
    const library = await api.call('GET', '/videolibrary/1', { key: api.first.accountKey });
    const kept = await api.call('GET', `/library/1/collections/${collection.guid}`);
    return [Object(library.body).StorageUsage, Object(kept.body).totalSize];
  };
  const [before, whole] = await usage();
  expect(whole).toBe(1505);
  await clean(guid, 'resolutionsToDelete=240p');
  await clean(guid, 'deleteOriginal=true');
  expect(await usage()).toEqual([before - 1101, 404]);
});

describe('cleanups that are refused', () => {
  test.each([
    ['', /got none/],
    ['resolutionsToDelete=,,', /got none/],
    ['resolutionsToDelete=721p', /got "721p"/],
    ['resolutionsToDelete=240p,<b>', /got "<b>"/],
    ['resolutionsToDelete=240p&outputs=dash', /one of hls, mp4, all/],
    ['resolutionsToDelete=240p,720p,1440p', /at least one resolution to remain/],
    ['allResolutions=true&deleteOriginal=true', /Delete the video instead/],
  ])('refuses a cleanup with the query "%s", and changes nothing', async (query, message) => {
    const guid = await createFinished();
    const answer = await clean(guid, query);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ success: false, message: expect.stringMatching(message), statusCode: 400 });
    expect(await read(guid)).toMatchObject({ availableResolutions: '240p,720p,1440p', hasOriginal: true });
  });

  test('refuses a cleanup of a processing or unknown video, or with a read-only key', async () => {
    const guid = await createFinished();
    await api.database.db.updateTable('media').set({ state: 'transcoding' }).where('id', '=', guid).execute();
    expect((await clean(guid, 'deleteOriginal=true')).body).toMatchObject({ success: false, statusCode: 400 });
    expect((await clean(newGuid(), 'deleteOriginal=true')).status).toBe(404);
    expect((await clean(guid, 'deleteOriginal=true', { key: api.first.readOnlyKey })).status).toBe(403);
    expect((await api.call('GET', `/library/1/videos/${newGuid()}/storage`)).status).toBe(404);
    expect((await api.call('GET', `/library/1/videos/${newGuid()}/resolutions`)).status).toBe(404);
    expect((await api.call('GET', `/library/1/videos/${guid}/storage`, { key: api.second.key })).status).toBe(401);
    const readOnly = { key: api.first.readOnlyKey };
    expect((await api.call('GET', `/library/1/videos/${guid}/resolutions`, readOnly)).status).toBe(200);
  });
});
