import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { countUnhashed, findDuplicates, settleDuplicate } from '../../src/catalog/imports/duplicate-store.ts';
import { insertItems, nextItems, waitForSource } from '../../src/catalog/imports/import-item-store.ts';
import { listItems } from '../../src/catalog/imports/import-report-store.ts';
import { createImportStore } from '../../src/catalog/imports/import-store.ts';
import { findShortage } from '../../src/catalog/imports/import-work-store.ts';
import { checkItem, type ItemReport } from '../../src/catalog/imports/library-import.ts';
import type { ListedItem } from '../../src/catalog/imports/listed-item.ts';
import { inTransaction } from '../../src/catalog/in-transaction.ts';
import { beginImport } from '../../src/catalog/videos/video.ts';
import { createVideoStore } from '../../src/catalog/videos/video-store.ts';
import { runImport } from '../../src/jobs/imports/run-import.ts';
import { emptyVideo } from '../../src/jobs/imports/sources/read-fields.ts';
import { openSendOnlyQueue } from '../../src/jobs/queue/queue.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { sentJobs } from '../support/sent-jobs.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 120_000);
afterAll(() => api.stop());

const listed = (id: Guid): ListedItem => ({
  kind: 'video',
  sourceId: id,
  id,
  title: id,
  sizeBytes: 1_000,
  durationSec: 2,
  obstacle: null,
  notes: [],
  video: emptyVideo(),
});

/** Creates an import in a separate library. */
async function makeImport(
  items: readonly ListedItem[],
  libraryId: number,
): Promise<{ importId: Guid; libraryId: number }> {
  const { db } = api.database;
  const imports = createImportStore({ db, secretBox: api.secretBox });
  const limits = {
    concurrency: 3,
    maxBytesPerSec: null,
    skipsDuplicates: false,
    makesNewGuids: false,
    restoresSettings: null,
  };
  const wanted = { libraryId, source: 'vimeo' as const, address: '', request: {}, isDryRun: false, ...limits };
  const key = await imports.create(wanted, () => async () => undefined);
  await inTransaction(db, (tx) => insertItems(tx, key, items));
  return key;
}

async function makeLibrary(): Promise<number> {
  const { body } = await api.call('POST', '/videolibrary', { key: api.first.accountKey, body: { Name: 'Target' } });
  return Object(body).Id;
}

async function addMedia(libraryId: number, id: Guid, state: string, hash: string | null): Promise<void> {
  const sha256 = hash === null ? null : Buffer.alloc(32, hash);
  const reason = state === 'failed' ? 'broken' : null;
  await sql`
    insert into media (library_id, id, type, title, state, state_reason, source_key, source_bytes, source_sha256)
    values (${libraryId}, ${id}, 'video', 'Video', ${state}, ${reason}, ${`k/${id}`}, 1000,
      ${sha256})`.execute(api.database.db);
}

const own = (importId: Guid, ids: readonly Guid[], state: string) =>
  sql`update import_item set owns_target = true, state = ${state} where import_id = ${importId}
    and target_id = any(${[...ids]}::uuid[])`.execute(api.database.db);
const end = (importId: Guid) =>
  sql`update library_import set state = 'finished', ended_at = now() where id = ${importId}`.execute(api.database.db);
const report = (importId: Guid) =>
  listItems(api.database.db, importId, { page: 1, itemsPerPage: 100, state: '' }).then(({ items }) => items);

/** Runs the job of a new import. */
async function runOnce(key: { importId: Guid; libraryId: number }): Promise<void> {
  const { db, pool } = api.database;
  const queue = await openSendOnlyQueue({ pool, onError: (error) => void api.faults.push(error) });
  onTestFinished(() => queue.close());
  const outbound = createOutbound({ allow: [] });
  onTestFinished(() => outbound.close());
  const deps = { db, queue, secretBox: api.secretBox, outbound, storage: api.storage };
  await runImport.run({ ...key, tick: 0 }, deps, AbortSignal.timeout(60_000));
}

