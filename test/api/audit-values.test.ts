import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallOptions, startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let accountKey: string;
beforeAll(async () => {
  api = await startTestApi();
  accountKey = String(api.first.accountKey);
});
afterAll(() => api.stop());

const call = (method: string, path: string, options: CallOptions = {}) =>
  api.call(method, path, { key: accountKey, ...options });
const audit = async (id: number, query = '') => Object((await call('GET', `/videolibrary/${id}/audit${query}`)).body);
const createLibrary = async () => Object((await call('POST', '/videolibrary', { body: { Name: 'Audited' } })).body);

type Line = { Operation: string; Changes: { Field: string; Old: string | null; New: string | null }[] };

/** Returns the operations of a library with their changes, oldest first. */
async function linesOf(id: number): Promise<string[][]> {
  const { Items } = await audit(id);
  return Items.toReversed().map(({ Operation, Changes }: Line) => [
    Operation,
    ...Changes.map(({ Field, Old, New }) => `${Field}: ${Old} → ${New}`),
  ]);
}

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
  expect(await linesOf(Id)).toEqual([
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

test('records renewed keys, host names and the order of a collection', async () => {
  const { Id, ApiKey, PullZoneId } = await createLibrary();
  const inLibrary = async (path: string, body?: object, method = 'POST') =>
    Object((await call(method, `/library/${Id}${path}`, { key: ApiKey, ...(body !== undefined && { body }) })).body);
  const { guid } = await inLibrary('/collections', { name: 'Mills' });
  const stream = (await inLibrary('/live', { title: 'Flood' })).guid;
  const hostname = { body: { Hostname: 'videos.example.com' } };
  await inLibrary(`/collections/${guid}/order`, { order: 'title' });
  await inLibrary(`/live/${stream}/regenerate-key`, undefined, 'PUT');
  await call('POST', `/pullzone/${PullZoneId}/addHostname`, hostname);
  await call('DELETE', `/pullzone/${PullZoneId}/removeHostname`, hostname);
  await call('POST', `/videolibrary/${Id}/resetReadOnlyApiKey`);
  await call('POST', `/videolibrary/${Id}/resetApiKey`);
  expect((await linesOf(Id)).slice(3)).toEqual([
    ['updateVideoOrder', 'order: oldest → title'],
    ['regenerateStreamKey', 'streamKey: *** → ***'],
    ['addHostname', 'Hostname: null → videos.example.com'],
    ['removeHostname', 'Hostname: videos.example.com → null'],
    ['resetReadOnlyApiKey', 'ReadOnlyApiKey: *** → ***'],
    ['resetApiKey', 'ApiKey: *** → ***'],
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
