import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openSmtpMailer } from '../../src/adapters/mailer/open-smtp-mailer.ts';
import { MAX_VIEWER_COMMENTS } from '../../src/catalog/comments/comment.ts';
import { createCommentStore } from '../../src/catalog/comments/comment-store.ts';
import { createShareStore, type ShareFields, type ShareKey } from '../../src/catalog/shares/share-store.ts';
import { createTrashStore } from '../../src/catalog/videos/trash-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import type { Mailer } from '../../src/ports/mailer.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { openPlayerRoom, type PlayerRoom } from './player-room.ts';
import type { PublishedFilm } from './publish.ts';
import { cookieOf, newClient, requestCodeFrom, send } from './share-code-requests.ts';
import type { TestEdge } from './start-test-edge.ts';
import { withPage } from './with-page.ts';

const TITLE = 'Harbour at dawn';
const PASSWORD = 'summer party';
const PATIENCE = { timeout: 60_000 };
const EDITOR = { kind: 'person', id: 'ed', name: 'Ed Editor' } as const;

let room: PlayerRoom;
let edge: TestEdge;
let mail: MailServer;
let mailer: Mailer;
let shown: PublishedFilm;
const shares = () => createShareStore({ db: room.database.db, secretBox: createSecretBox(TEST_SECRET) });
const team = () => createCommentStore(room.database.db);

beforeAll(async () => {
  mail = await startMailServer();
  room = await openPlayerRoom(240, [90]);
  mailer = openSmtpMailer({ url: mail.url, user: null, password: null, from: 'videos@millrace.test' });
  edge = await room.edges.start({ mailer, trustedProxies: ['127.0.0.1'] });
  shown = await publish();
});
beforeEach(() => void mail.mails.splice(0));
// Later parts of the set-up do not exist if an earlier one failed.
afterAll(async () => {
  mailer?.close();
  await mail?.close();
  await edge?.close();
  await room?.close();
});

async function publish(): Promise<PublishedFilm> {
  const film = await room.publish({ access: { playerTokenRequired: true } });
  const { db } = room.database;
  await db.updateTable('media').set({ title: TITLE }).where('id', '=', film.mediaId).execute();
  return film;
}

type Made = { key: ShareKey; url: string };

async function share(fields: Partial<ShareFields> = {}, { libraryId, mediaId } = shown): Promise<Made> {
  const basic = { password: null, allowsDownload: false, allowsComments: true, expiresAt: null, createdBy: 'test' };
  const { id, token } = await shares().create({ libraryId, mediaId }, { ...basic, ...fields });
  return { key: { libraryId, mediaId, shareId: id }, url: `${edge.base}/share/${token}` };
}