test('finds files that the library already has, waits for their hashes, and notes each once', async () => {
  const { db } = api.database;
  const libraryId = await makeLibrary();
  const [older, first, second, unhashed] = [newGuid(), newGuid(), newGuid(), newGuid()];
  const { importId } = await makeImport([first, second, unhashed].map(listed), libraryId);
  await addMedia(libraryId, older, 'finished', 'a');
  await addMedia(libraryId, first, 'finished', 'b');
  await addMedia(libraryId, second, 'finished', 'b');
  await addMedia(libraryId, unhashed, 'finished', null);
  await own(importId, [first, second, unhashed], 'imported');
  expect(await countUnhashed(db, importId)).toBe(1);
  const other = await makeLibrary();
  await addMedia(other, newGuid(), 'finished', 'a');
  await sql`update media set source_sha256 = ${Buffer.alloc(32, 'a')} where id = ${unhashed}`.execute(db);
  expect(await countUnhashed(db, importId)).toBe(0);
  const found = await findDuplicates(db, importId, 10);
  expect(found).toEqual([
    { place: 2, targetId: second, sameAs: first },
    { place: 3, targetId: unhashed, sameAs: older },
  ]);
  for (const [index, duplicate] of found.entries())
    await settleDuplicate(db, { libraryId, importId }, { ...duplicate, isSkipped: index === 1 });
  expect(await findDuplicates(db, importId, 10)).toEqual([]);
  expect((await report(importId)).map(({ state, notes, reason }) => [state, notes, reason])).toEqual([
    ['imported', [], null],
    ['imported', [`Its file is the same as that of video ${first}.`], null],
    [
      'skipped',
      [`Its file is the same as that of video ${older}.`],
      `Its file is the same as that of video ${older}. This copy is in the trash.`,
    ],
  ]);
});

test('a copy is no duplicate of a video that failed, and is not noted if it was deleted', async () => {
  const { db } = api.database;
  const libraryId = await makeLibrary();
  const [broken, kept, copy] = [newGuid(), newGuid(), newGuid()];
  const key = await makeImport([kept, copy].map(listed), libraryId);
  await addMedia(libraryId, broken, 'failed', 'h');
  await addMedia(libraryId, kept, 'finished', 'h');
  await addMedia(libraryId, copy, 'finished', 'h');
  await own(key.importId, [kept, copy], 'imported');
  const found = await findDuplicates(db, key.importId, 10);
  expect(found).toEqual([{ place: 2, targetId: copy, sameAs: kept }]);
  await sql`delete from media where id = ${copy}`.execute(db);
  for (const duplicate of found) await settleDuplicate(db, key, { ...duplicate, isSkipped: true });
  expect((await report(key.importId)).map(({ state, notes }) => [state, notes])).toEqual([
    ['imported', []],
    ['imported', []],
  ]);
});

test('the pause before a resume does not count in the estimate of the remaining time', async () => {
  const { db } = api.database;
  const imports = createImportStore({ db, secretBox: api.secretBox });
  const ids = [newGuid(), newGuid()];
  const key = await makeImport(ids.map(listed), await makeLibrary());
  await own(key.importId, ids.slice(0, 1), 'imported');
  await sql`update library_import set state = 'cancelled', is_listed = true, running_at = now() - interval '1000 s',
    ended_at = now() - interval '900 s' where id = ${key.importId}`.execute(db);
  await imports.resume(key, () => async () => undefined);
  const { remainingSec } = await imports.load(key);
  // 1,000 bytes were transferred in 100 s before the pause.
  expect(remainingSec).toBeGreaterThanOrEqual(100);
  expect(remainingSec).toBeLessThan(900);
});

test('a plan of uploads cannot be resumed, because nobody sends its files', async () => {
  const key = await makeImport([listed(newGuid())], await makeLibrary());
  const store = createImportStore({ db: api.database.db, secretBox: api.secretBox });
  const change = (isDryRun: boolean, state: string) =>
    sql`update library_import set source = 'upload', is_listed = true, is_dry_run = ${isDryRun}, state = ${state},
      ended_at = now() where id = ${key.importId}`.execute(api.database.db);
  const resume = () => store.resume(key, () => async () => undefined);
  await change(true, 'planned');
  await expect(resume()).rejects.toMatchObject({ kind: 'conflict', message: expect.stringContaining('dryRun') });
  await change(false, 'cancelled');
  await resume();
  expect((await store.load(key)).state).toBe('running');
});

test('an import of an unknown source waits for a newer worker', async () => {
  const { db } = api.database;
  const key = await makeImport([listed(newGuid())], await makeLibrary());
  await sql`update library_import set source = 'later' where id = ${key.importId}`.execute(db);
  await runOnce(key);
  expect(await sentJobs(db, runImport.name)).toEqual([{ payload: { ...key, tick: 1 }, delay: 30 }]);
  expect(await createImportStore({ db, secretBox: api.secretBox }).load(key)).toMatchObject({ state: 'listing' });
});

