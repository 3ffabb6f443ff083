import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bumpPublication } from '../../src/catalog/db.ts';
import { createShareStore, type ShareFields, type ShareKey } from '../../src/catalog/shares/share-store.ts';
import { createTrashStore } from '../../src/catalog/videos/trash-store.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';
import type { TestEdge } from './start-test-edge.ts';
import { withPage } from './with-page.ts';

const TITLE = 'A <b>film</b> & "more"';
const MILLS = 'https://mills.example/?a=1&b=2';
const ABOUT = '<img src=x onerror=alert(1)>\nSecond line, Mills';
const PASSWORD = 'summer party';
const LOCKED = { access: { playerTokenRequired: true } };
const PATIENCE = { timeout: 60_000 };
/** Axe cannot examine the frame of the player while it plays. */
const SHARE_PAGE = { views: FOUR_VIEWS, exclude: ['iframe'] };

let fixture: PlayerFixture;
let edge: TestEdge;
let shown: PublishedFilm;
const shares = () => createShareStore({ db: fixture.database.db, secretBox: createSecretBox(TEST_SECRET) });

beforeAll(async () => {
  fixture = await openPlayerFixture(240, [90]);
  edge = await fixture.edges.start({ apiUrl: 'https://api.test' });
  shown = await publish({ ...LOCKED, mp4: { enabled: true }, player: { keyColor: '#0f7b6c' } });
});
afterAll(async () => {
  await edge.close();
  await fixture.close();
});

/** Publishes a video with a description, chapters and captions. */
async function publish(settings: Record<string, unknown>): Promise<PublishedFilm> {
  const film = await fixture.publish(settings);
  const name = `${film.libraryId}/${film.mediaId}/captions/en-1.vtt`;
  const text = 'WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nHello from the <i>film</i>\n';
  const key = await fixture.edges.storage.write(name, Buffer.from(text));
  const captions = [{ srclang: 'en', label: 'English', version: 1, key, sizeBytes: text.length }];
  const chapters = [
    { title: 'Start', start: 0, end: 5 },
    { title: 'The <end>', start: 5, end: 10 },
  ];
  const { db } = fixture.database;
  await db
    .updateTable('media')
    .set({ title: TITLE, description: ABOUT.replace('Mills', `[Mills](${MILLS})`), width_px: 160, height_px: 90 })
    .set({ captions: JSON.stringify(captions), chapters: JSON.stringify(chapters) })
    .where('id', '=', film.mediaId)
    .execute();
  await db.transaction().execute((tx) => bumpPublication(tx, film));
  return film;
}

type Made = { key: ShareKey; url: string };

async function share(fields: Partial<ShareFields> = {}, { libraryId, mediaId } = shown): Promise<Made> {
  const wanted = { password: null, allowsDownload: false, expiresAt: null, createdBy: 'test', ...fields };
  const { id, token } = await shares().create({ libraryId, mediaId }, wanted);
  return { key: { libraryId, mediaId, shareId: id }, url: `${edge.base}/share/${token}` };
}

const open = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
const send = (url: string, password: string, headers = {}) =>
  open(url, { method: 'POST', body: new URLSearchParams({ password }), headers });
const statusOf = async (url: string, init: RequestInit = {}) => (await open(url, init)).status;

