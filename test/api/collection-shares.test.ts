import { afterAll, beforeAll, expect, test } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { join } from '../support/people.ts';

let api: TestApi;
let collection: string;
let path: string;
beforeAll(async () => {
  api = await startTestApi();
  collection = await makeCollection();
  path = `${collection}/shares`;
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

async function makeCollection(name = 'A "quoted" <course>'): Promise<string> {
  const { body } = await api.call('POST', '/library/1/collections', { body: { name } });
  return `/library/1/collections/${Object(body).guid}`;
}

const idOf = (collectionPath: string) => collectionPath.split('/').at(-1) ?? '';

async function makeVideo(title: string, into = collection): Promise<string> {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title, collectionId: idOf(into) } });
  return Object(body).guid;
}

const create = async (body: object = {}) => Object((await api.call('POST', path, { body })).body);
const orderOf = async (of: string) => {
  const { order, videos } = Object((await api.call('GET', `${of}/order`)).body);
  return [order, videos.map(({ guid }: { guid: string }) => guid)];
};

test('creates, lists, changes and deletes shares of a collection', async () => {
  const { status, body } = await api.call('POST', path, { body: { password: 'summer party', allowDownload: true } });
  const share = Object(body);
  expect([status, share]).toEqual([200, expect.objectContaining({ access: 'password', allowDownload: true })]);
  expect(share.url).toMatch(/^http:\/\/edge\.test\/share\/[A-Za-z0-9_-]{43}$/);
  const other = await create();
  expect(Object((await api.call('GET', path)).body).items).toEqual([share, other]);
  const changed = await api.call('POST', `${path}/${share.guid}`, { body: { password: null } });
  expect(changed.body).toEqual({ ...share, access: 'link' });
  for (const { guid } of [share, other]) expect((await api.call('DELETE', `${path}/${guid}`)).status).toBe(200);
  expect((await api.call('DELETE', `${path}/${share.guid}`)).status).toBe(404);
});

test('a share is managed only below its own collection', async () => {
  const { guid } = await create();
  const other = await makeCollection('Other');
  const video = await makeVideo('A video');
  for (const foreign of [`${other}/shares`, `/library/1/videos/${video}/shares`]) {
    expect((await api.call('DELETE', `${foreign}/${guid}`)).status).toBe(404);
    expect((await api.call('POST', `${foreign}/${guid}`, { body: {} })).status).toBe(404);
    expect(Object((await api.call('GET', foreign)).body).items).toEqual([]);
  }
  const foreign = `/library/${api.second.id}/collections/${idOf(collection)}`;
  for (const part of ['shares', 'order']) {
    expect((await api.call('GET', `${foreign}/${part}`, { key: api.second.key })).status).toBe(404);
  }
});

test('an unknown collection has no shares and no order', async () => {
  const unknown = `/library/1/collections/${newGuid()}`;
  for (const [method, part, body] of [
    ['GET', 'shares'],
    ['POST', 'shares', {}],
    ['GET', 'order'],
    ['POST', 'order', { order: 'title' }],
    ['POST', 'order', { order: 'manual', videoIds: [] }],
  ] as const) {
    const { status } = await api.call(method, `${unknown}/${part}`, body && { body });
    expect(status, `${method} ${part}`).toBe(404);
  }
});

test('deleting a collection deletes its shares, and at most 100 exist', async () => {
  const own = await makeCollection('Much shared');
  for (let count = 0; count < 100; count += 1) expect((await api.call('POST', `${own}/shares`)).status).toBe(200);
  const { status, text } = await api.call('POST', `${own}/shares`);
  expect([status, text]).toEqual([400, expect.stringMatching(/already has 100 shares/)]);
  expect((await api.call('DELETE', own)).status).toBe(200);
  const rows = await api.database.db
    .selectFrom('share')
    .select('id')
    .where('collection_id', '=', idOf(own) as never)
    .execute();
  expect(rows).toEqual([]);
});

