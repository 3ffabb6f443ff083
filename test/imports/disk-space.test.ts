import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { insertItems } from '../../src/catalog/imports/import-item-store.ts';
import { createImportStore } from '../../src/catalog/imports/import-store.ts';
import { inTransaction } from '../../src/catalog/in-transaction.ts';
import { runImport } from '../../src/jobs/imports/run-import.ts';
import { emptyVideo } from '../../src/jobs/imports/sources/read-fields.ts';
import { openSendOnlyQueue } from '../../src/jobs/queue/queue.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { sentJobs } from '../support/sent-jobs.ts';
import { startScriptedApi } from './scripted-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 120_000);
afterAll(() => api.stop());

test('an import pauses with the reason while the disk is nearly full', async () => {
  const { db, pool } = api.database;
  const source = await startScriptedApi(() => ({ bytes: Buffer.from('a film') }));
  onTestFinished(() => source.stop());
  const imports = createImportStore({ db, secretBox: api.secretBox });
  const access = { apiUrl: source.url, cdnUrl: source.url, libraryId: 1, accessKey: 'key', preparedMs: Date.now() };
  const none = { accountKey: null, coreUrl: null, securityKey: null, referrer: null, storage: null };
  const limits = { concurrency: 3, maxBytesPerSec: null, skipsDuplicates: false, makesNewGuids: false };
  const wanted = { libraryId: 1, source: 'bunny' as const, address: '', isDryRun: false, restoresSettings: null };
  const request = { ...access, ...none, items: [] };
  const key = await imports.create({ ...wanted, ...limits, request }, () => async () => undefined);
  const video = { ...emptyVideo(), files: [{ kind: 'original', address: 'film' }] };
  const id = newGuid();
  const facts = { kind: 'video' as const, sizeBytes: 6, durationSec: 2, obstacle: null, notes: [], video };
  await inTransaction(db, (tx) => insertItems(tx, key, [{ ...facts, sourceId: id, id, title: 'A film' }]));
  await sql`update library_import set state = 'running', is_listed = true where id = ${key.importId}`.execute(db);
  const queue = await openSendOnlyQueue({ pool, onError: (error) => void api.faults.push(error) });
  onTestFinished(() => queue.close());
  const outbound = createOutbound({ allow: ['127.0.0.1/32'] });
  onTestFinished(() => outbound.close());
  const storage = { ...api.storage, space: async () => ({ freeBytes: 4e9, totalBytes: 1e12 }) };
  const deps = { db, queue, secretBox: api.secretBox, outbound, storage };
  await runImport.run({ ...key, tick: 0 }, deps, AbortSignal.timeout(60_000));
  const reason = expect.stringContaining('The disk is nearly full. The import is paused');
  expect(await imports.load(key)).toMatchObject({ state: 'running', reason, counts: { waiting: 1, fetching: 0 } });
  expect(await sentJobs(db, runImport.name)).toEqual([{ payload: { ...key, tick: 1 }, delay: 30 }]);
});
