import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations } from '../support/axe-violations.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { type AdServer, openAdServer } from './ad-server.ts';
import { CAST_SENDER } from './cast-sender.ts';
import { forceState } from './forced-state.ts';
import { shoot } from './page-pictures.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';

/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 60_000 };

let fixture: PlayerFixture;
let shown: PublishedFilm;
let ads: AdServer;
let adsBase: string;
let adRequests: string[];

beforeAll(async () => {
  [fixture, ads] = await Promise.all([openPlayerFixture(480, [180, 90]), openAdServer()]);
  ({ base: adsBase, requests: adRequests } = ads);
  shown = await fixture.publish();
});
afterAll(async () => {
  ads.close();
  await fixture.close();
});

async function open(made: PublishedFilm, query = '', prepare: (page: Page) => Promise<void> = async () => undefined) {
  const page = await fixture.browser.newPage(SMALL_PAGE);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await prepare(page);
  await page.goto(`${fixture.edge.base}/embed/${made.libraryId}/${made.mediaId}?muted=true${query}`);
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  return { page, faults };
}

/** Opens a page without waiting for its load, because its controls may never arrive. */
async function openHanging(made: PublishedFilm, prepare: (page: Page) => Promise<void> = async () => undefined) {
  const page = await fixture.browser.newPage({ viewport: { width: 320, height: 180 } });
  await prepare(page);
  await page.goto(`${fixture.edge.base}/embed/${made.libraryId}/${made.mediaId}?muted=true`);
  return page;
}

/**
 * Takes screenshots and checks the page with axe. Both write styles into the page, which its policy refuses. Those
 * refusals are not faults.
 */
async function look(page: Page, name: string, faults: string[]): Promise<void> {
  expect(faults).toEqual([]);
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, name, ['320', 'phone', '1280']);
  for (const fault of faults.splice(0)) expect(fault).toContain('style-src');
}

/** Reads the main video, not that of an advertisement. */
const read = (page: Page) =>
  page
    .locator('media-controller > video')
    .evaluate((video: HTMLVideoElement) => ({ sec: video.currentTime, isPaused: video.paused, muted: video.muted }));

const cue = (sec: number, text: string) =>
  `00:00:${String(sec).padStart(2, '0')}.000 --> 00:00:${String(sec + 2).padStart(2, '0')}.000\n${text}\n\n`;
const CAPTIONS: Readonly<Record<string, string>> = {
  en:
    `WEBVTT\n\n${cue(0, 'First words')}${cue(4, 'A <i>café</i> by the sea')}` +
    `${cue(8, 'Then nothing')}${cue(14, 'The cafe again')}`,
  de: `WEBVTT\n\n${cue(0, 'Erste Worte')}${cue(4, 'Ein Café am Meer')}`,
};

async function withCaptions(page: Page): Promise<void> {
  await page.route('**/captions-*.vtt', (route) => {
    const language = /captions-(\w+)/.exec(route.request().url())?.[1] ?? '';
    return route.fulfill({ contentType: 'text/vtt', body: CAPTIONS[language] ?? '' });
  });
  await forceState(page, ({ state }) => {
    const captions = [
      { language: 'en', label: 'English', url: `${fixture.edge.base}/captions-en.vtt` },
      { language: 'de', label: 'Deutsch', url: `${fixture.edge.base}/captions-de.vtt` },
    ];
    Object.assign(state.details, { captions });
  });
}

test('the transcript can be read, searched and followed, and seeks to the selected line', async () => {
  const { page, faults } = await open(shown, '&autoplay=false', withCaptions);
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(request.url()));
  await page.getByRole('button', { name: 'Transcript' }).click();
  const panel = page.getByRole('region', { name: 'Transcript' });
  await panel.getByRole('button', { name: /First words/ }).waitFor(PATIENCE);
  expect(scripts.some((url) => url.includes('/assets/panel-'))).toBe(true);
  await look(page, 'transcript', faults);

  const search = panel.getByRole('searchbox');
  expect(await search.evaluate((element) => element === document.activeElement)).toBe(true);
  // In this field, the player's shortcut keys are ordinary letters.
  await search.pressSequentially('cafe m');
  expect(await panel.getByRole('status').first().textContent()).toBe('0 found');
  await search.fill('CAFE');
  expect(await panel.locator('mark').allTextContents()).toEqual(['café', 'cafe']);
  await search.press('Enter');
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeCloseTo(4, 1);
  await search.press('Enter');
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeCloseTo(14, 1);
  expect(await panel.getByRole('status').first().textContent()).toBe('2 of 2');
  const current = panel.locator('[aria-current=true]');
  await expect.poll(() => current.textContent(), PATIENCE).toContain('The cafe again');

  await search.press('Escape');
  expect(await panel.locator('mark').count()).toBe(0);
  await search.press('ArrowDown');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeCloseTo(4, 1);
  expect(await read(page)).toMatchObject({ isPaused: true, muted: true });

  await panel.getByRole('combobox').selectOption({ label: 'Deutsch' });
  await panel.getByRole('button', { name: /Ein Café am Meer/ }).click();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  expect(await page.locator('bunny-transcript-button').evaluate((button) => button === document.activeElement)).toBe(
    true,
  );
  expect(faults).toEqual([]);
  await page.close();
});