/** Sends a comment. Each request is of a new client, unless `headers` name one. */
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}/comments`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json', ...newClient(), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const read = (url: string, headers = {}) => fetch(`${url}/comments`, { headers });
const listOf = async (url: string) => Object(await (await read(url)).json()).comments;
const MINE = { text: 'The logo is late', name: 'Ada', time: 2.5 };

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
  await team().create(shown, { text: 'Internal', author: EDITOR, place: { atMs: 0 } });
  const place = { parentId: made.id };
  await team().create(shown, { text: 'Moved', author: EDITOR, place });
  await team().create(shown, { text: 'By a key', author: { kind: 'key', id: 'ApiKey', name: 'ApiKey' }, place });
  await team().create(shown, { text: 'No name', author: { ...EDITOR, name: 'ed@example.com' }, place });
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
  expect(Object((await team().list(shown, { state: 'all', offset: 0, limit: 9 })).threads[1])).toMatchObject({
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

test('a viewer without the password, and one of an expired or deleted share, gets and writes nothing', async () => {
  const { url, key } = await share({ password: PASSWORD });
  expect([(await read(url)).status, (await post(url, MINE)).status]).toEqual([403, 403]);
  const cookie = cookieOf(await send(url, { password: PASSWORD }));
  expect((await post(url, MINE, { cookie })).status).toBe(200);
  expect(await (await read(url, { cookie })).text()).toContain('The logo is late');
  expect(await (await read(url)).text()).not.toContain('logo');
  await shares().update(key, { expiresAt: new Date(Date.now() - 1) });
  await expect.poll(async () => (await read(url, { cookie })).status, PATIENCE).toBe(410);
  expect((await post(url, MINE, { cookie })).status).toBe(410);
  await shares().remove(key);
  await expect.poll(async () => (await read(url, { cookie })).status, PATIENCE).toBe(404);
  expect((await post(url, MINE, { cookie })).status).toBe(404);
  const kept = await team().list(shown, { state: 'all', offset: 0, limit: 1_000 });
  expect(kept.threads.filter(({ shareId }) => shareId === key.shareId)).toEqual([]);
});

test('the database refuses a comment for a share that an edge still knows', async () => {
  const { url, key } = await share();
  expect((await read(url)).status).toBe(200);
  await shares().update(key, { allowsComments: false });
  expect((await post(url, MINE)).status).toBe(404);
});

test('a page without comments has none, nor has one of a collection or of a video in the trash', async () => {
  const { url } = await share({ allowsComments: false });
  expect([(await read(url)).status, (await post(url, MINE)).status]).toEqual([404, 404]);
  expect(await (await fetch(url)).text()).not.toContain('id="comments"');
  const film = await publish();
  const trashed = await share({}, film);
  await createTrashStore(room.database.db).put(film);
  await expect.poll(async () => (await read(trashed.url)).status, PATIENCE).toBe(404);
  expect((await post(trashed.url, MINE)).status).toBe(404);
});

test('limits the comments of a client, and of viewers of a video', async () => {
  const film = await publish();
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
  await room.database.db.insertInto('review_comment').values(rows).execute();
  expect((await post(url, MINE)).status).toBe(400);
  const made = await team().create(film, { text: 'There is room', author: EDITOR, place: { atMs: 0 } });
  expect(made.text).toBe('There is room');
});

test('limits the comments of a share', async () => {
  const { url } = await share({}, await publish());
  const statuses = [];
  for (let count = 0; count < 201; count += 1) statuses.push((await post(url, MINE)).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(200);
  expect(statuses.at(-1)).toBe(429);
});

test('a list that has not changed is not sent again', async () => {
  const { url } = await share();
  await post(url, MINE);
  const { headers } = await read(url);
  expect((await read(url, { 'if-none-match': headers.get('etag') })).status).toBe(304);
});

test('a confirmed address is the name of its viewer', async () => {
  const { url, key } = await share({ emailDomains: ['example.com'], allowsComments: false });
  const code = await requestCodeFrom(mail, url);
  const nameless = cookieOf(await send(url, { email: 'ada@example.com', code }));
  expect((await fetch(url, { headers: { cookie: nameless } })).status).toBe(200);
  await shares().update(key, { allowsComments: true });
  // A pass from before does not name the viewer, who has to enter a code again.
  await expect.poll(async () => (await fetch(url, { headers: { cookie: nameless } })).status, PATIENCE).toBe(403);
  expect((await post(url, MINE, { cookie: nameless })).status).toBe(403);
  const again = await requestCodeFrom(mail, url);
  const cookie = cookieOf(await send(url, { email: 'ada@example.com', code: again }));
  expect(await (await fetch(url, { headers: { cookie } })).text()).toContain('<strong>ada@example.com</strong>');
  const made = Object(await (await post(url, { ...MINE, name: 'Somebody else' }, { cookie })).json());
  expect(made).toMatchObject({ author: 'ada@example.com', from: 'email' });
  const [pass = '', proof = ''] = cookie.split('.');
  const forged = `${pass}.${proof}.${Buffer.from('eve@example.com').toString('base64url')}`;
  expect((await post(url, MINE, { cookie: forged })).status).toBe(403);
});

const film = (page: Page) => page.frameLocator('#player').locator('video');
const timeSec = (page: Page) => film(page).evaluate((video: HTMLVideoElement) => video.currentTime);

test('a viewer comments at the current time, replies, and goes to the time of a comment', async () => {
  const { url } = await share({}, await publish());
  await withPage(room.browser, async (page, faults) => {
    await page.goto(url);
    await page.getByText('No comments yet.').waitFor(PATIENCE);
    await film(page).evaluate((video: HTMLVideoElement) => {
      video.muted = true;
      return video.play();
    });
    await expect.poll(() => timeSec(page), PATIENCE).toBeGreaterThan(3);
    await page.getByLabel('Your name').fill('<b>Ada</b>');
    await page.getByLabel('Comment', { exact: true }).pressSequentially('<img src=x onerror="document.title=1">');
    await expect.poll(() => film(page).evaluate((video: HTMLVideoElement) => video.paused), PATIENCE).toBe(true);
    const at = await timeSec(page);
    await page.getByRole('button', { name: /^Add comment at 0:0\d$/ }).click();
    const thread = page.locator('.thread');
    await thread.getByText('<img src=x onerror="document.title=1">').waitFor(PATIENCE);
    expect(await thread.locator('.by').textContent()).toContain('<b>Ada</b>Not verified');
    expect(await page.locator('#comments').locator('img, b').count()).toBe(0);
    expect(await page.title()).toBe(TITLE);
    await thread.getByRole('button', { name: 'Reply' }).click();
    await thread.getByLabel('Reply').fill('And the music is too loud');
    await thread.getByRole('button', { name: 'Send reply' }).click();
    await thread.locator('ul', { hasText: 'And the music' }).waitFor(PATIENCE);
    await film(page).evaluate((video: HTMLVideoElement) => {
      video.currentTime = 0;
    });
    await thread.getByRole('button', { name: /^Go to 0:0/ }).click();
    await expect.poll(async () => Math.abs((await timeSec(page)) - at), PATIENCE).toBeLessThan(0.5);
    await page.reload();
    await thread.waitFor(PATIENCE);
    expect(await page.getByLabel('Your name').inputValue()).toBe('<b>Ada</b>');
    expect(faults).toEqual([]);
  });
});

test('a reply that is being written stays when others comment', async () => {
  const { url } = await share({}, await publish());
  await post(url, MINE);
  await withPage(room.browser, async (page) => {
    await page.goto(url);
    await page.getByLabel('Your name').fill('Grace');
    const thread = page.locator('.thread', { hasText: 'The logo is late' });
    await thread.getByRole('button', { name: 'Reply' }).click();
    await thread.getByLabel('Reply').fill('I agree');
    await post(url, { ...MINE, text: 'The end is cut off', time: 4 });
    await page.locator('.thread', { hasText: 'The end is cut off' }).waitFor(PATIENCE);
    expect(await thread.getByLabel('Reply').inputValue()).toBe('I agree');
    await page.keyboard.type(', really');
    await thread.getByRole('button', { name: 'Send reply' }).click();
    await thread.locator('ul', { hasText: 'I agree, really' }).waitFor(PATIENCE);
  });
});

test('looks right in both colour schemes and on phones', async () => {
  const film = await publish();
  const { url } = await share({ allowsDownload: true }, film);
  const first = Object(await (await post(url, MINE)).json());
  await post(url, { ...MINE, text: 'The end is cut off.\nCan the fade be longer?', name: 'Grace Hopper', time: 61 });
  await team().create(film, { text: 'Moved to 0:01.', author: EDITOR, place: { parentId: first.id } });
  const key = { ...film, commentId: first.id };
  await team().change(key, { isResolved: true }, { author: EDITOR, isModerator: true });
  await withPage(room.browser, async (page) => {
    await page.goto(url);
    await page.getByText('Resolved').waitFor(PATIENCE);
    await page.locator('.thread').first().getByRole('button', { name: 'Reply' }).click();
    await page.getByLabel('Your name').fill('Ada');
    await page.locator('.thread').first().getByRole('button', { name: 'Reply' }).click();
    await lookAtPage('share-comments', page, { views: FOUR_VIEWS, exclude: ['iframe'] });
  });
});

test('the page is in the language of the library', async () => {
  const film = await room.publish({ player: { uiLanguage: 'ar' } });
  const { url } = await share({}, film);
  await post(url, MINE);
  await withPage(room.browser, async (page, faults) => {
    await page.goto(url);
    await page.getByText('غير موثّق').waitFor(PATIENCE);
    await lookAtPage('share-comments-ar', page, { exclude: ['iframe'] });
    expect(faults).toEqual([]);
  });
});
