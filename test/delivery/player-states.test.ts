import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlayerPhase } from '../../src/delivery/player/player-state.ts';
import { axeViolations } from '../support/axe-violations.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { forceState } from './forced-state.ts';
import { shoot, watchHosts } from './page-pictures.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import { addFilm, addLibrary, type PublishedFilm } from './publish.ts';

const IN_HOURS_MS = Date.now() + 9_000_000;
const LIVE = { dvrSec: 60, targetLatencySec: 3, viewers: 1_284 };
/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 60_000 };
/** The minimum width of the player's widest layout. Reduced motion avoids drawing animations sixty times a second. */
const DESK = { width: 720, height: 405 };
const STILL = { viewport: DESK, reducedMotion: 'reduce' } as const;

let fixture: PlayerFixture;
let shown: PublishedFilm;
/**
 * Page that shows all states one after another. A new page for each state would need a new process and compile all
 * scripts again.
 */
let desk: Page;

beforeAll(async () => {
  fixture = await openPlayerFixture(480, [180, 90]);
  shown = await fixture.publish();
  desk = await fixture.browser.newPage(STILL);
  const chapters = JSON.stringify([
    { title: 'First', start: 0, end: 8 },
    { title: 'Second', start: 8, end: 20 },
  ]);
  await fixture.database.db.updateTable('media').set({ chapters }).where('id', '=', shown.mediaId).execute();
});
afterAll(() => fixture.close());

async function open(page: Page, query = ''): Promise<void> {
  await page.goto(`${fixture.edge.base}/embed/${shown.libraryId}/${shown.mediaId}?muted=true${query}`);
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
}

const STATES: readonly { name: string; phase: PlayerPhase; hasSource: boolean; says: string }[] = [
  { name: 'waiting', phase: { kind: 'waiting' }, hasSource: false, says: 'Waiting for the video' },
  { name: 'processing', phase: { kind: 'processing', percent: 37 }, hasSource: false, says: '37%' },
  { name: 'growing', phase: { kind: 'processing', percent: 37 }, hasSource: true, says: '0:20' },
  { name: 'failed', phase: { kind: 'failed', reason: 'truncated' }, hasSource: false, says: 'is incomplete' },
  { name: 'countdown', phase: { kind: 'countdown', startsAtMs: IN_HOURS_MS }, hasSource: false, says: '02:' },
  { name: 'awaiting', phase: { kind: 'awaiting-publisher' }, hasSource: false, says: 'has not started' },
  { name: 'live', phase: { kind: 'live', live: LIVE }, hasSource: true, says: '1284 watching' },
  {
    name: 'reconnecting',
    phase: { kind: 'reconnecting', sinceMs: 0, live: LIVE },
    hasSource: true,
    says: 'interrupted',
  },
  { name: 'stream-ended', phase: { kind: 'stream-ended' }, hasSource: false, says: 'has ended' },
  { name: 'converting', phase: { kind: 'converting', percent: 62 }, hasSource: false, says: '62%' },
];

test.each(STATES)('shows the state $name as text, also in a small frame', async ({ name, phase, hasSource, says }) => {
  const page = desk;
  await page.unrouteAll({ behavior: 'wait' });
  await page.setViewportSize(DESK);
  const foreign = watchHosts(page, fixture.edge.base);
  await forceState(page, ({ state }) => {
    state.phase = phase;
    if (!hasSource) state.source = null;
  });
  // These states are shown without playback.
  await open(page, '&autoplay=false');
  await page.getByText(says).first().waitFor(PATIENCE);
  if (hasSource) await page.mouse.move(300, 300);
  // Around a notice without a video, the page is the same in all states.
  const part = hasSource || name === 'waiting' ? 'html' : '.notice';
  expect(await axeViolations(page, part)).toEqual([]);
  await shoot(page, name);
  await page.setViewportSize({ width: 320, height: 180 });
  const text = page.locator('.notice-text');
  // The countdown does not announce each second.
  expect(await text.getAttribute('aria-live')).toBe(name === 'countdown' ? 'off' : null);
  if (!hasSource) {
    const { y = 0, height = 0 } = (await text.boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(180);
  }
  expect(foreign).toEqual([]);
});

test('shows missing, refused and offline states in every size without axe violations', async () => {
  const page = desk;
  await page.unrouteAll({ behavior: 'wait' });
  await page.setViewportSize(DESK);
  await page.goto(`${fixture.edge.base}/embed/${shown.libraryId}/01890000-0000-7000-8000-000000000000`);
  await page.getByText('Video not found').first().waitFor(PATIENCE);
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'missing');
  const closed = await addLibrary(fixture.database.db, { access: { blockNoneReferrer: true } });
  const refused = await addFilm(fixture.database.db, closed, fixture.film, 'Refused');
  await page.goto(`${fixture.edge.base}/embed/${closed}/${refused.mediaId}`);
  await page.getByText('does not allow playback on this page').waitFor(PATIENCE);
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'refused');
  await open(page, '&autoplay=false');
  await shoot(page, 'start');
  await page.context().setOffline(true);
  await page.getByText('No network connection.').waitFor(PATIENCE);
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'offline');
  await page.close();
});

