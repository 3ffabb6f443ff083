import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Millrace } from '../../sdk/src/millrace.ts';
import { signEmbedToken } from '../../src/catalog/libraries/embed-token.ts';
import { loadZonePolicy } from '../../src/catalog/pull-zones/zone-policy-store.ts';
import { openZoneFiles } from '../../src/cli/client/zone-files.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { createEdgeFixture } from '../delivery/start-test-edge.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { freePort } from '../support/service.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

let api: TestApi;
let edgePort: number;
let receiver: Receiver;
beforeAll(async () => {
  edgePort = await freePort();
  const edgeUrl = `http://127.0.0.1:${edgePort}`;
  [api, receiver] = await Promise.all([startTestApi({ edgeUrl }), startReceiver()]);
});
afterAll(async () => {
  await receiver.stop();
  await api.stop();
});

const VIEWERS = '/library/1/viewers';
const change = (body: object) => api.call('POST', VIEWERS, { body });
const policy = () => loadZonePolicy({ db: api.database.db, secretBox: api.secretBox }, { by: 'library', libraryId: 1 });

test('admits everybody until a method is complete, then requires tokens, and keeps the settings', async () => {
  expect(Object((await api.call('GET', VIEWERS)).body)).toMatchObject({ mode: 'off', secret: null, cacheSec: 14_400 });
  expect(await policy()).toMatchObject({ embedTokenRequired: false, settings: { tokenRequired: false } });
  for (const [body, field] of [
    [{ mode: 'hook' }, 'url'],
    [{ mode: 'hook', url: 'ftp://shop.example/' }, 'url'],
    [{ mode: 'hook', url: 'https://user:pass@shop.example/' }, 'url'],
    [{ mode: 'jwt', issuer: 'a', audience: 'b' }, 'jwksUrl'],
    [{ mode: 'jwt', audience: 'b', jwksUrl: 'https://a.example/' }, 'issuer'],
    [{ cacheSec: 5 }, 'cacheSec'],
    [{ mode: 'on' }, 'mode'],
    [{ fail_open: true }, 'fail_open'],
  ] as const) {
    const answer = await change(body);
    expect([field, answer.status, JSON.stringify(answer.body).includes(field)]).toEqual([field, 400, true]);
  }
  expect((await change({ mode: 'hook', url: 'https://shop.example/may-watch' })).status).toBe(200);
  expect(await policy()).toMatchObject({ embedTokenRequired: true, settings: { tokenRequired: true } });
  const library = await api.call('GET', '/videolibrary/1', { key: api.first.accountKey });
  expect(Object(library.body)).toMatchObject({ PlayerTokenAuthenticationEnabled: false });
  const { guid } = Object((await api.call('POST', '/library/1/videos', { body: { title: 'a' } })).body);
  expect((await api.call('GET', `/library/1/videos/${guid}/play`, { key: null })).status).toBe(401);
  await change({ mode: 'off' });
  expect(await policy()).toMatchObject({ embedTokenRequired: false, settings: { tokenRequired: false } });
});

test('the secret stays until it is renewed, and read-only keys do not see it', async () => {
  const secretOf = async (body: object) => Object((await change(body)).body).secret;
  const first = await secretOf({ mode: 'hook', url: 'https://shop.example/' });
  expect(first).toMatch(/^[\w-]{43}$/);
  expect(await secretOf({ failOpen: true })).toBe(first);
  expect((await change({ renewSecret: true, url: 'ftp://shop.example/' })).status).toBe(400);
  expect(Object((await api.call('GET', VIEWERS)).body).secret).toBe(first);
  const renewed = await secretOf({ renewSecret: true });
  expect(renewed).not.toBe(first);
  expect(await policy()).toMatchObject({ viewers: { mode: 'hook', secret: renewed, failOpen: true } });
  const { ReadOnlyApiKey } = Object((await api.call('GET', '/videolibrary/1', { key: api.first.accountKey })).body);
  expect((await api.call('GET', VIEWERS, { key: ReadOnlyApiKey })).status).toBe(403);
  expect((await api.call('GET', VIEWERS, { key: api.second.key })).status).toBe(401);
});

test('a test of the settings shows the verdict and its time', async () => {
  const ask = (body: object) => api.call('POST', `${VIEWERS}/test`, { body });
  const videoId = '6f1c0f6e-6f4e-4e0c-9a3b-0d8f3c8f0a11';
  await change({ mode: 'off' });
  expect((await ask({ videoId })).status).toBe(409);
  await change({ mode: 'hook', url: receiver.url });
  const answer = await ask({ videoId, viewer: 'customer' });
  // The receiver sends an empty response, which contains no verdict.
  expect(answer.body).toMatchObject({ verdict: 'unchecked', validSec: null, durationMs: expect.any(Number) });
  expect((await ask({ videoId: 'none' })).status).toBe(400);
});

test('files in play data are open until the decision about the viewer ends', async () => {
  await change({ mode: 'hook', url: 'https://shop.example/' });
  const { guid } = Object((await api.call('POST', '/library/1/videos', { body: { title: 'a' } })).body);
  await api.database.db
    .updateTable('media')
    .set({ thumbnail_key: 'k' as StorageKey })
    .where('id', '=', guid)
    .execute();
  const stream = Object((await api.call('POST', '/library/1/live', { body: { title: 'b', public: true } })).body);
  const expiresSec = Math.floor(Date.now() / 1000) + 600;
  for (const [id, path] of [
    [guid, `/library/1/videos/${guid}/play?`],
    [guid, `/library/1/videos/${guid}/play/heatmap?`],
    [stream.guid, `/library/1/live/${stream.guid}/play?`],
    [guid, `/OEmbed?url=${encodeURIComponent(`http://127.0.0.1:${edgePort}/embed/1/${guid}`)}&`],
  ] as const) {
    const { token } = signEmbedToken(api.first.libraryKey, id, { expiresSec });
    const { status, text } = await api.call('GET', `${path}token=${token}&expires=${expiresSec}`, { key: null });
    const ends = [...text.matchAll(/expires=(\d+)/g)].map(([, end]) => Number(end));
    expect([path, status, ends.length > 0, new Set(ends)]).toEqual([path, 200, true, new Set([expiresSec])]);
  }
});

test('an export reads files of a library whose owner decides about viewers', async () => {
  await change({ mode: 'hook', url: 'https://shop.example/' });
  const fixture = await createEdgeFixture(api.database);
  onTestFinished(() => fixture.close());
  const edge = await fixture.start({ port: edgePort });
  onTestFinished(() => edge.close());
  const { guid } = Object((await api.call('POST', '/library/1/videos', { body: { title: 'c' } })).body);
  const thumbnail_key = await fixture.storage.write(`${guid}/t`, Buffer.from('a picture'));
  await api.database.db.updateTable('media').set({ thumbnail_key }).where('id', '=', guid).execute();
  const millrace = new Millrace({ url: api.url, key: api.first.accountKey });
  const files = await openZoneFiles({ millrace, library: 1, url: api.url });
  expect(await (await files(`/${guid}/thumbnail.jpg`, 0)).text()).toBe('a picture');
  await change({ mode: 'off' });
  const { pullZone } = (await api.libraries.findLibrary(1)) ?? {};
  const open = () => fetch(`http://127.0.0.1:${edgePort}/${pullZone?.name}/${guid}/thumbnail.jpg`);
  // The database notifies the edge of the change.
  await expect.poll(async () => (await open()).status, { timeout: 60_000 }).toBe(200);
  expect(await (await files(`/${guid}/thumbnail.jpg`, 0)).text()).toBe('a picture');
});
