import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ListedItem } from '../../src/catalog/imports/listed-item.ts';
import type { SourceRequest } from '../../src/jobs/imports/import-source.ts';
import { createSourceClient } from '../../src/jobs/imports/source-client.ts';
import { importSources } from '../../src/jobs/imports/sources/all.ts';
import { guidOfBytes } from '../../src/lib/guid.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { makeFiles } from './import-room.ts';
import { scriptVimeo } from './script-vimeo.ts';
import { startScriptedApi } from './scripted-api.ts';
import { scriptCloudflare } from './scripted-sources.ts';
import { SOURCE_ACCOUNT_KEY, startScriptedStream } from './scripted-stream.ts';

const { signal } = new AbortController();
const outbound = createOutbound({ allow: ['127.0.0.1/32'] });
const client = createSourceClient(outbound);
const guidFor = (id: string) => guidOfBytes(createHash('sha256').update(id).digest());
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
const MAX_PAGES = 50;

let files: Awaited<ReturnType<typeof makeFiles>>;
beforeAll(async () => {
  files = await makeFiles();
});
afterAll(() => outbound.close());

type Name = keyof typeof importSources;

async function listAll(name: Name, request: SourceRequest): Promise<ListedItem[]> {
  const items: ListedItem[] = [];
  let cursor: string | null = null;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const listed: Awaited<ReturnType<(typeof importSources)[Name]['list']>> = await importSources[name].list(
      request,
      { cursor, client, guidFor },
      signal,
    );
    items.push(...listed.items);
    cursor = listed.next;
    if (cursor === null) return items;
  }
  throw new Error(`Expected at most ${MAX_PAGES} pages.`);
}

function locate(name: Name, request: SourceRequest, item: ListedItem | undefined) {
  if (item?.kind !== 'video') throw new Error('Expected a video.');
  return importSources[name].locate(request, { item, client }, signal);
}

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
  const items = await listAll('vimeo', request);
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
