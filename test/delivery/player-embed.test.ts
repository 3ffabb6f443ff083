import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlayerPhase } from '../../src/delivery/player/player-state.ts';
import { axeViolations } from '../support/axe-violations.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { forceState } from './forced-state.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';

let fixture: PlayerFixture;
let shown: PublishedFilm;
let site: Server;
let siteBase: string;
/** The page shown by the other site. */
let sitePage = '';
/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 60_000 };

beforeAll(async () => {
  fixture = await openPlayerFixture(240, [90]);
  shown = await fixture.publish();
  site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(sitePage));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  // A different host name of this machine, which is a different origin.
  siteBase = `http://localhost:${(site.address() as AddressInfo).port}`;
});
afterAll(async () => {
  site.close();
  await fixture.close();
});

const addressOf = ({ libraryId, mediaId }: PublishedFilm, query: string) =>
  `${fixture.edge.base}/embed/${libraryId}/${mediaId}${query}`;

/** The client that the edge serves next to the player. */
const clientAddress = () => `${fixture.edge.base}/playerjs/playerjs-latest.min.js`;

/** The part of the client's interface that tests use. In the page it has its own name. */
type Client = { on(event: string, run: (value: unknown) => void): void; [method: string]: unknown };

// The client cannot reach a frame with an opaque origin, because such a frame names its origin in each message.
test.each([
  { what: 'at once', sandbox: '', delayMs: 0, query: '' },
  {
    what: 'late, in a sandboxed frame',
    sandbox: 'sandbox="allow-scripts allow-same-origin"',
    delayMs: 4_000,
    query: '',
  },
  { what: 'before anything is loaded', sandbox: '', delayMs: 0, query: '&preload=false' },
])(
  'the npm client of player.js, created $what, drives the player from another origin without a referrer',
  async ({ sandbox, delayMs, query }) => {
    sitePage = `<!doctype html><meta name="referrer" content="no-referrer"><link rel="icon" href="data:,">
<iframe ${sandbox} allow="autoplay" width="640" height="360"
src="${addressOf(shown, `?muted=true&autoplay=false${query}`)}"></iframe>
<script src="${clientAddress()}"></script>`;
    const page = await fixture.browser.newPage(SMALL_PAGE);
    await page.goto(siteBase);
    await page.waitForTimeout(delayMs);
    const seen = await page.evaluate(async () => {
      const frame = document.querySelector('iframe');
      // The client's script has just defined the variable.
      const { playerjs } = window as unknown as { playerjs: { Player: new (frame: unknown) => Client } };
      const player = new playerjs.Player(frame);
      const events: string[] = [];
      const get = (name: string) =>
        new Promise((resolve) => (player[name] as (run: (value: unknown) => void) => void).call(player, resolve));
      await new Promise<void>((resolve) => player.on('ready', () => resolve()));
      for (const name of ['play', 'pause', 'timeupdate', 'seeked']) player.on(name, () => events.push(name));
      const call = (name: string, value?: unknown) => (player[name] as (value?: unknown) => void).call(player, value);
      const durationSec = await get('getDuration');
      call('setVolume', 30);
      const volume = await get('getVolume');
      call('play');
      await new Promise<void>((resolve) => {
        player.on('timeupdate', (value) => {
          if (Object(value).seconds > 0.3) resolve();
        });
      });
      call('setCurrentTime', 6);
      await new Promise<void>((resolve) => player.on('seeked', () => resolve()));
      call('pause');
      const isPaused = await get('getPaused');
      // The npm client has no names for later additions, but it sends any method.
      const send = player.send as (message: object, done?: (value: unknown) => void) => void;
      const ask = (method: string) => new Promise((resolve) => send.call(player, { method }, resolve));
      send.call(player, { method: 'setLoop', value: true });
      send.call(player, { method: 'setPlaybackRate', value: 1.5 });
      const later = [await ask('getLoop'), await ask('getPlaybackRate')];
      return {
        durationSec,
        volume,
        isPaused,
        later,
        events: [...new Set(events)],
        currentSec: await get('getCurrentTime'),
      };
    });
    expect(seen).toMatchObject({ volume: 30, isPaused: true, later: [true, 1.5] });
    expect(seen.durationSec).toBeCloseTo(10, 0);
    expect(seen.currentSec).toBeGreaterThanOrEqual(6);
    expect(seen.events).toEqual(expect.arrayContaining(['play', 'timeupdate']));
    await page.close();
  },
);

