import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BunnyCdnStream } from 'bunnycdn-stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

/** The client as its users have it; only its base address is ours, set the way the client leaves open. */
function createClient(apiKey: string, prefixUrl: string): BunnyCdnStream {
  const client = new BunnyCdnStream({ apiKey, videoLibrary: '1' });
  Reflect.set(client, 'ky', Reflect.get(client, 'ky').extend({ prefixUrl, retry: 0 }));
  return client;
}

let api: TestApi;
let stream: BunnyCdnStream;
beforeAll(async () => {
  api = await startTestApi();
  stream = createClient(api.first.libraryKey, api.url);
});
afterAll(() => api.stop());

test('bunnycdn-stream creates, reads, lists, updates and deletes videos', async () => {
  const video = await stream.createVideo({ title: 'By a client' });
  expect(video).toMatchObject({ title: 'By a client', statusName: 'Created', videoLibraryId: 1 });
  await stream.updateVideo(video.guid, { title: 'Renamed', metaTags: [{ property: 'k', value: 'v' }] });
  expect(await stream.getVideo(video.guid)).toMatchObject({
    title: 'Renamed',
    metaTags: [{ property: 'k', value: 'v' }],
  });
  await stream.createVideo({ title: 'Another' });
  expect((await stream.listVideos({ search: 'renam' })).items.map(({ guid }) => guid)).toEqual([video.guid]);
  expect((await stream.listAllVideos({ itemsPerPage: 1 })).map(({ title }) => title)).toEqual(['Another', 'Renamed']);
  expect(await stream.deleteVideo(video.guid)).toMatchObject({ success: true, statusCode: 200 });
  await expect(stream.getVideo(video.guid)).rejects.toMatchObject({ code: 404 });
});

test('bunnycdn-stream uploads a file as a stream and encodes it again', async () => {
  const file = path.join(tmpdir(), `mr-client-${process.pid}.mp4`);
  await writeFile(file, 'not a video, but bytes');
  const video = await stream.createAndUploadVideo(createReadStream(file), { title: 'Uploaded' });
  expect(await stream.getVideo(video.guid)).toMatchObject({ statusName: 'Uploaded', storageSize: 22 });
  expect(await stream.reencodeVideo(video.guid)).toMatchObject({ statusName: 'Uploaded' });
});

test('bunnycdn-stream handles collections', async () => {
  const { guid } = await stream.createCollection('By a client');
  await stream.updateCollection(guid, { name: 'Renamed' });
  expect(await stream.getCollection(guid)).toMatchObject({ name: 'Renamed', videoCount: 0 });
  expect((await stream.listAllCollections()).map(({ name }) => name)).toEqual(['Renamed']);
  await stream.deleteCollection(guid);
  await expect(stream.getCollection(guid)).rejects.toMatchObject({ code: 404 });
});

test('bunnycdn-stream learns that its key is not valid', async () => {
  const stranger = createClient('wrong', api.url);
  await expect(stranger.listVideos()).rejects.toMatchObject({ code: 401 });
});
