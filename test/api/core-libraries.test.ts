import { afterAll, beforeAll, expect, test } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import { type CallOptions, startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let accountKey: string;
beforeAll(async () => {
  api = await startTestApi();
  accountKey = String(api.first.accountKey);
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const call = (method: string, path: string, options: CallOptions = {}) =>
  api.call(method, path, { key: accountKey, ...options });
const create = async (name: string) => Object((await call('POST', '/videolibrary', { body: { Name: name } })).body);

test('creates a library with 201, keys, a pull zone and the documented defaults', async () => {
  const { status, body } = await call('POST', '/videolibrary', { body: { name: 'Films', replicationregions: ['DE'] } });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    Id: expect.any(Number),
    Name: 'Films',
    VideoCount: 0,
    TrafficUsage: 0,
    StorageUsage: 0,
    DateCreated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/),
    ReplicationRegions: ['DE'],
    ApiKey: expect.stringMatching(/^[0-9a-f]{64}$/),
    ReadOnlyApiKey: expect.stringMatching(/^[0-9a-f]{64}$/),
    EncodingTier: 1,
    OutputCodecs: 'x264',
    EnabledResolutions: '240p,360p,480p,720p,1080p',
    HasWatermark: false,
    WebhookUrl: null,
    EnableMP4Fallback: true,
  });
  const made = Object(body);
  expect(made.ApiAccessKey).toBe(made.ApiKey);
  expect((await call('GET', `/library/${made.Id}/videos`, { key: made.ApiKey })).status).toBe(200);
  expect((await call('GET', `/videolibrary/${made.Id}`)).body).toEqual(body);
});

test('returns the list as a plain array without a page parameter and in an envelope with one', async () => {
  for (const name of ['List one', 'List two', 'List three']) await create(name);
  for (const path of [
    '/videolibrary?search=LIST',
    '/videolibrary?page=0&search=list',
    '/videolibrary?page=&search=list',
  ]) {
    const { body } = await call('GET', path);
    expect(Object(body).map(({ Name }: { Name: string }) => Name)).toEqual(['List one', 'List two', 'List three']);
  }
  const page = (number: number) => call('GET', `/videolibrary?page=${number}&perPage=2&search=list`);
  expect((await page(1)).body).toMatchObject({ CurrentPage: 1, TotalItems: 3, HasMoreItems: true });
  const { body } = await page(2);
  expect(body).toMatchObject({ Items: [{ Name: 'List three' }], CurrentPage: 2, TotalItems: 3, HasMoreItems: false });
  expect(Object.keys(Object(body))).toEqual(['Items', 'CurrentPage', 'TotalItems', 'HasMoreItems']);
  expect((await call('GET', '/videolibrary?search=%25')).body).toEqual([]);
  expect((await page(7)).body).toMatchObject({ Items: [], TotalItems: 3, HasMoreItems: false });
});

test('lists and returns pull zones with their key, host names and library', async () => {
  const { Id, PullZoneId } = await create('Zoned');
  const zones = Object((await call('GET', '/pullzone')).body);
  const { body } = await call('GET', `/pullzone/${PullZoneId}`);
  expect(zones).toContainEqual(body);
  expect(body).toMatchObject({
    Id: PullZoneId,
    VideoLibraryId: Id,
    ZoneSecurityEnabled: false,
    ZoneSecurityKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ZoneSecurityIncludeHashRemoteIP: false,
    AllowedReferrers: [],
  });
  const { Name, Hostnames } = Object(body);
  expect(Hostnames).toMatchObject([{ Value: `${Name}.edge.test`, IsSystemHostname: true }]);
  expect((await call('GET', '/pullzone?page=1&perPage=1')).body).toMatchObject({ CurrentPage: 1, HasMoreItems: true });
  expect(await call('GET', '/pullzone/999')).toMatchObject({
    status: 404,
    body: { ErrorKey: 'pullZone.not_found', Field: 'PullZone' },
  });
});

test('ResetToken generates a new security key for the pull zone', async () => {
  const { Id, PullZoneId } = await create('Token');
  const key = async () => Object((await call('GET', `/pullzone/${PullZoneId}`)).body).ZoneSecurityKey;
  const before = await key();
  await call('POST', `/videolibrary/${Id}`, { body: { ResetToken: false } });
  expect(await key()).toBe(before);
  await call('POST', `/videolibrary/${Id}`, { body: { ResetToken: true } });
  expect(await key()).not.toBe(before);
});

test('adds and removes referrers once each by host name', async () => {
  const { Id } = await create('Referrers');
  const change = (action: string, Hostname: unknown) =>
    call('POST', `/videolibrary/${Id}/${action}`, { body: { Hostname } });
  const hosts = async () => {
    const { AllowedReferrers, BlockedReferrers } = Object((await call('GET', `/videolibrary/${Id}`)).body);
    return { AllowedReferrers, BlockedReferrers };
  };
  expect(await change('addAllowedReferrer', 'Example.com')).toMatchObject({ status: 200, text: '' });
  expect((await change('addAllowedReferrer', 'example.COM')).status).toBe(200);
  expect((await change('addAllowedReferrer', '*.shop.test')).status).toBe(200);
  expect((await change('addBlockedReferrer', 'https://bad.test/page')).status).toBe(200);
  expect(await hosts()).toEqual({ AllowedReferrers: ['Example.com', '*.shop.test'], BlockedReferrers: ['bad.test'] });
  expect((await change('removeAllowedReferrer', 'EXAMPLE.com')).status).toBe(200);
  expect((await change('removeBlockedReferrer', 'absent.test')).status).toBe(200);
  expect(await hosts()).toEqual({ AllowedReferrers: ['*.shop.test'], BlockedReferrers: ['bad.test'] });
  for (const wrong of ['', 'two words', '*', 'a/b', 5]) {
    expect(await change('addAllowedReferrer', wrong)).toMatchObject({ status: 400, body: { Field: 'Hostname' } });
  }
});

