import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createImportStore } from '../../src/catalog/imports/import-store.ts';
import type { FetchRequest } from '../../src/catalog/uploads/fetch-store.ts';
import { runImport } from '../../src/jobs/imports/run-import.ts';
import { openSendOnlyQueue } from '../../src/jobs/queue/queue.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { startTestApi } from '../support/api.ts';
import { sentJobs } from '../support/sent-jobs.ts';
import { missing, startScriptedApi } from './scripted-api.ts';

const KEYS = ['a.mp4', 'b.mp4', 'c.mp4', 'd.mp4'];

test('the transfers of an import share its bandwidth, and fewer run if each would be too slow', async () => {
  const api = await startTestApi();
  onTestFinished(() => api.stop());
  const bucket = await startScriptedApi(({ path }) => {
    const contents = KEYS.map((key) => `<Contents><Key>${key}</Key><Size>9</Size></Contents>`).join('');
    if (path === '/films') return { bytes: Buffer.from(`<ListBucketResult>${contents}</ListBucketResult>`) };
    return path.endsWith('.mp4') ? { bytes: Buffer.from('film') } : missing;
  });
  onTestFinished(() => bucket.stop());
  const { db } = api.database;
  const { body } = await api.call('POST', '/videolibrary', { key: api.first.accountKey, body: { Name: 'Target' } });
  const libraryId: number = Object(body).Id;
  const request = { apiUrl: bucket.url, bucket: 'films', accessKey: 'id', secretKey: 'secret', preparedMs: null };
  const limits = {
    concurrency: 20,
    maxBytesPerSec: 10_000,
    skipsDuplicates: false,
    makesNewGuids: false,
    restoresSettings: null,
  };
  const wanted = { libraryId, source: 's3' as const, address: '', request, isDryRun: false, ...limits };
  const key = await createImportStore({ db, secretBox: api.secretBox }).create(wanted, () => async () => undefined);
  const queue = await openSendOnlyQueue({ pool: api.database.pool, onError: (error) => void api.faults.push(error) });
  onTestFinished(() => queue.close());
  const outbound = createOutbound({ allow: ['127.0.0.1/32'] });
  onTestFinished(() => outbound.close());
  const deps = { db, queue, secretBox: api.secretBox, outbound, storage: api.storage };
  for (let tick = 0; tick < 2; tick += 1) await runImport.run({ ...key, tick }, deps, AbortSignal.timeout(60_000));
  const jobs = await sentJobs(db, runImport.name);
  expect(jobs.map(({ payload }) => payload)).toEqual([1, 2].map((tick) => ({ ...key, tick })));
  const { rows } = await sql<{ sealed: string }>`select metadata->>'sealed' as sealed from upload
    where library_id = ${libraryId}`.execute(db);
  const requests = rows.map(
    ({ sealed }): FetchRequest => JSON.parse(api.secretBox.open(Buffer.from(sealed, 'base64')).toString()),
  );
  expect(requests.map(({ maxBytesPerSec }) => maxBytesPerSec)).toEqual([5_000, 5_000]);
});