test.each<[string, Parameters<Page['emulateMedia']>[0], string]>([
  ['forced-colours', { forcedColors: 'active' }, 'en'],
  ['reduced-motion-right-to-left', { reducedMotion: 'reduce' }, 'ar'],
])('with %s, the menu and control bar are complete, without axe violations', async (name, media, uiLanguage) => {
  const { libraryId, mediaId } = await fixture.publish({ player: { uiLanguage } });
  const page = await fixture.browser.newPage({ viewport: DESK });
  await page.emulateMedia(media);
  await page.goto(`${fixture.edge.base}/embed/${libraryId}/${mediaId}?muted=true&autoplay=false`);
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  await page.locator('bunny-settings-menu-button').click();
  await page.getByRole('menuitem').first().waitFor(PATIENCE);
  expect(await axeViolations(page)).toEqual([]);
  const moving = await page.evaluate(
    () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
  );
  if (media?.reducedMotion === 'reduce') expect(moving).toBe(0);
  await shoot(page, name, ['1280']);
  await page.close();
});

test('has no axe violations during playback, in the menu, in the shortcut list and on the end screen', async () => {
  const page = await fixture.browser.newPage({ viewport: DESK });
  await open(page);
  const video = page.locator('video');
  const sec = () => video.evaluate((element: HTMLVideoElement) => element.currentTime);
  await expect.poll(sec, PATIENCE).toBeGreaterThan(0.5);
  await page.mouse.move(300, 300);
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'playing');
  await page.setViewportSize(DESK);
  await page.mouse.move(310, 300);
  await page.locator('bunny-settings-menu-button').click();
  expect(await axeViolations(page, 'bunny-settings-menu')).toEqual([]);
  await shoot(page, 'menu');
  await page.setViewportSize(DESK);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Chapters/ }).click();
  await page.getByRole('menuitemradio', { name: /Second/ }).click();
  await expect.poll(sec, PATIENCE).toBeGreaterThanOrEqual(8);
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor(PATIENCE);
  expect(await axeViolations(page, '.keys-help')).toEqual([]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('9');
  await page.getByRole('button', { name: 'Watch again' }).waitFor(PATIENCE);
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'end');
  await page.setViewportSize(DESK);
  await page.getByRole('button', { name: 'Watch again' }).click();
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.ended || element.paused), PATIENCE)
    .toBe(false);
  await page.close();
});

/** Keeps shown controls visible: on a busy machine they would be hidden again before the test uses them. */
const keepControls = (page: Page) =>
  page.locator('media-controller').evaluate((frame) => frame.setAttribute('autohide', '60'));

test('menus fit a small frame, and a click in the centre of a very small frame starts playback', async () => {
  const page = await fixture.browser.newPage({ viewport: { width: 320, height: 180 } });
  await open(page);
  await keepControls(page);
  await page.mouse.move(160, 60);
  await page.locator('bunny-settings-menu-button').click();
  const menu = page.locator('bunny-settings-menu');
  await menu.waitFor(PATIENCE);
  const box = await menu.boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect((box?.y ?? 0) + (box?.height ?? 181)).toBeLessThanOrEqual(180);
  await page.close();
  const tiny = await fixture.browser.newPage({ viewport: { width: 240, height: 135 } });
  await open(tiny, '&autoplay=false');
  await tiny.mouse.click(120, 67);
  const read = () =>
    tiny.locator('video').evaluate((video: HTMLVideoElement) => ({ sec: video.currentTime, isPaused: video.paused }));
  await expect.poll(async () => (await read()).isPaused, PATIENCE).toBe(false);
  expect((await read()).sec).toBeLessThan(5);
  await tiny.close();
});

const hasEnded = (page: Page) => page.locator('video').evaluate((video: HTMLVideoElement) => video.ended);

test('on a phone, a first tap shows the hidden controls, and only a tap on them pauses', async () => {
  const context = await fixture.browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const page = await context.newPage();
  await open(page);
  const isPaused = () => page.locator('video').evaluate((video: HTMLVideoElement) => video.paused);
  const isHidden = () => page.locator('media-controller').evaluate((frame) => frame.hasAttribute('userinactive'));
  await expect.poll(isHidden, PATIENCE).toBe(true);
  await expect.poll(isPaused, PATIENCE).toBe(false);
  await keepControls(page);
  await page.touchscreen.tap(195, 422);
  await expect.poll(isHidden, PATIENCE).toBe(false);
  expect(await isPaused()).toBe(false);
  await shoot(page, 'touched', ['phone']);
  // A second tap within 0.4 s would be a double tap.
  await page.waitForTimeout(500);
  await page.locator('.large-play').tap();
  await expect.poll(isPaused, PATIENCE).toBe(true);
  expect(await hasEnded(page)).toBe(false);
  await context.close();
});