test('the transcript follows the speech, and fits a small frame', async () => {
  const { page } = await open(shown, '&t=3', withCaptions);
  await page.setViewportSize({ width: 320, height: 180 });
  // On a busy machine, shown controls would be hidden again before the click.
  await page.locator('media-controller').evaluate((frame) => frame.setAttribute('autohide', '60'));
  await page.mouse.move(160, 60);
  await page.getByRole('button', { name: 'Transcript' }).click();
  const current = page.locator('.transcript [aria-current=true]');
  await expect.poll(() => current.textContent(), PATIENCE).toContain('by the sea');
  const { y = 0, height = 0 } = (await current.boundingBox()) ?? {};
  expect(y + height).toBeLessThanOrEqual(180);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.close();
});

test("shows a library's advertisement before the video, reports it, and lets the viewer skip it", async () => {
  const made = await fixture.publish({ player: { vastTagUrl: `${adsBase}/wrapped` } });
  const { page, faults } = await open(made);
  const ad = page.getByRole('region', { name: 'Ad', exact: true });
  await ad.waitFor(PATIENCE);
  await expect.poll(() => ad.getByRole('button', { name: 'Skip', exact: true }).isEnabled(), PATIENCE).toBe(true);
  // The advertisement would end before a slow machine has checked it.
  await ad.locator('video').evaluate((video: HTMLVideoElement) => video.pause());
  await look(page, 'ad', faults);
  expect(await read(page)).toMatchObject({ sec: 0, isPaused: true });
  expect(await ad.getByRole('link').getAttribute('href')).toBe(`${adsBase}/advertiser`);
  await ad.getByRole('button', { name: 'Skip', exact: true }).click();
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.5);
  expect(await ad.count()).toBe(0);
  await expect
    .poll(() => adRequests, PATIENCE)
    .toEqual(expect.arrayContaining(['/seen/wrapper', '/seen/impression-ad', '/seen/start', '/seen/skip']));
  expect(adRequests).not.toContain('/seen/complete');
  expect(faults).toEqual([]);
  await page.close();
});

test('reports a completely watched advertisement, and plays without delay if it is missing or blocked', async () => {
  const made = await fixture.publish({ player: { vastTagUrl: `${adsBase}/vast` } });
  adRequests.length = 0;
  const { page } = await open(made, '&autoplay=false');
  expect(adRequests).toEqual([]);
  await page.locator('.large-play').click();
  await page.getByRole('region', { name: 'Ad', exact: true }).waitFor(PATIENCE);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.5);
  await expect.poll(() => adRequests, PATIENCE).toEqual(expect.arrayContaining(['/seen/midpoint', '/seen/complete']));
  await page.close();
  const missing = await open(await fixture.publish({ player: { vastTagUrl: `${adsBase}/nothing` } }));
  await expect.poll(async () => (await read(missing.page)).sec, PATIENCE).toBeGreaterThan(0.5);
  await missing.page.close();
  const blocked = await open(made, '', async (opened) => {
    await opened.route('**/assets/ad-break-*', (route) => route.abort());
  });
  await expect.poll(async () => (await read(blocked.page)).sec, PATIENCE).toBeGreaterThan(0.5);
  await blocked.page.close();
});

