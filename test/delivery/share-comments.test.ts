import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MAX_VIEWER_COMMENTS } from '../../src/catalog/comments/comment.ts';
import type { ShareFields } from '../../src/catalog/shares/share-store.ts';
import { createTrashStore } from '../../src/catalog/videos/trash-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { type CommentRoom, EDITOR, MINE, openCommentRoom, PATIENCE, sendComment as post } from './comment-room.ts';
import type { PublishedFilm } from './publish.ts';
import { cookieOf, newClient, requestCodeFrom, send } from './share-code-requests.ts';

const PASSWORD = 'summer party';

let fixture: CommentRoom;
let shown: PublishedFilm;
beforeAll(async () => {
  fixture = await openCommentRoom();
  shown = await fixture.makeFilm();
});
afterAll(() => fixture?.close());
beforeEach(() => void fixture.mail.mails.splice(0));

const share = (fields: Partial<ShareFields> = {}, film = shown) => fixture.share(film, fields);
const read = (url: string, headers = {}) => fetch(`${url}/comments`, { headers });
const listOf = async (url: string) => Object(await (await read(url)).json()).comments;

test('viewers see the comments of their page and the replies of the team, but no others', async () => {
  const [own, other] = [await share(), await share()];
  const made = Object(await (await post(own.url, { ...MINE, name: ' Ada \u202e Lovelace\n' })).json());
  expect(made).toEqual({
    id: expect.any(String),
    text: 'The logo is late',
    author: 'Ada Lovelace',
    from: 'guest',
    created: expect.any(String),
    time: 2.5,
    isResolved: false,
    replies: [],
  });
  await post(other.url, { ...MINE, text: 'A secret of another client' });
  await fixture.team.create(shown, { text: 'Internal', author: EDITOR, place: { atMs: 0 } });
  const place = { parentId: made.id };
  await fixture.team.create(shown, { text: 'Moved', author: EDITOR, place });
  await fixture.team.create(shown, { text: 'By a key', author: { kind: 'key', id: 'ApiKey', name: 'ApiKey' }, place });
  await fixture.team.create(shown, { text: 'No name', author: { ...EDITOR, name: 'ed@example.com' }, place });
  expect((await post(own.url, { text: 'Thanks', name: 'Ada', parentId: made.id })).status).toBe(200);
  await expect
    .poll(() => listOf(own.url), PATIENCE)
    .toMatchObject([
      {
        text: 'The logo is late',
        replies: [
          { text: 'Moved', author: 'Ed Editor', from: 'team' },
          { text: 'By a key', author: '', from: 'team' },
          { text: 'No name', author: '', from: 'team' },
          { text: 'Thanks', author: 'Ada', from: 'guest' },
        ],
      },
    ]);
  const [foreign] = await listOf(other.url);
  expect((await post(own.url, { text: 'Hello', name: 'Ada', parentId: foreign.id })).status).toBe(404);
  expect(Object((await fixture.team.list(shown, { state: 'all', offset: 0, limit: 9 })).threads[1])).toMatchObject({
    author: { kind: 'guest', id: '', name: 'Ada Lovelace' },
  });
});

test.each([
  ['{', 400],
  ['[]', 400],
  [{}, 400],
  [{ ...MINE, text: ' ' }, 400],
  [{ ...MINE, text: 'x'.repeat(2_001) }, 400],
  [{ ...MINE, name: '' }, 400],
  [{ ...MINE, name: 'x'.repeat(81) }, 400],
  [{ ...MINE, time: -1 }, 400],
  [{ ...MINE, time: '1' }, 400],
  [{ ...MINE, time: 1e12 }, 400],
  [{ ...MINE, time: undefined }, 400],
  [{ ...MINE, parentId: 'x', time: undefined }, 400],
  [{ ...MINE, parentId: newGuid(), time: undefined }, 404],
  [{ ...MINE, kind: 'person' }, 400],
  ['x'.repeat(40_000), 413],
])('refuses %j', async (body, status) => {
  const { url } = await share();
  expect((await post(url, body)).status).toBe(status);
  expect(await listOf(url)).toEqual([]);
});

test.each(['', ' ', '\u200b\u3164', '\u202e', 'Team', 't e a m', 'Équipe', '团队', 'Ｔｅａｍ', 'x'.repeat(81)])(
  'refuses the name %j with its own code',
  async (name) => {
    const { url } = await share();
    const answer = await post(url, { ...MINE, name });
    expect([answer.status, Object(await answer.json()).error]).toEqual([400, 'invalid-name']);
    expect(await listOf(url)).toEqual([]);
  },
);

test('a comment cannot change the direction of the text after it', async () => {
  const { url } = await share();
  const made = Object(await (await post(url, { ...MINE, text: 'a\u202eb\u2066c', name: 'A\u202eda' })).json());
  expect([made.text, made.author]).toEqual(['abc', 'Ada']);
});

test('refuses requests of other sites', async () => {
  const { url } = await share();
  const { host, origin } = new URL(url);
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `https://${host}` },
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ]) {
    expect([headers, (await post(url, MINE, headers)).status]).toEqual([headers, 403]);
  }
  for (const headers of [{ origin }, { 'sec-fetch-site': 'same-origin' }]) {
    expect((await post(url, MINE, headers)).status).toBe(200);
  }
});

