import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { CLIENT_ENV, installClients, runClient } from '../support/npm-clients.ts';

// The published packages, unmodified, in processes of their own, as docs/clients.md describes.
const folder = await installClients({
  'bunny-sdk': '0.0.31',
  '@microsoft/kiota-abstractions': '1.0.0-preview.72',
  '@microsoft/kiota-http-fetchlibrary': '1.0.0-preview.72',
  '@seshuk/payload-storage-bunny': '2.1.1',
  '@payloadcms/plugin-cloud-storage': '3.57.0',
  payload: '3.57.0',
  'sanitize-filename': '1.6.3',
  'openapi-fetch': '0.17.0',
  '@hey-api/openapi-ts': '0.99.0',
  typescript: '5.9.3',
});
const REDIRECT = pathToFileURL(path.join(import.meta.dirname, '../../sdk/src/redirect.ts')).href;
const run = promisify(execFile);

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

function env(): Record<string, string> {
  return { URL_OF_SERVICE: api.url, BUNNYNET_STREAM_API_URL: api.url, KEY: api.first.libraryKey };
}

const KIOTA = `
  const videos = stream.library.byLibraryId(1).videos;
  const made = await videos.post({ title: 'A film' });
  const one = videos.byVideoId(made.guid);
  await one.post({ title: 'Renamed' });
  const read = await one.get();
  const listed = await videos.get({ queryParameters: { search: 'Renamed' } });
  const collections = stream.library.byLibraryId(1).collections;
  const collection = await collections.post({ name: 'Films' });
  await one.post({ collectionId: collection.guid });
  const inside = await collections.byCollectionId(collection.guid).get();
  await one.delete();
  const missing = await one.get().then(() => 200, (error) => error.responseStatusCode);
  console.log(JSON.stringify([read.title, listed.totalItems, inside.videoCount, missing]));
`;

test.skipIf(folder === null)(
  'Kiota SDK bunny-sdk with the URL of its adapter',
  async () => {
    const text = `
    import { ApiKeyAuthenticationProvider, ApiKeyLocation } from '@microsoft/kiota-abstractions';
    import { FetchRequestAdapter } from '@microsoft/kiota-http-fetchlibrary';
    import { createStreamApiClient } from 'bunny-sdk/streamApiClient/streamApiClient.js';
    const key = new ApiKeyAuthenticationProvider(process.env.KEY, 'accesskey', ApiKeyLocation.Header);
    const adapter = new FetchRequestAdapter(key);
    adapter.baseUrl = process.env.URL_OF_SERVICE;
    const stream = createStreamApiClient(adapter);
    ${KIOTA}`;
    expect(await runClient(String(folder), { name: 'kiota', text, env: env() })).toEqual(['Renamed', 1, 1, 404]);
  },
  120_000,
);

test.skipIf(folder === null)(
  'Kiota SDK bunny-sdk with redirected fetch',
  async () => {
    const text = `
    import { createStreamApiClient } from 'bunny-sdk';
    const stream = createStreamApiClient({ accessKey: process.env.KEY });
    ${KIOTA}`;
    const ran = await runClient(String(folder), { name: 'kiota-redirect', text, env: env(), imports: REDIRECT });
    expect(ran).toEqual(['Renamed', 1, 1, 404]);
  },
  120_000,
);

test.skipIf(folder === null)(
  'Payload plugin @seshuk/payload-storage-bunny with redirected fetch',
  async () => {
    const text = `
    const dist = './node_modules/@seshuk/payload-storage-bunny/dist';
    const { getHandleUpload } = await import(dist + '/handlers/handleUpload.js');
    const { getHandleDelete } = await import(dist + '/handlers/handleDelete.js');
    const { getStreamVideo, getStreamVideoResolutions } = await import(dist + '/utils/client/index.js');
    const quiet = { debug() {}, error: console.error };
    const streamConfig = { apiKey: process.env.KEY, libraryId: 1, hostname: 'watch.example.com' };
    const context = { streamConfig, prefix: '' };
    const req = { t: (text) => text, payload: { logger: quiet } };
    const file = { filename: 'a film.mp4', mimeType: 'video/mp4', buffer: Buffer.from('bytes of a video') };
    const data = await getHandleUpload(context)({ collection: {}, data: {}, file, req });
    const videoId = data.bunnyVideoId;
    const read = await getStreamVideo({ streamConfig, videoId });
    const sizes = await getStreamVideoResolutions({ streamConfig, videoId });
    const doc = { id: 1, filename: file.filename, bunnyVideoId: videoId };
    await getHandleDelete(context)({ collection: {}, doc, filename: file.filename, req });
    const missing = await getStreamVideo({ streamConfig, videoId }).then(() => 'there', () => 'gone');
    console.log(JSON.stringify([read.title, typeof sizes, missing]));`;
    const ran = await runClient(String(folder), { name: 'payload', text, env: env(), imports: REDIRECT });
    expect(ran).toEqual(['a film.mp4', 'object', 'gone']);
  },
  120_000,
);

test.skipIf(folder === null)(
  'clients that are generated from the OpenAPI document',
  async () => {
    const at = (name: string) => path.join(String(folder), name);
    // The service serves this document at /docs/openapi.json.
    const document = path.join(import.meta.dirname, '../../docs/openapi.json');
    const words = ['-i', document, '-o', at('generated'), '--silent'];
    const program = at('node_modules/@hey-api/openapi-ts/bin/run.js');
    await run(process.execPath, [program, ...words], { cwd: String(folder), env: CLIENT_ENV });
    const bundle = await rolldown({ input: at('generated/sdk.gen.ts'), platform: 'node' });
    await bundle.write({ file: at('generated/sdk.mjs') });
    await bundle.close();
    const text = `
    import createClient from 'openapi-fetch';
    import * as generated from './generated/sdk.mjs';
    const headers = { AccessKey: process.env.KEY };
    const path = { libraryId: 1 };
    const plain = createClient({ baseUrl: process.env.URL_OF_SERVICE, headers });
    const made = await plain.POST('/library/{libraryId}/videos', { params: { path }, body: { title: 'Plain' } });
    const options = { baseUrl: process.env.URL_OF_SERVICE, headers, path };
    const other = await generated.createVideo({ ...options, body: { title: 'Generated' } });
    const listed = await generated.listVideos({ ...options, query: { orderBy: 'title' } });
    for (const { data } of [made, other]) {
      await generated.deleteVideo({ ...options, path: { ...path, videoId: data.guid } });
    }
    console.log(JSON.stringify([listed.data.items.map(({ title }) => title), made.response.status]));`;
    const ran = await runClient(String(folder), { name: 'generated', text, env: env() });
    expect(ran).toEqual([['Generated', 'Plain'], 200]);
  },
  240_000,
);