test('advertisements or controls that hang delay playback no longer than their timeout', async () => {
  const hang = (path: string) => async (opened: Page) => {
    await opened.route(path, () => undefined);
  };
  const withTag = (path: string) => fixture.publish({ player: { vastTagUrl: `${adsBase}${path}` } });
  const thrown: Error[] = [];
  const pages = [
    await openHanging(await withTag('/vast'), hang('**/assets/ad-break-*')),
    await openHanging(await withTag('/silent'), async (opened) => {
      opened.on('pageerror', (error) => thrown.push(error));
    }),
    await openHanging(await withTag('/hanging')),
    await openHanging(await withTag('/stalling')),
    await openHanging(shown, hang('**/assets/controls-*')),
  ];
  const bare = pages.at(-1);
  await Promise.all(
    pages.map(async (page) => {
      await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.5);
      const hasControls = () => page.locator('media-controller > video[controls]').count();
      if (page === bare) await expect.poll(hasControls, PATIENCE).toBe(1);
      await page.close();
    }),
  );
  expect(adRequests).toEqual(expect.arrayContaining(['/silent', '/seen/impression-stalls']));
  expect(thrown).toEqual([]);
});

test('offers Cast and fetches its script only if the URL enables it', async () => {
  const foreign: string[] = [];
  const watchHosts = (page: Page) =>
    page.route(/^https:/, (route) => {
      foreign.push(route.request().url());
      return route.fulfill({ contentType: 'text/javascript', body: CAST_SENDER });
    });
  const without = await open(shown, '', async (page) => void (await watchHosts(page)));
  expect(await without.page.locator('media-cast-button').count()).toBe(0);
  expect(foreign).toEqual([]);
  await without.page.close();

  const { page, faults } = await open(shown, '&ChromeCast=true', async (opened) => void (await watchHosts(opened)));
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.3);
  const offered = async () => ({ count: await page.locator('media-cast-button').count(), faults: [...faults] });
  await expect.poll(offered, PATIENCE).toEqual({ count: 1, faults: [] });
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.mouse.move(300, 300);
  await page.getByRole('button', { name: 'Cast' }).click();
  await page.getByText('Playing on Living room').waitFor(PATIENCE);
  await look(page, 'casting', faults);
  expect((await read(page)).isPaused).toBe(true);
  const request = await page.evaluate(() => Reflect.get(window, 'castRequest'));
  expect(request).toMatchObject({
    autoplay: true,
    media: { contentType: 'application/vnd.apple.mpegurl', hlsVideoSegmentFormat: 'fmp4' },
  });
  expect((await fetch(request.media.contentId)).status).toBe(200);
  await page.getByRole('button', { name: 'Stop casting' }).click();
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(6.2);
  expect(new Set(foreign.map((url) => new URL(url).host))).toEqual(new Set(['www.gstatic.com']));
  expect(faults).toEqual([]);
  await page.close();
});

test('with responsive=false the video is no larger than its tallest rung', async () => {
  const { page } = await open(shown, '&responsive=false');
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.1);
  const box = await page.locator('media-controller > video').boundingBox();
  expect([box?.height, box?.y]).toEqual([180, 45]);
  await page.close();
});

test('the tooltip names the most watched position and its chapter; phone settings list chapters', async () => {
  const { page, faults } = await open(shown, '&autoplay=false&showHeatmap=true', (opened) =>
    forceState(opened, ({ state }) => {
      const chapters = [
        { title: 'First', startSec: 0, endSec: 8 },
        { title: 'Second', startSec: 8, endSec: 20 },
      ];
      Object.assign(state.details, { chapters, heat: [...Array(60).fill(1), 100, ...Array(39).fill(1)] });
    }),
  );
  await page.setViewportSize({ width: 1280, height: 720 });
  const bar = page.locator('bunny-media-time-range');
  const { x = 0, y = 0, width = 0 } = (await bar.boundingBox()) ?? {};
  const labelAt = async (part: number) => {
    await page.mouse.move(x + width * part, y + 10);
    return [await bar.getByText('Most replayed').isVisible(), await bar.locator('.title').textContent()];
  };
  expect([await labelAt(0.595), await labelAt(0.615), await labelAt(0.7)]).toEqual([
    [true, 'Second'],
    [true, 'Second'],
    [false, 'Second'],
  ]);
  await page.locator('bunny-settings-menu-button').click();
  expect(await page.getByRole('menuitem', { name: 'Chapters' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 390, height: 300 });
  await page.locator('bunny-settings-menu-button').click();
  await page.getByRole('menuitem', { name: 'Chapters' }).click();
  await page.getByRole('menuitemradio', { name: 'Second' }).click();
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBe(8);
  expect(faults).toEqual([]);
  await page.close();
});
