import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

let service: TestApi;
beforeAll(async () => {
  service = await startTestApi();
});
afterAll(() => service.stop());

const create = (body: object, libraryId = 1) =>
  service.call('POST', `/library/${libraryId}/imports`, {
    key: service.first.accountKey,
    body: { dryRun: true, ...body },
  });

test('shows the URL of a bucket without its keys, and lists data that is not imported', async () => {
  const access = { bucket: 'films', prefix: 'old', region: 'eu-central-1', accessKey: 'key-id', secretKey: 'hidden' };
  const limits = { bandwidth: 1_000_000, skipDuplicates: true };
  const created = await create({ source: 's3', ...access, ...limits }, service.second.id);
  expect(created.body).toMatchObject({
    address: 'https://s3.eu-central-1.amazonaws.com/films/old',
    bandwidth: 1_000_000,
    skipDuplicates: true,
    remainingSeconds: null,
    notImported: [],
  });
  expect(JSON.stringify(created.body)).not.toMatch(/key-id|hidden/);
});

test('the fields that a form leaves empty have their defaults', async () => {
  const empty = { apiUrl: '', accessKey: '', cdnUrl: '', securityKey: '' };
  const created = await create({ source: 'bunny', sourceLibraryId: 7, accountKey: 'key', concurrency: 3, ...empty });
  expect(created).toMatchObject({
    status: 200,
    body: { address: 'https://video.bunnycdn.com/library/7', state: 'listing' },
  });
});

test.each([
  { body: { source: 'millrace', sourceLibraryId: 7, accountKey: 'key', apiUrl: '' }, field: 'apiUrl' },
  { body: { source: 'bunny', accountKey: 'key' }, field: 'sourceLibraryId' },
  { body: { source: 'bunny', sourceLibraryId: 7, accessKey: '' }, field: 'accessKey' },
  { body: { source: 's3', bucket: 'films', accessKey: 'id' }, field: 'secretKey' },
  { body: { source: 'peertube', apiUrl: 'https://video.example.com' }, field: 'accessKey' },
  { body: { source: 'peertube', apiUrl: 'https://video.example.com', account: 'root' }, field: 'secretKey' },
  { body: { source: 'mux', accessKey: 'id' }, field: 'secretKey' },
  { body: { source: 'cloudflare', accessKey: 'token' }, field: 'account' },
  { body: { source: 'vimeo' }, field: 'accessKey' },
  { body: { source: 'mediacms', accessKey: 'token' }, field: 'apiUrl' },
  { body: { source: 'vimeo', accessKey: 'token', bandwidth: 1 }, field: 'bandwidth' },
])('rejects an import without $field', async ({ body, field }) => {
  expect(await create(body)).toMatchObject({ status: 400, body: expect.anything() });
  expect(JSON.stringify((await create(body)).body)).toContain(field);
});
