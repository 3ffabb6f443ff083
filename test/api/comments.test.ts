import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCommentStore } from '../../src/catalog/comments/comment-store.ts';
import { createShareCommentStore } from '../../src/catalog/comments/share-comment-store.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { join, type TestPerson } from '../support/people.ts';

let api: TestApi;
let path: string;
let editor: TestPerson;
let viewer: TestPerson;
beforeAll(async () => {
  api = await startTestApi();
  path = await makeVideo();
  editor = await join(api, { role: 'editor', email: 'ed@example.com' });
  viewer = await join(api, { role: 'viewer', email: 'vi@example.com' });
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

async function makeVideo(): Promise<string> {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'A film' } });
  return `/library/1/videos/${Object(body).guid}/comments`;
}

/** Sends a request as a signed-in person, or with the library's key. */
async function as(person: TestPerson | null, method: string, url: string, body?: object) {
  const sender = person === null ? {} : { key: null, headers: person.headers };
  const { status, body: answer, text } = await api.call(method, url, { ...sender, ...(body && { body }) });
  return { status, text, ...Object(answer) };
}

test('people comment, reply, edit, resolve and reopen', async () => {
  const made = await as(viewer, 'POST', path, { text: '  The logo\r\nis <b>late</b>\u0007  ', time: 12.3456 });
  expect(made).toMatchObject({
    status: 200,
    text: 'The logo\nis <b>late</b>',
    time: 12.346,
    authorKind: 'person',
    isOwn: true,
    parentId: null,
    shareId: null,
    isResolved: false,
    dateEdited: null,
    replies: [],
  });
  const own = `${path}/${made.guid}`;
  const reply = await as(editor, 'POST', path, { text: 'Will be moved', parentId: made.guid });
  expect(reply).toMatchObject({ status: 200, parentId: made.guid, time: 12.346 });
  const edited = await as(viewer, 'POST', own, { text: 'The logo is late' });
  expect(edited).toMatchObject({ text: 'The logo is late', dateEdited: expect.any(String) });
  expect(edited.replies).toMatchObject([{ guid: reply.guid, isOwn: false }]);
  const resolved = await as(editor, 'POST', own, { isResolved: true });
  expect(resolved).toMatchObject({ isResolved: true, resolvedBy: reply.authorName });
  const again = await as(editor, 'POST', own, { isResolved: true });
  expect(again.dateResolved).toBe(resolved.dateResolved);
  const opened = await as(viewer, 'POST', own, { isResolved: false });
  expect(opened).toMatchObject({ isResolved: false, resolvedBy: null, dateResolved: null });
});

test('lists comments in the order of the video, in pages, by state, with all replies', async () => {
  const url = await makeVideo();
  for (const time of [30, 10, 20, 10]) await as(null, 'POST', url, { text: `at ${time}`, time });
  const all = await as(null, 'GET', url);
  expect(all.items.map(({ time }: { time: number }) => time)).toEqual([10, 10, 20, 30]);
  const [first, second, third] = all.items;
  expect(first).toMatchObject({ authorKind: 'key', authorName: 'ApiKey', isOwn: true });
  await as(null, 'POST', url, { text: 'a reply', parentId: third.guid });
  await as(null, 'POST', `${url}/${first.guid}`, { isResolved: true });
  const page = await as(null, 'GET', `${url}?state=open&itemsPerPage=2`);
  expect(page).toMatchObject({ totalItems: 3, currentPage: 1, itemsPerPage: 2 });
  expect(page.items).toMatchObject([{ guid: second.guid }, { guid: third.guid, replies: [{ text: 'a reply' }] }]);
  expect((await as(null, 'GET', `${url}?state=open&itemsPerPage=2&page=2`)).items).toHaveLength(1);
  expect((await as(null, 'GET', `${url}?state=resolved`)).items).toMatchObject([{ guid: first.guid }]);
  expect((await as(null, 'GET', `${url}?state=done`)).status).toBe(400);
});

