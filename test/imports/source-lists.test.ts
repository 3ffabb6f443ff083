import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ListedItem } from '../../src/catalog/imports/listed-item.ts';
import type { SourceRequest } from '../../src/jobs/imports/import-source.ts';
import { createSourceClient, fileAt } from '../../src/jobs/imports/source-client.ts';
import { importSources } from '../../src/jobs/imports/sources/all.ts';
import { closeServer, listen } from '../../src/lib/listen.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { createSourceReader } from './create-source-reader.ts';
import { makeFiles } from './import-fixture.ts';
import { scriptVimeo } from './script-vimeo.ts';
import { missing, startScriptedApi } from './scripted-api.ts';
import { scriptCloudflare } from './scripted-sources.ts';
import { SOURCE_ACCOUNT_KEY, scriptedGuid, startScriptedStream } from './scripted-stream.ts';

const { signal } = new AbortController();
const outbound = createOutbound({ allow: ['127.0.0.1/32'] });
const client = createSourceClient(outbound);
const { listAll, locate } = createSourceReader();
const NOTHING: SourceRequest = {
  apiUrl: '',
  coreUrl: null,
  accessKey: null,
  accountKey: null,
  libraryId: null,
  cdnUrl: null,
  securityKey: null,
  referrer: null,
  account: null,
  secretKey: null,
  bucket: null,
  prefix: null,
  region: null,
  storage: null,
  preparedMs: null,
  items: [],
};

let files: Awaited<ReturnType<typeof makeFiles>>;
beforeAll(async () => {
  files = await makeFiles();
});
afterAll(() => outbound.close());

test('reads the keys of a bunny library from the account, and signs its files', async () => {
  const source = await startScriptedStream({ libraries: 1, videos: 12, pageItems: 5, ...files });
  onTestFinished(() => source.stop());
  const access = { apiUrl: source.url, coreUrl: source.url, accountKey: SOURCE_ACCOUNT_KEY, libraryId: 1 };
  const wanted = { ...NOTHING, ...access, cdnUrl: `${source.url}/cdn` };
  const request = await importSources.bunny.prepare(wanted, client, signal);
  const items = await listAll('bunny', request);
  expect(items.length).toBe(14);
  const first = items.find(({ title }) => title === 'Video 0');
  expect(first).toMatchObject({ video: { uploadedAt: '2024-01-01T10:00:00.000Z', views: 100, watchSec: 1_000 } });
  const located = await locate('bunny', request, first);
  const [file = { url: '', headers: {} }] = located.files;
  expect(await client.probe(file, signal)).toMatchObject({ isThere: true, sizeBytes: files.clip.length });
  expect(await client.measure(file, signal)).toBeGreaterThan(1_000);
});

const WAITING = { guid: scriptedGuid('waiting'), status: 0, thumbnailUrl: null };
const READY = { ...WAITING, guid: scriptedGuid('ready'), status: 4 };

test.each([
  ['no video', [], null],
  [
    'a thumbnail',
    [WAITING, { ...READY, thumbnailUrl: `https://cdn.example.com/${READY.guid}/a.jpg` }],
    'https://cdn.example.com',
  ],
  ['audio without a thumbnail', [WAITING, READY], 'https://play.example.com'],
])('finds the URL of the files of a library with %s', async (_what, videos, cdnUrl) => {
  const playlist = `https://play.example.com/bcdn_token=x&expires=1/${READY.guid}/playlist.m3u8`;
  const api = await startScriptedApi(({ path }) =>
    path === `/library/1/videos/${READY.guid}/play`
      ? { json: { videoPlaylistUrl: playlist } }
      : { json: { items: videos } },
  );
  onTestFinished(() => api.stop());
  const wanted = { ...NOTHING, apiUrl: api.url, accessKey: 'key', libraryId: 1 };
  expect((await importSources.bunny.prepare(wanted, client, signal)).cdnUrl).toBe(cdnUrl);
});

test('lists all Cloudflare videos if they fill several pages, each at least once', async () => {
  const api = await startScriptedApi(scriptCloudflare(files, 520));
  onTestFinished(() => api.stop());
  const items = await listAll('cloudflare', { ...NOTHING, apiUrl: api.url, account: 'account', accessKey: 'token' });
  expect(new Set(items.map(({ sourceId }) => sourceId)).size).toBe(520);
});

test('replaces an expired Vimeo link by locating the file again', async () => {
  const api = await startScriptedApi(scriptVimeo(files));
  onTestFinished(() => api.stop());
  const request = { ...NOTHING, apiUrl: api.url, accessKey: 'token' };
  // Each page names the folders of its videos again.
  const listed = await listAll('vimeo', request);
  const items = [...new Map(listed.map((item) => [item.sourceId, item])).values()];
  expect(items.map(({ title }) => title)).toEqual(['Folder five', 'Film 101', 'Film 102', 'Film 103', 'Film 104']);
  const probe = async ({ files: [file] }: Awaited<ReturnType<typeof locate>>) =>
    file !== undefined && (await client.probe(file, signal)).isThere;
  const located = await locate('vimeo', request, items[1]);
  expect([await probe(located), await probe(located)]).toEqual([true, false]);
  expect(await probe(await locate('vimeo', request, items[1]))).toBe(true);
});