test.each<{ phase: PlayerPhase; code: string }>([
  { phase: { kind: 'failed', reason: 'truncated' }, code: 'failed' },
  { phase: { kind: 'waiting' }, code: 'gone' },
])('a player.js client of a video that is $phase.kind receives the error $code', async ({ phase, code }) => {
  sitePage = `<!doctype html><link rel="icon" href="data:,"><iframe src="${addressOf(shown, '')}"></iframe>
<script src="${await clientAddress()}"></script>`;
  const page = await fixture.browser.newPage(SMALL_PAGE);
  await forceState(page, ({ state }) => Object.assign(state, { phase, source: null }));
  await page.route('**/state', (route) => route.fulfill({ status: 404, json: {} }));
  await page.goto(siteBase);
  const error = page.evaluate(
    () =>
      new Promise((resolve) => {
        // The client's script has just defined the variable.
        const { playerjs } = window as unknown as { playerjs: { Player: new (frame: unknown) => Client } };
        new playerjs.Player(document.querySelector('iframe')).on('error', resolve);
      }),
  );
  expect(await error).toEqual({ code });
  await page.close();
});

async function open(made: PublishedFilm, query: string): Promise<{ page: Page; faults: string[] }> {
  const page = await fixture.browser.newPage(SMALL_PAGE);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(addressOf(made, query));
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  return { page, faults };
}

test('a preview shows an unsaved language and font', async () => {
  const made = await fixture.publish({ player: { uiLanguage: 'en' } });
  const { page } = await open(made, '?muted=true&count=false&language=de&font=serif');
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  expect(await page.locator('html').getAttribute('style')).toContain('--media-font-family: serif,');
  await page.close();
});

test('applies the configured head HTML, language and controls', async () => {
  const made = await fixture.publish({
    player: {
      customHtml:
        '<style>:root{--media-secondary-color:#00ff00}media-controller{--media-range-bar-color:#0000ff}' +
        'bunny-media-control-bar{opacity:.5}</style><script nonce="other">window.own = 1</script>',
      uiLanguage: 'ar',
      controls: ['play', 'progress', 'settings'],
      fontFamily: 'Georgia',
    },
  });
  const { page, faults } = await open(made, '?muted=true');
  expect(await page.evaluate('window.own')).toBe(1);
  expect(await page.evaluate(() => [document.documentElement.dir, document.documentElement.lang])).toEqual([
    'rtl',
    'ar',
  ]);
  expect(await page.locator('media-fullscreen-button, .large-play, media-mute-button').count()).toBe(0);
  expect(await page.getByRole('slider').getAttribute('aria-label')).toBe('موضع التشغيل');
  const color = await page
    .locator('bunny-media-time-range')
    .evaluate((range) => getComputedStyle(range.shadowRoot?.querySelector('.progress') ?? range).backgroundColor);
  expect(color).toBe('rgb(0, 0, 255)');
  const background = await page
    .locator('media-control-bar media-play-button')
    .evaluate((button) => getComputedStyle(button).backgroundColor);
  expect(background).toBe('rgb(0, 255, 0)');
  // In a right-to-left menu, forward is to the left.
  await page.locator('bunny-settings-menu-button').press('Enter');
  const backs = page.locator('bunny-settings-menu .back');
  for (const [key, count] of [
    ['ArrowRight', 0],
    ['ArrowLeft', 1],
    ['ArrowRight', 0],
  ] as const) {
    await page.keyboard.press(key);
    expect([key, await backs.count()]).toEqual([key, count]);
  }
  expect(faults).toEqual([]);
  await page.close();
});

