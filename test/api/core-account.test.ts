import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { key: api.first.accountKey, ...(body && { body }) });

test('the account has a permanent id and no personal data', async () => {
  const { status, body } = await call('GET', '/user');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    AccountId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    Email: null,
    Balance: 0,
    Roles: ['Admin'],
    DateJoined: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/),
  });
  expect(Object((await call('GET', '/user')).body)).toEqual(body);
});

test('reports charges of zero', async () => {
  const { status, body } = await call('GET', '/billing');
  expect([status, body]).toMatchObject([200, { Balance: 0, ThisMonthCharges: 0, BillingRecords: [] }]);
});

test('returns the same storage zone for a library and its pull zone', async () => {
  const { StorageZoneId: id } = Object((await call('GET', '/pullzone/1')).body);
  const { status, body } = await call('GET', `/storagezone/${id}`);
  expect([status, body]).toMatchObject([200, { Id: 1, Name: 'vz-1', StorageUsed: 0, Password: null, Deleted: false }]);
  const same = { ReplicationZones: [], OriginUrl: null, Custom404FilePath: '', Rewrite404To200: false };
  expect(await call('POST', `/storagezone/${id}`, same)).toMatchObject({ status: 204, text: '' });
  const other = await call('POST', `/storagezone/${id}`, { OriginUrl: 'https://origin.example' });
  expect(other).toMatchObject({
    status: 400,
    body: { Field: 'OriginUrl', Message: expect.stringMatching(/operator/) },
  });
  expect(await call('GET', '/storagezone/999')).toMatchObject({
    status: 404,
    body: { ErrorKey: 'storageZone.not_found', Field: 'StorageZone' },
  });
});

test('reports zero seconds of transcription', async () => {
  const { status, body } = await call(
    'GET',
    '/videolibrary/1/transcribing/statistics?dateFrom=2024-01-01&dateTo=2024-01-01',
  );
  expect([status, body]).toEqual([
    200,
    { TotalTranscriptionSeconds: 0, TranscriptionSecondsChart: { '2024-01-01T00:00:00Z': 0 } },
  ]);
});

test('resets the read-only key through the older path, which has the library id in the query', async () => {
  const read = () => api.call('GET', '/library/1/videos', { key: api.first.readOnlyKey });
  expect((await read()).status).toBe(200);
  expect((await call('POST', '/videolibrary/resetReadOnlyApiKey?id=1')).status).toBe(204);
  expect((await call('POST', '/videolibrary/resetReadOnlyApiKey')).status).toBe(404);
  await expect.poll(async () => (await read()).status).toBe(401);
});

test.each(['/user', '/billing', '/storagezone/1', '/videolibrary/1/drm/statistics'])(
  "%s accepts only the account's key",
  async (path) => {
    expect((await api.call('GET', path)).status).toBe(401);
    expect((await api.call('GET', path, { key: null })).status).toBe(401);
  },
);
