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