test('playback resumes at its last position and reports it, but a live stream stores no position', async () => {
  const context = await fixture.browser.newContext(SMALL_PAGE);
  const visit = async (prepare = async (_: Page) => {}) => {
    const page = await context.newPage();
    await prepare(page);
    await page.goto(addressOf(shown, '?muted=true&rememberPosition=true'));
    await page.locator('media-controller[ready]').waitFor(PATIENCE);
    return page;
  };
  const first = await visit();
  const sec = (page: Page) => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime);
  await expect.poll(() => sec(first), PATIENCE).toBeGreaterThan(0.2);
  await first.keyboard.press('k');
  await first.keyboard.press('5');
  await expect.poll(() => sec(first), PATIENCE).toBeGreaterThan(4.9);
  await first.waitForTimeout(1_500);
  await first.close({ runBeforeUnload: true });
  const second = await visit();
  await second.getByText('Resumed at 0:05').waitFor(PATIENCE);
  await expect.poll(() => sec(second), PATIENCE).toBeGreaterThan(4.9);
  await second.close({ runBeforeUnload: true });
  const live = await visit((page) =>
    forceState(page, ({ state }) => {
      state.phase = { kind: 'live', live: { dvrSec: 60, targetLatencySec: 3, viewers: null } };
    }),
  );
  const place = () =>
    live.evaluate((id) => localStorage.getItem(id), `millrace:${shown.libraryId}:position:${shown.mediaId}`);
  const before = await place();
  expect(before).not.toBeNull();
  await expect.poll(() => sec(live), PATIENCE).toBeGreaterThan(0.2);
  await live.keyboard.press('k');
  await expect
    .poll(() => live.locator('video').evaluate((video: HTMLVideoElement) => video.paused), PATIENCE)
    .toBe(true);
  expect([await place(), await live.locator('.resumed').count()]).toEqual([before, 0]);
  await context.close();
});

test.each([
  { query: '', buttons: 1, opened: true },
  { query: '&disableIosPlayer=true', buttons: 0, opened: false },
])('without element full screen, "$query" leaves $buttons working buttons', async ({ query, buttons, opened }) => {
  const page = await fixture.browser.newPage(SMALL_PAGE);
  await page.addInitScript(() => {
    Object.defineProperty(Document.prototype, 'fullscreenEnabled', { get: () => false });
    Object.assign(HTMLVideoElement.prototype, {
      webkitEnterFullscreen() {
        Object.assign(window, { isNative: true });
      },
    });
  });
  await page.goto(addressOf(shown, `?muted=true&autoplay=false${query}`));
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  expect(await page.locator('media-fullscreen-button').count()).toBe(buttons);
  await page.keyboard.press('f');
  expect(await page.evaluate(() => 'isNative' in window)).toBe(opened);
  await page.close();
});

const readVideo = (page: Page) =>
  page.locator('video').evaluate((video: HTMLVideoElement) => ({
    ...{ sec: video.currentTime, rate: video.playbackRate, volume: video.volume, loops: video.loop },
    ...{ isInline: video.playsInline, fills: document.fullscreenElement !== null },
    captions: [...video.textTracks].filter(({ mode }) => mode !== 'disabled').length,
  }));

test('removes omitted controls and their shortcut keys, even in a small frame', async () => {
  const page = await fixture.browser.newPage({ viewport: { width: 320, height: 180 } });
  const url = `${fixture.edge.base}/captions.vtt`;
  await page.route(url, (route) => route.fulfill({ contentType: 'text/vtt', body: 'WEBVTT\n' }));
  await forceState(page, ({ state }) =>
    Object.assign(state.details, { captions: [{ language: 'en', label: 'English', url }] }),
  );
  const visit = async (query: string) => {
    await page.goto(addressOf(shown, `?muted=true&autoplay=false${query}`));
    await page.locator('media-controller[ready]').waitFor(PATIENCE);
    await page.locator('bunny-settings-menu-button').click();
    const airplay = await page.locator('media-airplay-button').count();
    const speed = await page.getByRole('menuitem', { name: 'Speed' }).count();
    await page.keyboard.press('Escape');
    await page.keyboard.press('>');
    return {
      airplay,
      speed,
      isCompact: await page.locator('media-controller[compact]').count(),
      ...(await readVideo(page)),
    };
  };
  const bare = await visit('&showSpeed=false&compactControls=true&playsinline=false&disableAirplay=true');
  expect(bare).toMatchObject({ airplay: 0, speed: 0, isCompact: 1, isInline: false, rate: 1, loops: false });
  expect(await visit('')).toMatchObject({ airplay: 1, speed: 1, isCompact: 0, isInline: true, rate: 1.25 });
  for (const key of ['c', 'f', 'r', '<']) await page.keyboard.press(key);
  const pressed = { captions: 1, fills: true, loops: true, rate: 1 };
  await expect.poll(() => readVideo(page), PATIENCE).toMatchObject(pressed);
  await page.keyboard.press('f');
  await expect.poll(async () => (await readVideo(page)).fills, PATIENCE).toBe(false);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.locator('media-volume-range input').focus();
  await page.keyboard.press('ArrowLeft');
  expect(await readVideo(page)).toMatchObject({ volume: 0.95, sec: 0 });
  await page.setViewportSize({ width: 320, height: 180 });
  expect(await axeViolations(page)).toEqual([]);
  await page.close();
});
