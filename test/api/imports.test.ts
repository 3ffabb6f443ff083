import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

let service: TestApi;
beforeAll(async () => {
  service = await startTestApi();
});
afterAll(() => service.stop());

const create = (body: object) =>
  service.call('POST', '/library/1/imports', { key: service.first.accountKey, body: { dryRun: true, ...body } });

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
])('rejects an import without $field', async ({ body, field }) => {
  expect(await create(body)).toMatchObject({ status: 400, body: expect.anything() });
  expect(JSON.stringify((await create(body)).body)).toContain(field);
});