test('the player page of audio has no picture-in-picture button and no resolution menu', async () => {
  const page = await fixture.browser.newPage(SMALL_PAGE);
  await forceState(page, ({ state }) => {
    if (state.source !== null) state.source.hasPicture = false;
  });
  await open(page);
  const frame = page.locator('media-controller[userinactive]:not([mediapaused])');
  await frame.waitFor(PATIENCE);
  // While audio plays, visible controls can be pressed and the poster remains.
  const looks = await frame.evaluate((element) => ({
    pressed: getComputedStyle(element.querySelector('media-mute-button') ?? element).pointerEvents,
    poster: getComputedStyle(element.shadowRoot?.querySelector('slot[name=poster]') ?? element).display,
  }));
  expect(looks).toEqual({ pressed: 'auto', poster: 'flex' });
  await keepControls(page);
  await page.mouse.move(300, 300);
  await page.locator('bunny-settings-menu-button').click();
  expect(await hasEnded(page)).toBe(false);
  await page.getByRole('menuitem', { name: 'Speed' }).waitFor(PATIENCE);
  expect(await page.getByRole('menuitem', { name: 'Quality' }).count()).toBe(0);
  expect(await page.locator('media-pip-button').isVisible()).toBe(false);
  await page.close();
});

test('shows captions above the bar while it is visible, and at the bottom otherwise', async () => {
  const page = await fixture.browser.newPage(SMALL_PAGE);
  const url = `${fixture.edge.base}/captions.vtt`;
  const body = 'WEBVTT\n\n00:00.000 --> 10:00.000\nWhat is said\n';
  await page.route(url, (route) => route.fulfill({ contentType: 'text/vtt', body }));
  await forceState(page, ({ state }) =>
    Object.assign(state.details, { captions: [{ language: 'en', label: 'English', url }] }),
  );
  await open(page, '&captions=en-auto');
  const boxOf = async (selector: string) => {
    const { y = 0, height = 0 } = (await page.locator(selector).boundingBox()) ?? {};
    return { topPx: y, endPx: y + height };
  };
  const gapPx = async () => (await boxOf('.row')).topPx - (await boxOf('bunny-captions-display .cue')).endPx;
  await page.locator('bunny-captions-display .cue').waitFor(PATIENCE);
  await page.mouse.move(300, 300);
  await page.keyboard.press('k');
  await expect.poll(gapPx, PATIENCE).toBeGreaterThanOrEqual(0);
  await page.keyboard.press('k');
  await expect.poll(gapPx, PATIENCE).toBeLessThan(0);
  await page.close();
});

test('each of twelve audio tracks can be selected, also in a small frame', async () => {
  const page = await fixture.browser.newPage({ viewport: { width: 320, height: 180 } });
  const fetched = new Set<string>();
  page.on('request', (request) => fetched.add(new URL(request.url()).searchParams.get('sound') ?? ''));
  await page.route('**/playlist.m3u8*', async (route) => {
    const response = await route.fetch();
    const multiply = (line: string) =>
      Array.from({ length: 12 }, (_, index) =>
        line
          .replace(/NAME="[^"]*"/, `NAME="Voice ${index + 1}"`)
          .replace('DEFAULT=YES', index === 0 ? 'DEFAULT=YES' : 'DEFAULT=NO')
          .replace(/URI="([^"?]*)"/, `URI="$1?sound=${index + 1}"`),
      ).join('\n');
    const playlist = (await response.text()).replace(/^#EXT-X-MEDIA:TYPE=AUDIO.*$/m, multiply);
    await route.fulfill({ response, body: playlist });
  });
  await open(page);
  await page.mouse.move(160, 60);
  for (const voice of ['Voice 12', 'Voice 7']) {
    await page.locator('bunny-settings-menu-button').click();
    await page.getByRole('menuitem', { name: 'Audio track' }).click();
    expect(await page.getByRole('menuitemradio').count()).toBe(12);
    await page.getByRole('menuitemradio', { name: voice, exact: true }).click();
    await expect.poll(() => fetched.has(voice.replace('Voice ', '')), PATIENCE).toBe(true);
    await page.keyboard.press('Escape');
  }
  await page.locator('bunny-settings-menu-button').click();
  await page.getByRole('menuitem', { name: 'Audio track' }).click();
  const chosen = page.getByRole('menuitemradio', { checked: true });
  expect(await chosen.textContent()).toContain('Voice 7');
  await page.close();
});