test('an update replaces lists of referrers, and an empty list does not allow all pages', async () => {
  const { Id } = await create('Lists');
  const change = async (body: object) => {
    const { AllowedReferrers, BlockedReferrers } = Object((await call('POST', `/videolibrary/${Id}`, { body })).body);
    return { AllowedReferrers, BlockedReferrers };
  };
  const kept = { AllowedReferrers: ['a.test'], BlockedReferrers: ['b.test', 'c.test'] };
  expect(await change(kept)).toEqual(kept);
  expect(await change({ AllowedReferrers: [], BlockedReferrers: [] })).toEqual(kept);
  expect(await change({ AllowedReferrers: ['d.test'] })).toEqual({ ...kept, AllowedReferrers: ['d.test'] });
});

test('keeps all concurrent changes of one library', async () => {
  const { Id } = await create('Busy');
  const names = Array.from({ length: 12 }, (_, index) => `site${index}.test`);
  await Promise.all([
    ...names.map((Hostname) => call('POST', `/videolibrary/${Id}/addAllowedReferrer`, { body: { Hostname } })),
    call('POST', `/videolibrary/${Id}`, { body: { ShowHeatmap: true } }),
  ]);
  const body = Object((await call('GET', `/videolibrary/${Id}`)).body);
  expect(new Set(body.AllowedReferrers)).toEqual(new Set(names));
  expect(body.ShowHeatmap).toBe(true);
});

test('lists languages and their codes', async () => {
  const { status, body } = await call('GET', '/videolibrary/languages');
  expect(status).toBe(200);
  const codes = Object(body).map(({ ShortCode }: { ShortCode: string }) => ShortCode);
  expect(codes.length).toBeGreaterThanOrEqual(56);
  expect(new Set(codes).size).toBe(codes.length);
  expect(body).toContainEqual({
    ShortCode: 'en',
    Name: 'English',
    SupportPlayerTranslation: true,
    SupportTranscribing: true,
    TranscribingAccuracy: 0,
  });
  // The engine of this test supports only English.
  expect(body).toContainEqual(expect.objectContaining({ ShortCode: 'de', SupportTranscribing: false }));
});

const OPERATIONS = [
  ['GET', '/videolibrary'],
  ['POST', '/videolibrary'],
  ['GET', '/videolibrary/languages'],
  ['POST', '/videolibrary/resetApiKey?id=1'],
  ['GET', '/pullzone'],
] as const;

const OF_ONE = [
  ['GET', ''],
  ['POST', ''],
  ['DELETE', ''],
  ['POST', '/resetApiKey'],
  ['POST', '/resetReadOnlyApiKey'],
  ['POST', '/addAllowedReferrer'],
  ['POST', '/removeAllowedReferrer'],
  ['POST', '/addBlockedReferrer'],
  ['POST', '/removeBlockedReferrer'],
  ['PUT', '/watermark'],
  ['DELETE', '/watermark'],
  ['GET', '/audit'],
  ['GET', '/keys'],
  ['POST', '/keys'],
  ['DELETE', `/keys/${newGuid()}`],
] as const;

test('the account API accepts only the account key and rejects the key of a library', async () => {
  const paths = [...OPERATIONS, ...OF_ONE.map(([method, tail]) => [method, `/videolibrary/1${tail}`] as const)];
  const denied = { ErrorKey: 'authentication.failed', Field: 'AccessKey', Message: expect.any(String) };
  for (const [method, path] of [...paths, ['GET', '/pullzone/1'] as const]) {
    for (const key of [api.first.libraryKey, api.first.readOnlyKey, api.second.key, 'wrong', null]) {
      const { status, body } = await call(method, path, { key });
      expect([method, path, status, body]).toEqual([method, path, 401, denied]);
    }
  }
  expect((await call('GET', '/library/1/videos', { key: api.first.libraryKey })).status).toBe(200);
});

test('every library operation responds with 404 and its error for an unknown library', async () => {
  const unknown = { ErrorKey: 'videoLibrary.not_found', Field: 'VideoLibrary', Message: expect.any(String) };
  for (const [index, [method, tail]] of OF_ONE.entries()) {
    for (const id of [`99999${index}`, 'x', '-1']) {
      const body = tail === '/keys' ? { Scope: 'read' } : { Hostname: 'a.test' };
      const hasBody = method === 'POST' || method === 'PUT';
      const answer = await call(method, `/videolibrary/${id}${tail}`, hasBody ? { body } : {});
      expect([method, tail, answer.status, answer.body]).toEqual([method, tail, 404, unknown]);
    }
  }
  expect((await call('POST', '/videolibrary/resetApiKey')).status).toBe(404);
  expect((await call('POST', '/videolibrary/resetApiKey?id=999999')).status).toBe(404);
});

test.each([[{}], [{ Name: '' }], [{ Name: '  ' }], [{ Name: null }], [{ Name: 5 }]])(
  'rejects creating a library from %j with 400',
  async (body) => {
    const answer = await call('POST', '/videolibrary', { body });
    expect(answer).toMatchObject({ status: 400, body: { ErrorKey: 'request.invalid', Field: 'Name' } });
  },
);
