import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const OK = { success: true, message: 'OK', statusCode: 200 };

async function create(kind: 'videos' | 'collections', body: object): Promise<string> {
  return String(Object((await api.call('POST', `/library/1/${kind}`, { body })).body).guid);
}

const collection = async (id: string) => Object((await api.call('GET', `/library/1/collections/${id}`)).body);

test('counts no videos in a new collection', async () => {
  const { status, body } = await api.call('POST', '/library/1/collections', { body: { name: 'New' } });
  expect(status).toBe(200);
  expect(body).toEqual({
    videoLibraryId: 1,
    guid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'New',
    videoCount: 0,
    totalSize: 0,
    previewVideoIds: null,
    previewImageUrls: [],
  });
});

test('updates the counts of a collection as videos are added, moved and deleted', async () => {
  const [a, b] = [await create('collections', { name: 'A' }), await create('collections', { name: 'B' })];
  const [one, two] = [
    await create('videos', { title: 'one', collectionId: a }),
    await create('videos', { title: 'two', collectionId: a.toUpperCase() }),
  ];
  expect(await collection(a)).toMatchObject({ videoCount: 2, previewVideoIds: `${two},${one}` });
  await api.call('POST', `/library/1/videos/${one}`, { body: { collectionId: b } });
  expect([(await collection(a)).videoCount, (await collection(b)).videoCount]).toEqual([1, 1]);
  await api.call('POST', `/library/1/videos/${two}`, { body: { collectionId: '' } });
  await api.call('DELETE', `/library/1/videos/${one}`);
  expect([(await collection(a)).videoCount, (await collection(b)).videoCount]).toEqual([0, 0]);
  const unknown = { body: { collectionId: '00000000-0000-0000-0000-000000000000' } };
  expect((await api.call('POST', `/library/1/videos/${two}`, unknown)).status).toBe(404);
});

test('limits a list to one collection, and lists nothing for an invalid filter', async () => {
  const id = await create('collections', { name: 'Filter' });
  const video = await create('videos', { title: 'inside', collectionId: id });
  const list = async (filter: string) => (await api.call('GET', `/library/1/videos?collection=${filter}`)).body;
  expect(await list(id)).toMatchObject({ totalItems: 1, items: [{ guid: video, collectionId: id }] });
  expect(await list('garbage')).toMatchObject({ totalItems: 0, items: [] });
});

test('keeps the videos of a deleted collection', async () => {
  const id = await create('collections', { name: 'Ends' });
  const video = await create('videos', { title: 'stays', collectionId: id });
  expect((await api.call('DELETE', `/library/1/collections/${id}`)).body).toEqual(OK);
  expect((await api.call('GET', `/library/1/collections/${id}`)).status).toBe(404);
  expect((await api.call('GET', `/library/1/videos/${video}`)).body).toMatchObject({ collectionId: '' });
});

test('keeps counts correct if videos move while their collections are deleted', async () => {
  const ids = await Promise.all(['x', 'y', 'z'].map((name) => create('collections', { name })));
  const videos = await Promise.all(ids.map((collectionId) => create('videos', { title: 'moves', collectionId })));
  const moves = videos.flatMap((video) =>
    ids.map((collectionId) => api.call('POST', `/library/1/videos/${video}`, { body: { collectionId } })),
  );
  const ends = ids.slice(1).map((id) => api.call('DELETE', `/library/1/collections/${id}`));
  const statuses = (await Promise.all([...moves, ...ends])).map(({ status }) => status);
  expect(statuses.every((status) => status === 200 || status === 404)).toBe(true);
  const kept = ids[0] ?? '';
  const inKept = await Promise.all(
    videos.map(async (id) => Object((await api.call('GET', `/library/1/videos/${id}`)).body)),
  );
  expect(inKept.every(({ collectionId }) => collectionId === kept || collectionId === '')).toBe(true);
  expect((await collection(kept)).videoCount).toBe(inKept.filter(({ collectionId }) => collectionId === kept).length);
});

test('renames a collection, and searches and sorts the list by name', async () => {
  const id = await create('collections', { name: 'zebra before' });
  expect((await api.call('POST', `/library/1/collections/${id}`, { body: { name: 'zebra after' } })).body).toEqual(OK);
  await create('collections', { name: 'ZEBRA a' });
  const { body } = await api.call('GET', '/library/1/collections?search=zebra&orderBy=name&includeThumbnails=true');
  expect(Object(body).items.map(({ name }: { name: string }) => name)).toEqual(['ZEBRA a', 'zebra after']);
  expect(body).toMatchObject({ totalItems: 2, items: [{ previewImageUrls: [] }, { previewImageUrls: [] }] });
});
