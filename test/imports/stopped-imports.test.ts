import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { insertItems } from '../../src/catalog/imports/import-item-store.ts';
import { listItems } from '../../src/catalog/imports/import-report-store.ts';
import { createImportStore } from '../../src/catalog/imports/import-store.ts';
import { type ImportKey, LIST_FULL } from '../../src/catalog/imports/library-import.ts';
import { inTransaction } from '../../src/catalog/in-transaction.ts';
import { runImport } from '../../src/jobs/imports/run-import.ts';
import { emptyVideo } from '../../src/jobs/imports/sources/read-fields.ts';
import { openSendOnlyQueue } from '../../src/jobs/queue/queue.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { missing, type Reply, startScriptedApi, VTT } from './scripted-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 120_000);
afterAll(() => api.stop());

type Answer = (path: string, url: string) => Reply;
const stores = () => createImportStore({ db: api.database.db, secretBox: api.secretBox });

/** Creates an import from a scripted Mux in a separate library. With `titles`, their assets are listed already. */
async function makeImport(answer: Answer, titles: readonly string[] = []): Promise<ImportKey> {
  const { db } = api.database;
  const source = await startScriptedApi(({ path }, url) => answer(path, url));
  onTestFinished(() => source.stop());
  const { body } = await api.call('POST', '/videolibrary', { key: api.first.accountKey, body: { Name: 'Target' } });
  const access = { apiUrl: source.url, cdnUrl: source.url, accessKey: 'key', secretKey: 'secret' };
  const limits = { concurrency: 3, maxBytesPerSec: null, skipsDuplicates: false, makesNewGuids: false };
  const wanted = { source: 'mux' as const, address: '', isDryRun: false, restoresSettings: null, request: access };
  const key = await stores().create({ ...wanted, ...limits, libraryId: Object(body).Id }, () => async () => undefined);
  if (titles.length === 0) return key;
  const facts = { kind: 'video' as const, sizeBytes: null, durationSec: 2, obstacle: null, notes: [] };
  const items = titles.map((title) => ({ ...facts, sourceId: title, id: newGuid(), title, video: emptyVideo() }));
  await inTransaction(db, (tx) => insertItems(tx, key, items));
  await sql`update library_import set state = 'running', is_listed = true where id = ${key.importId}`.execute(db);
  return key;
}

async function run(key: ImportKey, space: Partial<Storage> = {}): Promise<void> {
  const { db, pool } = api.database;
  const queue = await openSendOnlyQueue({ pool, onError: (error) => void api.faults.push(error) });
  onTestFinished(() => queue.close());
  const outbound = createOutbound({ allow: ['127.0.0.1/32'] });
  onTestFinished(() => outbound.close());
  const storage = { ...api.storage, ...space };
  const deps = { db, queue, secretBox: api.secretBox, outbound, storage };
  await runImport.run({ ...key, tick: 0 }, deps, AbortSignal.timeout(60_000));
}

async function itemsOf({ importId }: ImportKey) {
  const { items } = await listItems(api.database.db, importId, { page: 1, itemsPerPage: 100, state: '' });
  return new Map(items.map((item) => [item.title, item]));
}

/** Responds with an asset that has its master, which is a file of this many bytes. */
function assetWith(bytes: (title: string) => number, more: object = {}): Answer {
  return (path, url) => {
    const title = path.split('/').at(-1) ?? '';
    if (path.startsWith('/file/')) return { bytes: Buffer.alloc(bytes(title)) };
    if (path.endsWith('.vtt')) return { bytes: Buffer.from(VTT) };
    const master = { status: 'ready', url: `${url}/file/${title}` };
    return { json: { data: { id: title, status: 'ready', master, ...more } } };
  };
}

test('a source that repeats a page ends the import', async () => {
  const asset = { id: 'a', status: 'ready' };
  const key = await makeImport(() => ({ json: { data: [asset], next_cursor: 'again' } }));
  await expect(run(key)).rejects.toThrow('Expected the next page of the list from the source, got the same page again');
});

test('an import stops if the source refuses the key, and no item fails because of it', async () => {
  const key = await makeImport(() => ({ status: 401 }), ['one', 'two']);
  await run(key);
  const reason = expect.stringMatching(/401.*The source refuses the key\. Start the import again with a valid one\./);
  expect(await stores().load(key)).toMatchObject({ state: 'cancelling', reason, counts: { waiting: 2, failed: 0 } });
});