test('plays in a library that requires tokens, with chapters, transcript and download', async () => {
  const { url } = await share({ allowsDownload: true });
  await withPage(fixture.browser, async (page, faults) => {
    await page.goto(url);
    const video = page.frameLocator('#player').locator('video');
    await page.getByRole('button', { name: 'The <end>' }).click();
    const at = () => video.evaluate((element: HTMLVideoElement) => element.currentTime);
    await expect.poll(at, PATIENCE).toBeGreaterThan(5.2);
    await page.getByText('Transcript', { exact: true }).click();
    await page.getByRole('button', { name: 'Hello from the film' }).waitFor(PATIENCE);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(TITLE);
    expect(await page.locator('.about').textContent()).toBe(ABOUT.replace('\n', ''));
    expect(await page.locator('.about').getByRole('link', { name: 'Mills' }).getAttribute('href')).toBe(MILLS);
    await lookAtPage('share', page, SHARE_PAGE);
    const download = page.waitForEvent('download', PATIENCE);
    await page.getByRole('link', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toMatch(/90p\.mp4$/);
    expect(faults).toEqual([]);
  });
});

test('has preview tags, an oEmbed link and strict headers, and is not listed', async () => {
  const { url } = await share();
  const answer = await open(url);
  const text = await answer.text();
  const title = 'A &lt;b&gt;film&lt;/b&gt; &amp; &quot;more&quot;';
  expect(text).toContain(`<meta property="og:title" content="${title}">`);
  expect(text).toContain(`<meta name="twitter:title" content="${title}">`);
  expect(text).toContain(`<link rel="canonical" href="${url}">`);
  expect(text).toContain(`href="https://api.test/OEmbed?url=${encodeURIComponent(url)}"`);
  expect(text).not.toContain('<img');
  const { headers } = answer;
  expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
  expect(headers.get('referrer-policy')).toBe('strict-origin');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'nonce-[^ ]+'; .*frame-anc/);
});

test('shows nothing about the video until the password is entered, which opens only this share', async () => {
  const { url, key } = await share({ password: PASSWORD, allowsDownload: true });
  for (const part of ['', '/player', '/download']) {
    const answer = await open(url + part);
    const text = await answer.text();
    expect(answer.status).toBe(403);
    for (const secret of ['film', 'Second line', 'og:', 'oembed', 'thumbnail', shown.mediaId, 'vz-']) {
      expect(text, `${part} ${secret}`).not.toContain(secret);
    }
  }
  await withPage(fixture.browser, async (page) => {
    await page.goto(url);
    await page.getByLabel('Password').fill('not the right one');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('alert').waitFor(PATIENCE);
    await lookAtPage('share-password', page, SHARE_PAGE);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: TITLE }).waitFor(PATIENCE);
    await page.frameLocator('#player').locator('media-controller[ready]').waitFor(PATIENCE);
    expect(await page.locator('meta[property^="og:"]').count()).toBe(0);
  });
  const other = await share({ password: PASSWORD });
  const cookie = (await send(url, PASSWORD)).headers.get('set-cookie')?.split(';')[0] ?? '';
  expect(await statusOf(url, { headers: { cookie } })).toBe(200);
  expect(await statusOf(other.url, { headers: { cookie } })).toBe(403);
  await shares().update(key, { password: 'winter party' });
  await expect.poll(() => statusOf(url, { headers: { cookie } }), PATIENCE).toBe(403);
});

test('limits wrong passwords without locking out viewers who have entered the right one', async () => {
  const { url } = await share({ password: PASSWORD });
  const cookie = (await send(url, PASSWORD)).headers.get('set-cookie')?.split(';')[0] ?? '';
  for (let count = 0; count < 20; count += 1) expect((await send(url, 'x'.repeat(500))).status).toBe(403);
  const limited = await send(url, PASSWORD);
  expect([limited.status, await limited.text()]).toEqual([429, expect.stringContaining('Too many attempts')]);
  expect(await statusOf(url, { headers: { cookie } })).toBe(200);
  expect((await send(url, 'x'.repeat(5_000))).status).toBe(413);
});

test('deleting a share closes open pages, and its link stops working', async () => {
  const { url, key } = await share();
  await withPage(fixture.browser, async (page) => {
    await page.goto(url);
    await page.frameLocator('#player').locator('media-controller[ready]').waitFor(PATIENCE);
    await shares().remove(key);
    await expect.poll(() => statusOf(url), PATIENCE).toBe(404);
    expect(await statusOf(`${url}/player`)).toBe(404);
    // An open page checks every 30 s, and whenever it receives focus.
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await page.getByRole('heading', { name: 'Video not found' }).waitFor(PATIENCE);
    expect(await page.locator('iframe').count()).toBe(0);
    await lookAtPage('share-gone', page, SHARE_PAGE);
  });
});

test('a share expires at its time', async () => {
  const { url, key } = await share({ expiresAt: new Date(Date.now() + 60_000) });
  expect(await statusOf(url)).toBe(200);
  await shares().update(key, { expiresAt: new Date(Date.now() - 1) });
  await expect.poll(() => statusOf(url), PATIENCE).toBe(410);
  const text = await (await open(url)).text();
  expect(text).toContain('This link has expired');
  expect(text).not.toContain('film');
  expect(await statusOf(`${url}/player`)).toBe(410);
});

