import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createQuotaStore, type QuotaChange } from '../../src/catalog/quotas/quota-store.ts';
import { createShareStore } from '../../src/catalog/shares/share-store.ts';
import { POLICY_TTL_MS } from '../../src/delivery/receive/policy-reader.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { openPlayerFixture, type PlayerFixture } from '../delivery/player-fixture.ts';
import type { PublishedFilm } from '../delivery/publish.ts';
import { freezeDatabase } from '../support/freeze-database.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { TEST_SECRET } from '../support/packager.ts';

const LIMITED = 'This video is not available at the moment: the library has reached its limit.';
const LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'pl', 'pt', 'zh'];
const PATIENCE = { timeout: 30_000, interval: 100 };

let fixture: PlayerFixture;
beforeAll(async () => {
  fixture = await openPlayerFixture(48, [90]);
});
afterAll(() => fixture.close());

const change = (libraryId: number, wanted: QuotaChange) =>
  createQuotaStore(fixture.database.db).change(libraryId, wanted);

function at(film: PublishedFilm) {
  const media = `${fixture.edge.base}/vz-${film.libraryId}/${film.mediaId}`;
  const [rendition] = film.videos;
  return {
    page: `${fixture.edge.base}/embed/${film.libraryId}/${film.mediaId}`,
    multivariant: `${media}/playlist.m3u8`,
    segment: `${media}/r/${rendition?.renditionId}/0.m4s`,
    thumbnail: `${media}/thumbnail.jpg`,
  };
}

async function ask(url: string, viewer: string) {
  const response = await fetch(url, { headers: { 'User-Agent': viewer } });
  const text = await response.text();
  return { status: response.status, rule: response.headers.get('x-millrace-rule'), text };
}

/** Polls as a new viewer each time, because an accepted one is known from then on. */
async function untilStatus(url: string, wanted: number): Promise<void> {
  await expect.poll(async () => (await ask(url, `viewer ${newGuid()}`)).status, PATIENCE).toBe(wanted);
}

test('above the limit of viewers, new ones are refused, and those who play are not', async () => {
  const film = await fixture.publish();
  const { page, multivariant, segment, thumbnail } = at(film);
  const limit = (viewers: number) => change(film.libraryId, { concurrentViewers: { limit: viewers, mode: 'hard' } });
  // From then on, the edge remembers who plays.
  await limit(0);
  await untilStatus(multivariant, 403);
  await limit(1);
  await untilStatus(multivariant, 200);
  expect((await ask(multivariant, 'first')).status).toBe(200);
  await limit(0);
  await untilStatus(multivariant, 403);
  const refused = await ask(multivariant, 'second');
  expect(refused.rule).toBe('10200');
  expect(JSON.parse(refused.text)).toMatchObject({ error: 'quota-viewers', statusCode: 403 });
  expect((await ask(page, 'second')).text).toContain(LIMITED);
  expect((await ask(multivariant, 'first')).status).toBe(200);
  expect((await ask(segment, 'first')).status).toBe(200);
  expect((await ask(page, 'first')).status).toBe(200);
  // Requests that the limit never refuses do not make somebody a viewer who already plays.
  for (const url of [segment, thumbnail, `${page}/state`]) {
    const viewer = `viewer ${newGuid()}`;
    expect((await ask(url, viewer)).status, url).not.toBe(403);
    expect((await ask(multivariant, viewer)).rule, url).toBe('10200');
    expect((await ask(page, viewer)).status, url).toBe(403);
  }
  await change(film.libraryId, { concurrentViewers: { limit: 0, mode: 'soft' } });
  await untilStatus(multivariant, 200);
});

test('above the limit of bandwidth, playlists and pages are refused, but no segments of open players', async () => {
  const film = await fixture.publish();
  const { page, multivariant, segment } = at(film);
  expect((await ask(multivariant, 'first')).status).toBe(200);
  await change(film.libraryId, { bandwidthBytesPerMonth: { limit: 0, mode: 'hard' } });
  await untilStatus(multivariant, 403);
  expect(await ask(multivariant, 'first')).toMatchObject({ rule: '10201' });
  expect((await ask(page, 'first')).status).toBe(403);
  expect((await ask(segment, 'first')).status).toBe(200);
  expect((await ask(`${page}/state`, 'first')).status).toBe(200);
  await change(film.libraryId, { bandwidthBytesPerMonth: { limit: 1_000_000, mode: 'hard' } });
  await untilStatus(multivariant, 200);
});

test('a count of viewers that nobody renews refuses nobody, and neither do the bytes of last month', async () => {
  const film = await fixture.publish();
  const { multivariant } = at(film);
  const { db } = fixture.database;
  const age = (interval: string) =>
    sql`update library_quota set measured_at = measured_at - ${interval}::interval
      where library_id = ${film.libraryId}`.execute(db);
  await change(film.libraryId, { concurrentViewers: { limit: 0, mode: 'hard' } });
  await untilStatus(multivariant, 403);
  await age('6 minutes');
  await untilStatus(multivariant, 200);
  await change(film.libraryId, { concurrentViewers: null, bandwidthBytesPerMonth: { limit: 0, mode: 'hard' } });
  await untilStatus(multivariant, 403);
  await age('32 days');
  await untilStatus(multivariant, 200);
});