test.each<[string, Reply]>([
  ['has assets', { json: {} }],
  ['does not exist', missing],
])('an item whose key is refused fails alone if the list %s', async (_what, list) => {
  const answer = assetWith(() => 6);
  const key = await makeImport(
    (path, url) => {
      if (path.endsWith('/one')) return { status: 401 };
      return path.endsWith('/assets') ? list : answer(path, url);
    },
    ['one', 'two'],
  );
  await run(key);
  const items = await itemsOf(key);
  expect(items.get('one')).toMatchObject({ state: 'failed', reason: expect.stringContaining('401') });
  expect(items.get('two')).toMatchObject({ state: 'fetching' });
});

test.each([
  [403, true],
  [404, false],
])('an item whose file gets status %s can be retried: %s', async (status, isRetryable) => {
  const answer = assetWith(() => 6);
  const key = await makeImport((path, url) => (path.startsWith('/file/') ? { status } : answer(path, url)), ['one']);
  await run(key);
  const reason = expect.stringContaining(`No file could be downloaded. master: Origin returned HTTP ${status}`);
  expect((await itemsOf(key)).get('one')).toMatchObject({ state: 'failed', isRetryable, reason });
});

test('a file that does not fit on the disk waits, and smaller ones are imported', async () => {
  const key = await makeImport(
    assetWith((title) => (title === 'large' ? 1_000 : 6)),
    ['large', 'small'],
  );
  await run(key, { space: async () => ({ freeBytes: 5e9 + 100, totalBytes: 1e10 }) });
  const items = await itemsOf(key);
  expect(items.get('large')).toMatchObject({ state: 'waiting', reason: expect.stringContaining('too little space') });
  expect(items.get('small')).toMatchObject({ state: 'fetching' });
  const reason =
    'large: The disk has too little space for this file. It waits, and smaller files are imported. Free some space.';
  expect(await stores().load(key)).toMatchObject({ state: 'running', reason });
});

test('the first captions in a language are imported, and others in it are noted', async () => {
  const track = { type: 'text', status: 'ready', name: 'English' };
  const tracks = [
    { ...track, id: '1', language_code: 'en-US' },
    { ...track, id: '2', language_code: 'en_us', name: 'English (SDH)' },
  ];
  const playback = [{ id: 'public', policy: 'public' }];
  const key = await makeImport(
    assetWith(() => 6, { tracks, playback_ids: playback }),
    ['one'],
  );
  await run(key);
  const item = (await itemsOf(key)).get('one');
  expect(item).toMatchObject({
    state: 'fetching',
    notes: ['Captions "en_us, English (SDH)" are not imported, because the video has others in this language.'],
  });
  const { rows } = await sql<{ captions: { label: string }[] }>`select captions from media
    where library_id = ${key.libraryId}`.execute(api.database.db);
  expect(rows[0]?.captions.map(({ label }) => label)).toEqual(['English']);
});

test('if captions cannot be read, other ones in their language are imported', async () => {
  const track = { type: 'text', status: 'ready', language_code: 'en' };
  const tracks = [
    { ...track, id: 'broken', name: 'English' },
    { ...track, id: 'good', name: 'English (SDH)' },
  ];
  const playback = [{ id: 'public', policy: 'public' }];
  const answer = assetWith(() => 6, { tracks, playback_ids: playback });
  const isBroken = (path: string) => path.endsWith('/broken.vtt');
  const key = await makeImport(
    (path, url) => (isBroken(path) ? { bytes: Buffer.from('no captions') } : answer(path, url)),
    ['one'],
  );
  await run(key);
  const notes = [expect.stringMatching(/^Captions "en" could not be imported: /)];
  expect((await itemsOf(key)).get('one')).toMatchObject({ state: 'fetching', notes });
  const { rows } = await sql<{ captions: { label: string }[] }>`select captions from media
    where library_id = ${key.libraryId}`.execute(api.database.db);
  expect(rows[0]?.captions.map(({ label }) => label)).toEqual(['English (SDH)']);
});

test('an import with the maximum number of items ends with a reason', async () => {
  const ended = async (place: number) => {
    const key = await makeImport(() => missing, ['last']);
    await sql`update import_item set place = ${place}, state = 'skipped' where import_id = ${key.importId}`.execute(
      api.database.db,
    );
    await run(key);
    return await stores().load(key);
  };
  expect(await ended(999_999)).toMatchObject({ state: 'finished', reason: null });
  expect(await ended(1_000_000)).toMatchObject({ state: 'finished', reason: LIST_FULL });
});