test('each state of the video has its own page and status', async () => {
  const film = await publish(LOCKED);
  const { url } = await share({}, film);
  const { db } = fixture.database;
  const trash = createTrashStore(db);
  await trash.put(film);
  await expect.poll(() => statusOf(url), PATIENCE).toBe(404);
  await trash.restore(film);
  await expect.poll(() => statusOf(url), PATIENCE).toBe(200);
  const set = async (state: 'created' | 'processing' | 'failed') => {
    await db.transaction().execute(async (tx) => {
      await tx.updateTable('rendition').set({ active: false }).where('media_id', '=', film.mediaId).execute();
      await tx.updateTable('media').set({ state }).where('id', '=', film.mediaId).execute();
      await bumpPublication(tx, film);
    });
  };
  for (const [state, status, text] of [
    ['created', 503, 'Waiting for the video'],
    ['processing', 503, 'The video is being prepared'],
    ['failed', 404, 'This video cannot be played'],
  ] as const) {
    await set(state);
    await expect.poll(async () => (await open(url)).text(), PATIENCE).toContain(text);
    expect(await statusOf(url)).toBe(status);
    expect(await statusOf(`${url}/player`)).toBe(status);
  }
  await db.deleteFrom('media').where('id', '=', film.mediaId).execute();
  await expect.poll(async () => (await open(url)).text(), PATIENCE).toContain('Video not found');
});

test('referrer and country rules apply to a share', async () => {
  const film = await publish({ access: { allowedReferrers: ['good.test'], allowDirectPlay: false } });
  const { url } = await share({}, film);
  const from = (referer: string) => statusOf(url, { headers: { referer } });
  expect([await statusOf(url), await from('https://good.test/a'), await from('https://bad.test/')]).toEqual([
    200, 200, 403,
  ]);
  const abroad = await fixture.edges.start({ locator: { locate: () => ({ country: 'FR', asn: '' }) } });
  onTestFinished(() => abroad.close());
  const settings = JSON.stringify({ blockedCountries: ['FR'] });
  await fixture.database.db
    .updateTable('pull_zone')
    .set({ settings })
    .where('library_id', '=', film.libraryId)
    .execute();
  const answer = await open(url.replace(edge.base, abroad.base));
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('in your country')]);
});

test('shows the logo of the library, even before the password', async () => {
  const film = await publish({ ...LOCKED, logo: { present: true, version: 1 } });
  const bytes = Buffer.from('an image');
  await fixture.edges.storage.write(`${film.libraryId}/logo/1`, bytes);
  const { url } = await share({ password: PASSWORD }, film);
  const src = /<img class="logo" src="([^"]+)"/.exec(await (await open(url)).text())?.[1] ?? '';
  const logo = await open(`${edge.base}${src}`);
  expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(Buffer.from(await logo.arrayBuffer())).toEqual(bytes);
  expect(await statusOf(`${(await share()).url}/logo`)).toBe(404);
});

test('offers no download if the share or the library does not allow it', async () => {
  expect(await statusOf(`${(await share()).url}/download`)).toBe(404);
  const film = await publish({ ...LOCKED, mp4: { enabled: false } });
  const { url } = await share({ allowsDownload: true }, film);
  expect(await statusOf(`${url}/download`)).toBe(404);
  expect(await (await open(url)).text()).not.toContain('/download');
});

test.each(['', 'short', 'a'.repeat(42), `${'a'.repeat(43)}/x`, `${'a'.repeat(43)}/player/x`, 'a'.repeat(43)])(
  'the URL /share/%s does not exist',
  async (tail) => {
    expect(await statusOf(`${edge.base}/share/${tail}`)).toBe(404);
  },
);

test('a truncated link, or one copied with a full stop, shows a page that explains it', async () => {
  const { url } = await share();
  for (const link of [url.slice(0, -1), `${url}.`, `${url})`, url.slice(0, -40)]) {
    const response = await fetch(link);
    expect(response.status, link).toBe(404);
    expect(await response.text(), link).toContain('Video not found');
  }
});