test('only the author edits a comment; the author and editors resolve and delete it', async () => {
  const other = await join(api, { role: 'viewer', email: 'other@example.com' });
  const { guid } = await as(viewer, 'POST', path, { text: 'Mine', time: 1 });
  const own = `${path}/${guid}`;
  for (const [person, body] of [
    [other, { text: 'Yours' }],
    [editor, { text: 'Ours' }],
    [null, { text: 'Its' }],
    [other, { isResolved: true }],
  ] as const) {
    expect((await as(person, 'POST', own, body)).status).toBe(403);
  }
  expect((await as(other, 'DELETE', own)).status).toBe(403);
  const reply = await as(other, 'POST', path, { text: 'A reply', parentId: guid });
  expect(await as(viewer, 'DELETE', own)).toMatchObject({ status: 400, message: expect.stringMatching(/replies/) });
  expect((await as(other, 'DELETE', `${path}/${reply.guid}`)).status).toBe(200);
  expect((await as(viewer, 'DELETE', own)).status).toBe(200);
  const foreign = await as(viewer, 'POST', path, { text: 'Mine', time: 1 });
  await as(other, 'POST', path, { text: 'A reply', parentId: foreign.guid });
  expect((await as(editor, 'DELETE', `${path}/${foreign.guid}`)).status).toBe(200);
  expect((await as(editor, 'DELETE', `${path}/${foreign.guid}`)).status).toBe(404);
});

test('a person without a role in the library can neither read nor write comments', async () => {
  const stranger = await join(api, {
    libraries: [{ LibraryId: api.second.id, Role: 'owner' }],
    email: 'stranger@example.com',
  });
  expect((await as(stranger, 'GET', path)).status).toBe(403);
  expect((await as(stranger, 'POST', path, { text: 'Hello', time: 0 })).status).toBe(403);
});

test.each([
  [{ time: 0 }, /text/],
  [{ text: '', time: 0 }, /text/],
  [{ text: ' \n ', time: 0 }, /Expected text to have 1 to 2000 characters, got 0/],
  [{ text: 'x'.repeat(2_001), time: 0 }, /text/],
  [{ text: 'a' }, /Expected time or parentId, got neither/],
  [{ text: 'a', time: -1 }, /time/],
  [{ text: 'a', time: 'soon' }, /time/],
  [{ text: 'a', time: 1e9 }, /time/],
  [{ text: 'a', parentId: 'none' }, /Expected parentId to be a GUID/],
  [{ text: 'a', time: 1, parentId: newGuid() }, /got both/],
  [{ text: 'a', time: 1, textt: 'b' }, /textt/],
])('rejects %j', async (body, message) => {
  const { status, message: said } = await as(null, 'POST', path, body);
  expect([status, said]).toEqual([400, expect.stringMatching(message)]);
});

test('rejects a time after the end of the video, but not the end that a player reports', async () => {
  const url = await makeVideo();
  const id = url.split('/')[4] as Guid;
  await api.database.db.updateTable('media').set({ duration_ms: 10_000 }).where('id', '=', id).execute();
  expect(await as(null, 'POST', url, { text: 'a', time: 10.04 })).toMatchObject({ status: 200, time: 10 });
  const { status, message } = await as(null, 'POST', url, { text: 'a', time: 12 });
  expect([status, message]).toEqual([400, expect.stringMatching(/0 to 10 s, got 12/)]);
});

test('a reply cannot be replied to or resolved', async () => {
  const { guid } = await as(null, 'POST', path, { text: 'a', time: 1 });
  const reply = await as(null, 'POST', path, { text: 'b', parentId: guid });
  const nested = await as(null, 'POST', path, { text: 'c', parentId: reply.guid });
  expect([nested.status, nested.message]).toEqual([400, expect.stringMatching(`Send the parentId ${guid}`)]);
  expect((await as(null, 'POST', `${path}/${reply.guid}`, { isResolved: true })).status).toBe(400);
  expect((await as(null, 'POST', path, { text: 'c', parentId: newGuid() })).status).toBe(404);
});