test.each([
  ['a time in s since 1970', () => ({ 'X-RateLimit-Reset': String(Math.floor(Date.now() / 1_000) + 7) }), /[67] s/],
  ['a date', () => ({ 'Retry-After': new Date(Date.now() + 9_000).toUTCString() }), /[89] s/],
  ['seconds', () => ({ 'Retry-After': '12' }), /12 s/],
  ['more than the limit', () => ({ 'Retry-After': '100000' }), /300 s/],
])('waits as long as a busy source requests with %s', async (_what, headers, pause) => {
  const api = await startScriptedApi(scriptVimeo(files));
  onTestFinished(() => api.stop());
  api.fail(/me\/projects/, 429, headers());
  await expect(listAll('vimeo', { ...NOTHING, apiUrl: api.url, accessKey: 'token' })).rejects.toThrow(pause);
});

const S3: SourceRequest = { ...NOTHING, bucket: 'films', accessKey: 'id', secretKey: 'secret', prefix: '/' };

/** Serves a bucket. `encoding` is the element by which a store confirms that keys are encoded. */
async function scriptBucket(keys: readonly string[], encoding: string, texts: Record<string, string>) {
  const prefixes: (string | null)[] = [];
  const api = await startScriptedApi(({ path, query }) => {
    if (path === '/films') {
      prefixes.push(query.get('prefix'));
      const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>9</Size></Contents>`).join('');
      return { bytes: Buffer.from(`<ListBucketResult>${encoding}${contents}</ListBucketResult>`) };
    }
    const text = texts[decodeURIComponent(path.slice('/films/'.length))];
    return text === undefined ? missing : { bytes: Buffer.from(text) };
  });
  onTestFinished(() => api.stop());
  return { request: { ...S3, apiUrl: api.url }, prefixes };
}

test('decodes keys only if the store encoded them, and lists the whole bucket with the prefix /', async () => {
  const plain = await scriptBucket(['a+b.mp4', '100%.mp4'], '', {});
  const titles = (items: readonly ListedItem[]) => items.map(({ title }) => title);
  expect(titles(await listAll('s3', plain.request))).toEqual(['a+b', '100%']);
  expect(plain.prefixes).toEqual(['']);
  const encoded = await scriptBucket(['a+b.mp4', '100%25.mp4'], '<EncodingType>url</EncodingType>', {});
  expect(titles(await listAll('s3', encoded.request))).toEqual(['a b', '100%']);
});

test('leaves out wrong fields of a sidecar or manifest, and notes them', async () => {
  const { request } = await scriptBucket(['a.json', 'a.mp4', 'b.mp4'], '', {
    'a.json': JSON.stringify({ title: 'The first', chapters: 'intro', moments: 7, views: 'many', category: 'Art' }),
    'manifest.csv': 'file,title,moments\nb.mp4,The second,none\n',
  });
  expect(await listAll('s3', request)).toMatchObject([
    {
      title: 'The first',
      notes: ['chapters', 'moments', 'views'].map((name) => expect.stringMatching(`left out.*${name}`)),
      video: { chapters: [], moments: [], views: 0, category: 'Art' },
    },
    { title: 'The second', notes: [expect.stringMatching(/left out.*moments/)], video: { moments: [] } },
  ]);
});

test('a sample of the speed ends soon if the origin stalls', { timeout: 30_000 }, async () => {
  const server = createServer((_request, response) => void response.writeHead(200).write('x'));
  const port = await listen(server, 0, '127.0.0.1');
  onTestFinished(() => closeServer(server, 0));
  const file = { url: `http://127.0.0.1:${port}/`, headers: {} };
  await expect(client.measure(file, signal)).rejects.toThrow('sent nothing for 5 s');
});

test('sends a token to the server of the source only', () => {
  const request = { apiUrl: 'https://videos.example.com', accessKey: 'token' };
  const headers = { Authorization: 'Bearer token' };
  expect(fileAt(request, 'Bearer', '/a.mp4')).toEqual({ url: 'https://videos.example.com/a.mp4', headers });
  expect(fileAt(request, 'Bearer', 'https://videos.example.com.evil.example/a.mp4').headers).toEqual({});
  expect(fileAt(request, 'Bearer', 'http://videos.example.com/a.mp4').headers).toEqual({});
  expect(fileAt({ ...request, accessKey: null }, 'Bearer', '/a.mp4').headers).toEqual({});
});