test('a later import tries failed videos again, and explains why it skips others', async () => {
  const { db } = api.database;
  const [libraryId, other] = [await makeLibrary(), await makeLibrary()];
  const ids = Array.from({ length: 5 }, () => newGuid());
  const [failed, done, trashed, foreign, elsewhere] = ids as [Guid, Guid, Guid, Guid, Guid];
  const before = await makeImport([failed, done, trashed].map(listed), libraryId);
  await addMedia(libraryId, failed, 'failed', 'c');
  await addMedia(libraryId, done, 'finished', 'd');
  await addMedia(libraryId, trashed, 'finished', 'e');
  await sql`update media set type = 'trash', trashed_at = now() where id = ${trashed}`.execute(db);
  await addMedia(libraryId, foreign, 'failed', 'f');
  await addMedia(other, elsewhere, 'finished', 'g');
  await own(before.importId, [failed, done, trashed], 'imported');
  await end(before.importId);
  const { importId } = await makeImport(ids.map(listed), libraryId);
  expect((await report(importId)).map(({ state, reason }) => [state, reason])).toEqual([
    ['waiting', null],
    ['skipped', 'An earlier import imported this video.'],
    ['skipped', expect.stringContaining('in the trash')],
    ['skipped', expect.stringContaining('another video of this library')],
    ['skipped', expect.stringMatching(new RegExp(`another GUID: .* is in library ${other}\\.$`))],
  ]);
  expect(await nextItems(db, importId, 10)).toMatchObject([{ targetId: failed, ownsTarget: true }]);
  // The file that could not be used is deleted later.
  await createVideoStore(db).change({ libraryId, mediaId: failed }, beginImport);
  const { rows } =
    await sql`select storage_key, size_bytes::int from retired_object where media_id = ${failed}`.execute(db);
  expect(rows).toEqual([{ storage_key: `k/${failed}`, size_bytes: 1_000 }]);
});

test('a source prepares at most 20 files at once, and prepared ones come first', async () => {
  const { db } = api.database;
  const { importId } = await makeImport(
    Array.from({ length: 25 }, () => listed(newGuid())),
    await makeLibrary(),
  );
  const items = await nextItems(db, importId, 100);
  expect(items.length).toBe(25);
  for (const item of items.slice(5)) await waitForSource(db, item, 'The source is preparing the file.');
  expect(await nextItems(db, importId, 100)).toEqual([]);
  await sql`update import_item set ready_at = now() where import_id = ${importId}`.execute(db);
  const again = await nextItems(db, importId, 100);
  expect(again.map(({ place }) => place)).toEqual(items.slice(5).map(({ place }) => place));
});

const STORED = { sizeBytes: 1_000, durationMs: 2_040, state: 'finished' };
const ITEM: ItemReport = {
  place: 1,
  kind: 'video',
  sourceId: 'a',
  title: 'A',
  targetId: newGuid(),
  sizeBytes: 1_000,
  durationSec: 2,
  fileBytes: 1_000,
  stored: STORED,
  state: 'imported',
  reason: null,
  isRetryable: false,
  notes: [],
};

test.each<[string, Partial<ItemReport>, ReturnType<typeof checkItem>]>([
  ['equal size and length', {}, 'same'],
  ['unknown size and length at the source', { fileBytes: null, durationSec: null }, 'same'],
  ['another size', { fileBytes: 999 }, 'different'],
  ['another length', { durationSec: 5 }, 'different'],
  ['a video that is being encoded', { stored: { ...STORED, state: 'transcoding' } }, 'pending'],
  ['a video that failed', { stored: { ...STORED, state: 'failed' } }, 'unplayable'],
  ['a deleted video', { stored: null }, 'deleted'],
  ['an item that is not imported', { state: 'failed', stored: null }, null],
  ['a collection', { kind: 'collection' }, null],
])('compares an item with %s', (_what, change, check) => {
  expect(checkItem({ ...ITEM, ...change })).toBe(check);
});

test('an import shows the free space that its transfers wait for', async () => {
  const { db } = api.database;
  const libraryId = await makeLibrary();
  const [id, other] = [newGuid(), newGuid()];
  const key = await makeImport([id, other].map(listed), libraryId);
  for (const each of [id, other]) await addMedia(libraryId, each, 'created', null);
  await own(key.importId, [id, other], 'fetching');
  await sql`update media set state_reason = 'waiting to be fetched from example.com' where id = ${id}`.execute(db);
  expect(await findShortage(db, { ...key, tick: 0 })).toBeNull();
  await sql`update media set state_reason = 'waiting for free space: the storage is full' where id = ${other}`.execute(
    db,
  );
  expect(await findShortage(db, { ...key, tick: 0 })).toBe('waiting for free space: the storage is full');
});

test('each page of a list is compared with the videos of the library, and the report has all items', async () => {
  const { db } = api.database;
  const libraryId = await makeLibrary();
  const [taken, free, late] = [newGuid(), newGuid(), newGuid()];
  const key = await makeImport([free].map(listed), libraryId);
  await addMedia(libraryId, taken, 'finished', null);
  await inTransaction(db, (tx) => insertItems(tx, key, [free, taken].map(listed)));
  await inTransaction(db, (tx) => insertItems(tx, key, [late].map(listed)));
  const all = [];
  const imports = createImportStore({ db, secretBox: api.secretBox });
  for await (const { targetId, state } of imports.allItems(key)) all.push([targetId, state]);
  expect(all).toEqual([
    [free, 'waiting'],
    [taken, 'skipped'],
    [late, 'waiting'],
  ]);
});
