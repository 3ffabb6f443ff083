import { afterAll, beforeAll, expect, test } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import { type CallOptions, startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const call = (method: string, path: string, options: CallOptions = {}) =>
  api.call(method, path, { key: String(api.first.accountKey), ...options });
const audit = async (id: number, query = '') => Object((await call('GET', `/videolibrary/${id}/audit${query}`)).body);
const createLibrary = async () => Object((await call('POST', '/videolibrary', { body: { Name: 'Audited' } })).body);

test('names objects of the same library, but not those of another one', async () => {
  const [own, other] = [await createLibrary(), await createLibrary()];
  const make = async (path: string, body: object) => Object((await call('POST', path, { body })).body);
  const url = 'https://example.com/';
  const { guid: video } = await make(`/library/${own.Id}/videos`, { title: 'A video' });
  const { guid: stream } = await make(`/library/${own.Id}/live`, { title: 'A stream' });
  const { guid: collection } = await make(`/library/${own.Id}/collections`, { name: 'A collection' });
  const { guid: hook } = await make(`/library/${own.Id}/webhook-endpoints`, { name: 'An endpoint', url });
  const { Id: key } = await make(`/videolibrary/${own.Id}/keys`, { Label: 'A key', Scope: 'read' });
  for (const { Id } of [other, own]) {
    await call('POST', `/library/${Id}/videos/${video}`, { body: { title: 'A video' } });
    await call('PUT', `/library/${Id}/live/${stream}`, { body: { title: 'A stream' } });
    await call('POST', `/library/${Id}/collections/${collection}`, { body: { name: 'A collection' } });
    await call('POST', `/library/${Id}/webhook-endpoints/${hook}`, { body: { name: 'An endpoint' } });
    await call('POST', `/library/${Id}/webhooks/test?endpoint=${hook}`);
  }
  await call('DELETE', `/videolibrary/${other.Id}/keys/${key}`);
  const names = async (id: number) =>
    (await audit(id)).Items.map((line: { Operation: string; Object: string | null }) => [line.Operation, line.Object]);
  const foreign = ['deleteKey', 'testWebhook', 'updateWebhookEndpoint', 'updateCollection', 'updateLiveStream'];
  expect(await names(other.Id)).toEqual([...foreign, 'updateVideo', 'createLibrary'].map((name) => [name, null]));
  expect(await names(own.Id)).toEqual([
    ['testWebhook', 'An endpoint'],
    ['updateWebhookEndpoint', 'An endpoint'],
    ['updateCollection', 'A collection'],
    ['updateLiveStream', 'A stream'],
    ['updateVideo', 'A video'],
    ['createKey', 'A key'],
    ['createWebhookEndpoint', 'An endpoint'],
    ['createCollection', 'A collection'],
    ['createLiveStream', 'A stream'],
    ['createVideo', 'A video'],
    ['createLibrary', null],
  ]);
  const { Targets } = (await audit(own.Id)).Items[0];
  expect(Targets).toMatchObject({ endpointId: hook });
});

test('a caller cannot choose another object for an operation by its query', async () => {
  const { Id } = await createLibrary();
  const body = { name: 'An endpoint', url: 'https://example.com/' };
  const { guid: hook } = Object((await call('POST', `/library/${Id}/webhook-endpoints`, { body })).body);
  const made = await call('POST', `/library/${Id}/videos?endpoint=${hook}`, { body: { title: 'A video' } });
  const { guid } = Object(made.body);
  for (const query of [`endpoint=${hook}`, `endpointId=${hook}`, `endpoint=${hook}&endpoint=${hook}`]) {
    await call('POST', `/library/${Id}/videos/${guid}?${query}`, { body: { title: 'A video' } });
    await call('DELETE', `/library/${Id}/videos/${newGuid()}?${query}`);
  }
  const { Items } = await audit(Id, '?operation=createVideo,updateVideo,deleteVideo');
  expect(Items.map((line: { Object: string | null; ObjectId: string | null }) => [line.Object, line.ObjectId])).toEqual(
    [
      ...Array.from({ length: 3 }, () => [
        [null, null],
        ['A video', guid],
      ]).flat(),
      ['A video', guid],
    ],
  );
  for (const { Targets } of Items) expect(Object.keys(Targets)).not.toContain('endpointId');
});

test('records the old and new values of changed fields, without secrets', async () => {
  const { Id, ApiKey, PullZoneId } = await createLibrary();
  const inLibrary = async (method: string, path: string, body?: object) =>
    Object((await call(method, `/library/${Id}${path}`, { key: ApiKey, ...(body !== undefined && { body }) })).body);
  const video = `/videos/${(await inLibrary('POST', '/videos', { title: 'Weir' })).guid}`;
  const collection = `/collections/${(await inLibrary('POST', '/collections', { name: 'Mills' })).guid}`;
  const stream = `/live/${(await inLibrary('POST', '/live', { title: 'Flood' })).guid}`;
  const sent = { url: 'https://a.example/hook?token=secret-1' };
  const endpoint = `/webhook-endpoints/${(await inLibrary('POST', '/webhook-endpoints', sent)).guid}`;
  const key = Object((await call('POST', `/videolibrary/${Id}/keys`, { body: { Label: 'Web', Scope: 'read' } })).body);
  await inLibrary('POST', video, { title: 'Old weir', metaTags: [{ property: 'a', value: 'b' }] });
  await inLibrary('POST', video, { title: 'Old weir', metaTags: [{ property: 'a', value: 'b' }] });
  await inLibrary('POST', collection, { name: 'Water mills' });
  await inLibrary('PUT', stream, { public: false });
  await inLibrary('POST', endpoint, { enabled: false, url: 'https://a.example/hook?token=secret-2' });
  await call('POST', `/videolibrary/${Id}`, { body: { Name: 'Rivers', PlayerKeyColor: '#123456' } });
  await call('POST', `/pullzone/${PullZoneId}`, { body: { BlockedCountries: ['AQ'] } });
  await call('POST', `/pullzone/${PullZoneId}/resetSecurityKey`);
  await call('POST', `/videolibrary/${Id}`, { body: { Name: ' ' } });
  await call('DELETE', `/videolibrary/${Id}/keys/${key.Id}`);
  await inLibrary('DELETE', endpoint);
  await inLibrary('DELETE', stream);
  await inLibrary('DELETE', collection);
  await inLibrary('DELETE', video);
  const { Items } = await audit(Id);
  type Line = { Operation: string; Changes: { Field: string; Old: string | null; New: string | null }[] };
  const lines = Items.toReversed().map(({ Operation, Changes }: Line) => [
    Operation,
    ...Changes.map(({ Field, Old, New }) => `${Field}: ${Old} → ${New}`),
  ]);
  expect(lines).toEqual([
    ['createLibrary'],
    ['createVideo'],
    ['createCollection', 'name: null → Mills'],
    ['createLiveStream'],
    ['createWebhookEndpoint', 'name: null → ', 'url: null → https://a.example/hook?token=***', 'enabled: null → true'],
    ['createKey', 'Label: null → Web', 'Scope: null → read'],
    ['updateVideo', 'title: Weir → Old weir', 'metaTags:  → [{"property":"a","value":"b"}]'],
    ['updateVideo'],
    ['updateCollection', 'name: Mills → Water mills'],
    ['updateLiveStream', 'public: true → false'],
    [
      'updateWebhookEndpoint',
      'url: https://a.example/hook?token=*** → https://a.example/hook?token=***',
      'enabled: true → false',
    ],
    ['updateLibrary', 'Name: Audited → Rivers', 'PlayerKeyColor: #ff5f1f → #123456'],
    ['updatePullZone', 'BlockedCountries:  → AQ'],
    ['resetSecurityKey', 'ZoneSecurityKey: *** → ***'],
    ['updateLibrary'],
    ['deleteKey', 'Label: Web → null', 'Scope: read → null'],
    ['deleteWebhookEndpoint', 'name:  → null', 'url: https://a.example/hook?token=*** → null', 'enabled: false → null'],
    [
      'deleteLiveStream',
      ...['title: Flood → null', 'public: false → null', 'dvrEnabled: false → null', 'recordVod: false → null'],
    ],
    ['deleteCollection', 'name: Water mills → null'],
    ['deleteVideo', 'title: Old weir → null'],
  ]);
});

test('the values of concurrent changes form one sequence', async () => {
  const { Id, ApiKey } = await createLibrary();
  const given = { key: ApiKey, body: { name: '0' } };
  const { guid } = Object((await call('POST', `/library/${Id}/collections`, given)).body);
  const rename = (name: string) =>
    call('POST', `/library/${Id}/collections/${guid}`, { key: ApiKey, body: { name } }).then(({ status }) => status);
  const names = Array.from({ length: 20 }, (_, index) => String(index + 1));
  expect(await Promise.all(names.map(rename))).toEqual(names.map(() => 200));
  const { Items } = await audit(Id, '?operation=updateCollection');
  const steps = new Map<string, string>(
    Items.map(({ Changes: [{ Old, New }] }: { Changes: [{ Old: string; New: string }] }) => [Old, New]),
  );
  const visited: string[] = [];
  for (let at = steps.get('0'); at !== undefined; at = steps.get(at)) visited.push(at);
  expect(visited.toSorted((a, b) => Number(a) - Number(b))).toEqual(names);
  expect(Object((await call('GET', `/library/${Id}/collections/${guid}`, { key: ApiKey })).body).name).toBe(
    visited.at(-1),
  );
});
