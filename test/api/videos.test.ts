import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Guid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { addRows } from '../support/rendition-rows.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const OK = { success: true, message: 'OK', statusCode: 200 };

async function createVideo(title: string, more: object = {}): Promise<string> {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title, ...more } });
  return String(Object(body).guid);
}

async function getVideo(guid: string): Promise<Record<string, unknown>> {
  return Object((await api.call('GET', `/library/1/videos/${guid}`)).body);
}

test('lists a resolution as soon as players are offered it, before it is complete', async () => {
  const { db } = api.database;
  const guid = (await createVideo('Encoding')) as Guid;
  await addRows(db, guid, [{ rung: 240 }, { rung: 720 }, { rung: null }]);
  const renditions = await db.selectFrom('rendition').selectAll().where('media_id', '=', guid).execute();
  await db.updateTable('media').set({ state: 'transcoding' }).where('id', '=', guid).execute();
  await db
    .updateTable('rendition')
    .set({ state: 'building', init: Buffer.alloc(1) })
    .where('media_id', '=', guid)
    .execute();
  /** Leaves a rendition without its first segment. */
  const loseStart = async (rung: number | null) => {
    const ids = renditions.filter((rendition) => rendition.rung === rung).map(({ id }) => id);
    await db.updateTable('chunk').set({ first_segment: 5 }).where('rendition_id', 'in', ids).execute();
  };
  await loseStart(720);
  expect(await getVideo(guid)).toMatchObject({ status: 3, availableResolutions: '240p', hasMP4Fallback: false });
  await loseStart(null);
  expect(await getVideo(guid)).toMatchObject({ status: 3, availableResolutions: '' });
});

test('a new video has every field of its model and waits for its upload', async () => {
  const { status, body } = await api.call('POST', '/library/1/videos', { body: { Title: 'First', unknown: 1 } });
  expect(status).toBe(200);
  expect(body).toEqual({
    videoLibraryId: 1,
    guid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    title: 'First',
    description: null,
    dateUploaded: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/),
    views: 0,
    isPublic: false,
    visibility: 'public',
    length: 0,
    status: 0,
    framerate: 0,
    rotation: null,
    width: 0,
    height: 0,
    availableResolutions: '',
    outputCodecs: 'x264',
    thumbnailCount: 0,
    encodeProgress: 0,
    storageSize: 0,
    captions: [],
    hasMP4Fallback: false,
    collectionId: '',
    thumbnailFileName: 'thumbnail.jpg',
    thumbnailBlurhash: null,
    averageWatchTime: 0,
    totalWatchTime: 0,
    category: null,
    chapters: [],
    moments: [],
    metaTags: [],
    transcodingMessages: [],
    jitEncodingEnabled: false,
    smartGenerateStatus: null,
    hasOriginal: false,
    originalHash: null,
    thumbnailUrl: null,
    smartGenerateFeaturesStatus: null,
    hasHighQualityPreview: false,
  });
});

test('an update changes only the fields that it contains, and replaces lists completely', async () => {
  const guid = await createVideo('Before');
  const path = `/library/1/videos/${guid}`;
  const first = { metaTags: [{ property: 'a', value: '1' }], chapters: [{ title: 'Intro', start: 0, end: 9 }] };
  expect((await api.call('POST', path, { body: first })).body).toEqual(OK);
  const second = { title: 'After', METATAGS: [{ Property: 'b', Value: '2' }], moments: [{ label: 'x', timestamp: 3 }] };
  await api.call('POST', path, { body: second });
  expect(await getVideo(guid)).toMatchObject({
    title: 'After',
    metaTags: [{ property: 'b', value: '2' }],
    chapters: [{ title: 'Intro', start: 0, end: 9 }],
    moments: [{ label: 'x', timestamp: 3 }],
  });
});

test('an update sets the description and category; null keeps them, and an empty string removes them', async () => {
  const path = `/library/1/videos/${await createVideo('Described')}`;
  const set = (change: object) => api.call('POST', path, { body: change });
  const read = async () => {
    const { body } = await api.call('GET', path);
    return [Object(body).description, Object(body).category];
  };
  expect((await set({ description: ' **Boats**\nat dawn ', category: 'Documentary' })).body).toEqual(OK);
  expect(await read()).toEqual(['**Boats**\nat dawn', 'Documentary']);
  // Clients that send the whole model back send null for fields that they do not know.
  await set({ title: 'Renamed', description: null, category: null });
  expect(await read()).toEqual(['**Boats**\nat dawn', 'Documentary']);
  expect((await set({ description: 'x'.repeat(5_001) })).status).toBe(400);
  await set({ description: '', category: ' ' });
  expect(await read()).toEqual([null, null]);
});

test('rejects chapters outside the video, and ends a chapter at the next one by default', async () => {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'Marked' } });
  const path = `/library/1/videos/${Object(body).guid}`;
  const set = (change: object) => api.call('POST', path, { body: change });
  const outside = await set({ chapters: [{ title: 'One', start: 5, end: 2 }] });
  expect(outside).toMatchObject({
    status: 400,
    body: { success: false, statusCode: 400, message: expect.stringContaining('chapters[0].end') },
  });
  expect((await set({ moments: [{ label: 'Before', timestamp: -1 }] })).status).toBe(400);
  expect((await set({ chapters: [{ title: 'One' }, { title: 'Two', start: 7 }] })).status).toBe(200);
  expect(Object((await api.call('GET', path)).body).chapters).toEqual([
    { title: 'One', start: 0, end: 7 },
    { title: 'Two', start: 7, end: 7 },
  ]);
  await api.database.db.updateTable('media').set({ duration_ms: 10_000 }).where('id', '=', Object(body).guid).execute();
  const beyond = await set({ chapters: [{ title: 'One', start: 5, end: 11 }] });
  expect([beyond.status, Object(beyond.body).message]).toEqual([400, expect.stringContaining('(0 to 10 s), got 11 s')]);
  expect((await set({ moments: [{ label: 'Beyond', timestamp: 11 }] })).status).toBe(400);
});

test('deleting a video queues the deletion of its files and reduces the video count of the library', async () => {
  const guid = await createVideo('Short lived');
  const before = Object((await api.call('GET', '/library/1/videos')).body).totalItems;
  const path = `/library/1/videos/${guid}`;
  expect((await api.call('DELETE', path, { headers: { 'Content-Type': 'application/json' } })).body).toEqual(OK);
  expect((await api.call('GET', path)).status).toBe(404);
  expect((await api.call('DELETE', path)).status).toBe(404);
  expect(Object((await api.call('GET', '/library/1/videos')).body).totalItems).toBe(before - 1);
  const jobs = (await api.queue.sent()).filter(({ name }) => name === 'delete-media');
  expect(jobs.map(({ payload }) => payload)).toEqual([{ libraryId: 1, mediaId: guid, prefix: `1/${guid}/` }]);
});

test('the list refuses a misspelt visibility, which would otherwise match every video', async () => {
  const list = (visibility: string) => api.call('GET', `/library/1/videos?visibility=${visibility}`);
  expect(await list('secret')).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('one of public, unlisted, private, got "secret"') },
  });
  expect((await list('Private')).body).toMatchObject({ totalItems: 0 });
  expect((await list('')).status).toBe(200);
});