test('the order is by creation until it is changed, and new videos follow a manual order', async () => {
  const own = await makeCollection('Ordered');
  const [b, a, c] = [await makeVideo('b', own), await makeVideo('a', own), await makeVideo('c', own)];
  expect(await orderOf(own)).toEqual(['oldest', [b, a, c]]);
  const set = (body: object) => api.call('POST', `${own}/order`, { body });
  expect((await set({ order: 'newest' })).status).toBe(200);
  expect(await orderOf(own)).toEqual(['newest', [c, a, b]]);
  await set({ order: 'title' });
  expect(await orderOf(own)).toEqual(['title', [a, b, c]]);
  const { body } = await set({ order: 'manual', videoIds: [c, a, b] });
  expect(Object(body).videos.map(({ title }: { title: string }) => title)).toEqual(['c', 'a', 'b']);
  const d = await makeVideo('d', own);
  expect(await orderOf(own)).toEqual(['manual', [c, a, b, d]]);
  await set({ order: 'manual', videoIds: [d] });
  expect(await orderOf(own)).toEqual(['manual', [d, b, a, c]]);
  // An order without ids keeps the arrangement.
  await set({ order: 'title' });
  await set({ order: 'manual' });
  expect(await orderOf(own)).toEqual(['manual', [d, b, a, c]]);
  await api.call('POST', `/library/1/videos/${d}`, { body: { collectionId: '' } });
  expect(await orderOf(own)).toEqual(['manual', [b, a, c]]);
});

test('rejects orders with unknown, repeated or too many videos', async () => {
  const id = await makeVideo('Mine');
  const foreign = await makeVideo('Elsewhere', await makeCollection('Other'));
  for (const [body, message] of [
    [{ order: 'manual', videoIds: [id, id] }, /Expected each video once in videoIds, got .+ twice/],
    [{ order: 'manual', videoIds: [id, id.toUpperCase()] }, /twice/],
    [{ order: 'manual', videoIds: [foreign] }, /Expected the ids of videos in the collection, got /],
    [{ order: 'manual', videoIds: [newGuid()] }, /Expected the ids of videos in the collection, got /],
    [{ order: 'manual', videoIds: ["'; drop table share"] }, /Expected GUIDs of videos as videoIds/],
    [{ order: 'manual', videoIds: Array.from({ length: 501 }, () => newGuid()) }, /videoIds/],
    [{ order: 'title', videoIds: [id] }, /Expected videoIds only with the order "manual", got "title"/],
    [{ order: 'sideways' }, /order/],
    [{ videoIds: [id] }, /order/],
    [{ order: 'manual', ids: [id] }, /videoIds/],
  ] as const) {
    const { status, text } = await api.call('POST', `${collection}/order`, { body });
    expect([status, text], JSON.stringify(body).slice(0, 80)).toEqual([400, expect.stringMatching(message)]);
  }
});

test('editors change order and shares, viewers only see the order, and the audit log has each change', async () => {
  const viewer = await join(api, { role: 'viewer', email: 'vi@example.com' });
  const as = { key: null, headers: viewer.headers };
  expect((await api.call('GET', `${collection}/order`, as)).status).toBe(200);
  expect((await api.call('POST', `${collection}/order`, { ...as, body: { order: 'title' } })).status).toBe(403);
  expect((await api.call('GET', path, as)).status).toBe(403);
  expect((await api.call('POST', path, { ...as, body: {} })).status).toBe(403);
  const { guid } = await create({ password: 'summer party' });
  await api.call('POST', `${collection}/order`, { body: { order: 'title' } });
  await api.call('DELETE', `${path}/${guid}`);
  const lines = await api.database.db.selectFrom('audit_line').selectAll().orderBy('id').execute();
  const made = lines.map(({ operation }) => operation);
  expect(made.slice(-3)).toEqual(['createCollectionShare', 'updateVideoOrder', 'deleteCollectionShare']);
  expect(JSON.stringify(lines)).not.toContain('summer party');
});

test('oEmbed describes the page of a collection unless it has a password or no video', async () => {
  const own = await makeCollection('A course');
  const made = Object((await api.call('POST', `${own}/shares`)).body);
  const ask = (url: string) => api.call('GET', `/OEmbed?${new URLSearchParams({ url })}`, { key: null });
  expect((await ask(made.url)).status).toBe(404);
  const id = await makeVideo('First', own);
  await api.database.db
    .updateTable('media')
    .set({ state: 'finished' })
    .where('id', '=', id as never)
    .execute();
  const { body } = await ask(made.url);
  expect(body).toMatchObject({ title: 'A course', html: expect.stringContaining(`src="${made.url}/player"`) });
  await api.call('POST', `${own}/shares/${made.guid}`, { body: { password: 'summer party' } });
  expect((await ask(made.url)).status).toBe(404);
});