test('a video has at most 1,000 comments, also if they arrive simultaneously, and 800 of viewers', async () => {
  const url = await makeVideo();
  const mediaId = url.split('/')[4] as Guid;
  const common = { library_id: 1, media_id: mediaId, at_ms: 0, content: 'a', author_id: '', author_name: 'a' };
  const rows = (count: number, kind: 'guest' | 'person') =>
    Array.from({ length: count }, () => ({ id: newGuid(), ...common, author_kind: kind }));
  await api.database.db.insertInto('review_comment').values(rows(800, 'guest')).execute();
  const store = createCommentStore(api.database.db);
  const { total } = await store.list({ libraryId: 1, mediaId }, { state: 'all', offset: 0, limit: 1 });
  expect(total).toBe(800);
  await api.database.db.insertInto('review_comment').values(rows(195, 'person')).execute();
  const sent = Array.from({ length: 20 }, () => as(null, 'POST', url, { text: 'a', time: 0 }));
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  expect(statuses.filter((status) => status === 400)).toHaveLength(15);
});

test('comments of a video in the trash, of another video and of another library are not found', async () => {
  const { guid } = await as(null, 'POST', path, { text: 'a', time: 1 });
  const other = await makeVideo();
  expect((await as(null, 'POST', `${other}/${guid}`, { text: 'b' })).status).toBe(404);
  expect((await as(null, 'POST', other, { text: 'b', parentId: guid })).status).toBe(404);
  const trashed = await makeVideo();
  await as(null, 'POST', trashed, { text: 'kept', time: 1 });
  const video = trashed.replace('/comments', '');
  await api.call('DELETE', `${video}?trash=true`);
  expect((await as(null, 'GET', trashed)).status).toBe(404);
  expect((await as(null, 'POST', trashed, { text: 'b', time: 1 })).status).toBe(404);
  await api.call('POST', `/library/1/trash/${video.split('/').at(-1)}/restore`);
  expect((await as(null, 'GET', trashed)).items).toMatchObject([{ text: 'kept' }]);
});

test('a deleted share page leaves its comments, and a deleted video none', async () => {
  const url = await makeVideo();
  const video = url.replace('/comments', '');
  const mediaId = url.split('/')[4] as Guid;
  const { body } = await api.call('POST', `${video}/shares`, { body: { allowComments: true } });
  const other = Object((await api.call('POST', `${video}/shares`, { body: { allowComments: true } })).body);
  const store = createShareCommentStore(api.database.db);
  const author = { kind: 'guest', id: '', name: 'Ada' } as const;
  for (const shareId of [Object(body).guid, other.guid]) {
    const key = { libraryId: 1, mediaId, shareId };
    const { id } = await store.add(key, { text: 'a', author, place: { atMs: 0 } });
    await store.add(key, { text: 'b', author, place: { parentId: id } });
  }
  const isOwn = ({ authorKind, isOwn: own }: { authorKind: string; isOwn: boolean }) => [authorKind, own];
  expect((await as(null, 'GET', url)).items.map(isOwn)).toEqual([
    ['guest', false],
    ['guest', false],
  ]);
  await api.call('DELETE', `${video}/shares/${Object(body).guid}`);
  const { items } = await as(null, 'GET', url);
  expect(items.map(({ shareId }: { shareId: string | null }) => shareId)).toEqual([null, other.guid]);
  await api.call('DELETE', video);
  const left = await api.database.db
    .selectFrom('review_comment')
    .select('id')
    .where('media_id', '=', mediaId)
    .execute();
  expect(left).toEqual([]);
});

test('only share pages of a video can allow comments', async () => {
  const { body } = await api.call('POST', '/library/1/collections', { body: { name: 'Films' } });
  const shares = `/library/1/collections/${Object(body).guid}/shares`;
  expect((await as(null, 'POST', shares, { allowComments: true })).status).toBe(400);
  const { guid } = await as(null, 'POST', shares, { allowComments: false });
  expect((await as(null, 'POST', `${shares}/${guid}`, { allowComments: true })).status).toBe(400);
});

test('the audit log records each change with its text', async () => {
  const { guid } = await as(editor, 'POST', path, { text: 'first text', time: 1 });
  await as(editor, 'POST', `${path}/${guid}`, { text: 'second text' });
  await as(editor, 'DELETE', `${path}/${guid}`);
  const lines = await api.database.db.selectFrom('audit_line').selectAll().orderBy('id').execute();
  const own = lines.filter(({ targets }) => JSON.stringify(targets).includes(guid));
  expect(own.map(({ operation }) => operation)).toEqual(['createComment', 'updateComment', 'deleteComment']);
  expect(own[1]?.changes).toEqual([{ field: 'text', old: 'first text', new: 'second text' }]);
});