test('viewers without the password, or of an expired or deleted share, cannot read or write comments', async () => {
  const { url, key } = await share({ password: PASSWORD });
  expect([(await read(url)).status, (await post(url, MINE)).status]).toEqual([403, 403]);
  const cookie = cookieOf(await send(url, { password: PASSWORD }));
  expect((await post(url, MINE, { cookie })).status).toBe(200);
  expect(await (await read(url, { cookie })).text()).toContain('The logo is late');
  expect(await (await read(url)).text()).not.toContain('logo');
  await fixture.shares.update(key, { expiresAt: new Date(Date.now() - 1) });
  await expect.poll(async () => (await read(url, { cookie })).status, PATIENCE).toBe(410);
  expect((await post(url, MINE, { cookie })).status).toBe(410);
  await fixture.shares.remove(key);
  await expect.poll(async () => (await read(url, { cookie })).status, PATIENCE).toBe(404);
  expect((await post(url, MINE, { cookie })).status).toBe(404);
  const kept = await fixture.team.list(shown, { state: 'all', offset: 0, limit: 1_000 });
  expect(kept.threads.filter(({ shareId }) => shareId === key.shareId)).toEqual([]);
});

test('the database refuses a comment for a share that an edge still knows', async () => {
  const { url, key } = await share();
  expect((await read(url)).status).toBe(200);
  await fixture.shares.update(key, { allowsComments: false });
  expect((await post(url, MINE)).status).toBe(404);
});

test('a page that allows no comments serves none, and neither does one of a video in the trash', async () => {
  const { url } = await share({ allowsComments: false });
  expect([(await read(url)).status, (await post(url, MINE)).status]).toEqual([404, 404]);
  expect(await (await fetch(url)).text()).not.toContain('id="comments"');
  const film = await fixture.makeFilm();
  const trashed = await share({}, film);
  await createTrashStore(fixture.database.db).put(film);
  await expect.poll(async () => (await read(trashed.url)).status, PATIENCE).toBe(404);
  expect((await post(trashed.url, MINE)).status).toBe(404);
});

test('limits the comments of a client, and of viewers of a video', async () => {
  const film = await fixture.makeFilm();
  const { url, key } = await share({}, film);
  const client = newClient();
  const statuses = [];
  for (let count = 0; count < 31; count += 1) statuses.push((await post(url, MINE, client)).status);
  expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
  expect((await post(url, MINE)).status).toBe(200);
  const common = { library_id: film.libraryId, media_id: film.mediaId, at_ms: 0, content: 'a', author_id: '' };
  const rows = Array.from({ length: MAX_VIEWER_COMMENTS - 31 }, () => ({
    id: newGuid(),
    ...common,
    share_id: key.shareId,
    author_kind: 'guest' as const,
    author_name: 'a',
  }));
  await fixture.database.db.insertInto('review_comment').values(rows).execute();
  expect((await post(url, MINE)).status).toBe(400);
  const made = await fixture.team.create(film, { text: 'There is room', author: EDITOR, place: { atMs: 0 } });
  expect(made.text).toBe('There is room');
});

test('limits the comments of a share', async () => {
  const { url } = await share({}, await fixture.makeFilm());
  const statuses = [];
  for (let count = 0; count < 201; count += 1) statuses.push((await post(url, MINE)).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(200);
  expect(statuses.at(-1)).toBe(429);
});

test('the referrer rules of the library apply, and allow the page itself', async () => {
  const film = await fixture.publish({ access: { allowedReferrers: ['good.test'] } });
  const { url } = await fixture.share(film);
  const from = async (referer: string) => [
    (await read(url, { referer })).status,
    (await post(url, MINE, { referer })).status,
  ];
  expect(await from('https://bad.test/')).toEqual([403, 403]);
  expect(await from(url)).toEqual([200, 200]);
});

test('a list that has not changed is not sent again', async () => {
  const { url } = await share();
  await post(url, MINE);
  const { headers } = await read(url);
  expect((await read(url, { 'if-none-match': headers.get('etag') })).status).toBe(304);
});

test('a confirmed address is the name of its viewer', async () => {
  const { url, key } = await share({ emailDomains: ['example.com'], allowsComments: false });
  const code = await requestCodeFrom(fixture.mail, url);
  const nameless = cookieOf(await send(url, { email: 'ada@example.com', code }));
  expect((await fetch(url, { headers: { cookie: nameless } })).status).toBe(200);
  await fixture.shares.update(key, { allowsComments: true });
  // An earlier pass does not name the viewer, who has to enter a code again.
  await expect.poll(async () => (await fetch(url, { headers: { cookie: nameless } })).status, PATIENCE).toBe(403);
  expect((await post(url, MINE, { cookie: nameless })).status).toBe(403);
  const again = await requestCodeFrom(fixture.mail, url);
  const cookie = cookieOf(await send(url, { email: 'ada@example.com', code: again }));
  expect(await (await fetch(url, { headers: { cookie } })).text()).toContain('<strong>ada@example.com</strong>');
  const made = Object(await (await post(url, { ...MINE, name: 'Somebody else' }, { cookie })).json());
  expect(made).toMatchObject({ author: 'ada@example.com', from: 'email' });
  const [pass = '', proof = ''] = cookie.split('.');
  const forged = `${pass}.${proof}.${Buffer.from('eve@example.com').toString('base64url')}`;
  expect((await post(url, MINE, { cookie: forged })).status).toBe(403);
});