test('while the database hangs, the edge keeps the last verdict and serves', async () => {
  const [open, limited] = [await fixture.publish(), await fixture.publish()];
  await change(limited.libraryId, { bandwidthBytesPerMonth: { limit: 0, mode: 'hard' } });
  await untilStatus(at(limited).multivariant, 403);
  await untilStatus(at(open).multivariant, 200);
  const goOn = freezeDatabase(fixture.database);
  try {
    // The cached verdicts have expired by now, so they would be read again.
    await sleep(POLICY_TTL_MS + 500);
    expect((await ask(at(limited).multivariant, 'a viewer')).status).toBe(403);
    expect((await ask(at(open).multivariant, 'a viewer')).status).toBe(200);
  } finally {
    goOn();
  }
  await change(limited.libraryId, { bandwidthBytesPerMonth: null });
  await untilStatus(at(limited).multivariant, 200);
});

test('the page shows the message in the language of the library', async () => {
  const film = await fixture.publish({ player: { uiLanguage: 'de' } });
  await change(film.libraryId, { concurrentViewers: { limit: 0, mode: 'hard' } });
  const context = await fixture.browser.newContext();
  const page = await context.newPage();
  await expect.poll(async () => (await page.goto(at(film).page))?.status(), PATIENCE).toBe(403);
  expect(await page.locator('h1').textContent()).toBe('Im Moment nicht verfügbar');
  expect(await page.locator('main p').textContent()).toBe(
    'Dieses Video ist im Moment nicht verfügbar: Die Bibliothek hat ihr Limit erreicht.',
  );
  await lookAtPage('quota-page', page, { views: FOUR_VIEWS });
  await context.close();
});

test.each(LANGUAGES)('the message exists in %s', async (language) => {
  const film = await fixture.publish({ player: { uiLanguage: language } });
  await change(film.libraryId, { concurrentViewers: { limit: 0, mode: 'hard' } });
  await untilStatus(at(film).page, 403);
  const { text } = await ask(at(film).page, 'a viewer');
  const { 'state.limited': title } = JSON.parse(await readFile(`web/player/languages/${language}.json`, 'utf8'));
  expect(text).toContain(`<h1>${title}</h1>`);
  expect(text).toContain(`lang="${language}"`);
  expect(text.includes(LIMITED)).toBe(language === 'en');
  expect(text).toContain('data-rule="quota-viewers"');
});

test('an open player shows that the limit is reached, and plays once it is raised', async () => {
  const film = await fixture.publish();
  const context = await fixture.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${at(film).page}?preload=false&muted=true&autoplay=false`);
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  await change(film.libraryId, { bandwidthBytesPerMonth: { limit: 0, mode: 'hard' } });
  await untilStatus(at(film).multivariant, 403);
  await page.locator('video').evaluate((video: HTMLVideoElement) => void video.play());
  await page.getByText(LIMITED).waitFor(PATIENCE);
  await lookAtPage('quota-player', page, { views: FOUR_VIEWS });
  await change(film.libraryId, { bandwidthBytesPerMonth: null });
  await page.getByText(LIMITED).waitFor({ ...PATIENCE, state: 'hidden' });
  const sec = () => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime);
  await expect.poll(sec, PATIENCE).toBeGreaterThan(0.5);
  await context.close();
});

test('an open share page keeps playing when the limit of bandwidth is reached', async () => {
  const { libraryId, mediaId } = await fixture.publish();
  const shares = createShareStore({ db: fixture.database.db, secretBox: createSecretBox(TEST_SECRET) });
  const fields = { password: null, allowsDownload: false, expiresAt: null, createdBy: 'test' };
  const { token } = await shares.create({ libraryId, mediaId }, fields);
  const url = `${fixture.edge.base}/share/${token}`;
  const page = await fixture.browser.newPage();
  await page.goto(url);
  await page.frameLocator('#player').locator('media-controller[ready]').waitFor(PATIENCE);
  let loads = 0;
  page.on('load', () => (loads += 1));
  await change(libraryId, { bandwidthBytesPerMonth: { limit: 0, mode: 'hard' } });
  await untilStatus(url, 403);
  const checked = page.waitForResponse((answer) => answer.url() === url && answer.request().method() === 'HEAD');
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  expect((await checked).headers()['x-millrace-rule']).toBe('10201');
  const video = page.frameLocator('#player').locator('video');
  await video.evaluate((element: HTMLVideoElement) => {
    element.muted = true;
    return element.play();
  });
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.ended), PATIENCE).toBe(true);
  expect(loads).toBe(0);
  await page.close();
});
