import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations } from '../support/axe-violations.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { forceState } from './forced-state.ts';
import { shoot } from './page-pictures.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';

/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 60_000 };
const COVER =
  '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600"><rect width="600" height="600" fill="#27c"/></svg>';

let fixture: PlayerFixture;
let shown: PublishedFilm;

beforeAll(async () => {
  fixture = await openPlayerFixture(768, [90]);
  shown = await fixture.publish();
  const peaks = Buffer.from(Array.from({ length: 400 }, (_, index) => Math.round(255 * Math.abs(Math.sin(index / 9)))));
  await fixture.database.db.updateTable('media').set({ waveform: peaks }).where('id', '=', shown.mediaId).execute();
});
afterAll(() => fixture.close());

async function open(prepare: (page: Page) => Promise<unknown>): Promise<Page> {
  const page = await fixture.browser.newPage(SMALL_PAGE);
  await prepare(page);
  const { libraryId, mediaId } = shown;
  await page.goto(`${fixture.edge.base}/embed/${libraryId}/${mediaId}?muted=true&autoplay=false&t=12`);
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  await expect.poll(() => readSec(page), PATIENCE).toBe(12);
  return page;
}

const readSec = (page: Page) => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime);
const coverUrl = () => `${fixture.edge.base}/cover.svg`;
const serveCover = (page: Page) =>
  page.route(coverUrl(), (route) => route.fulfill({ contentType: 'image/svg+xml', body: COVER }));

test.each([
  { name: 'cover and waveform', hasCover: true },
  { name: 'waveform', hasCover: false },
])('audio shows its $name, apart from each other and from the controls', async ({ hasCover }) => {
  const page = await open(async (one) => {
    await serveCover(one);
    await forceState(one, ({ state }) => {
      if (state.source !== null) state.source.hasPicture = false;
      state.posterUrl = hasCover ? coverUrl() : null;
    });
  });
  const box = (selector: string) => page.locator(selector).boundingBox();
  await page.locator('bunny-poster-image .waveform.loaded').waitFor(PATIENCE);
  const bar = await box('bunny-media-control-bar');
  const wave = await box('bunny-poster-image .waveform');
  expect((wave?.y ?? 0) + (wave?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
  if (hasCover) {
    await page.locator('bunny-poster-image img.loaded:not(.waveform)').waitFor(PATIENCE);
    const cover = await box('bunny-poster-image img:not(.waveform)');
    expect((cover?.y ?? 0) + (cover?.height ?? 0)).toBeLessThanOrEqual(wave?.y ?? 0);
  }
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, `audio-${hasCover ? 'cover' : 'waveform'}`);
  await page.close();
});

test.each([
  { heightPx: 220, lines: 'nowrap' },
  { heightPx: 400, lines: 'normal' },
])(
  'a title has one line in a frame of $heightPx px only if several do not fit: $lines',
  async ({ heightPx, lines }) => {
    const page = await open((one) =>
      forceState(one, ({ state }) => {
        if (state.source !== null) state.source.hasPicture = false;
        state.posterUrl = null;
      }),
    );
    await page.setViewportSize({ width: 390, height: heightPx });
    const style = () =>
      page.locator('media-controller').evaluate((element) => getComputedStyle(element, '::after').whiteSpace);
    await expect.poll(style, PATIENCE).toBe(lines);
    await page.close();
  },
);

test('the operating system shows title, poster and position, and its media buttons control the player', async () => {
  const page = await open(async (one) => {
    await serveCover(one);
    await one.addInitScript(() => {
      const handlers: Record<string, MediaSessionActionHandler | null> = {};
      const positions: (MediaPositionState | undefined)[] = [];
      Object.assign(window, { handlers, positions });
      // A headless browser has no media controls whose buttons a test could press.
      MediaSession.prototype.setActionHandler = (action, handler) => {
        if (action === 'stop') throw new TypeError('Unknown action.');
        handlers[action] = handler;
      };
      const { setPositionState } = MediaSession.prototype;
      MediaSession.prototype.setPositionState = function keep(state) {
        positions.push(state);
        setPositionState.call(this, state);
      };
    });
    await forceState(one, ({ state }) => {
      state.posterUrl = coverUrl();
    });
  });
  const metadata = await page.evaluate(() => {
    const { title, artwork } = navigator.mediaSession.metadata ?? {};
    return { title, artwork: artwork?.map(({ src }) => src) };
  });
  // The poster is already shown. Firefox would fetch the artwork again, even if the video is never played.
  expect(metadata).toEqual({ title: 'A film', artwork: [] });
  const readArtwork = () => page.evaluate(() => navigator.mediaSession.metadata?.artwork.map(({ src }) => src) ?? null);
  const press = (action: string, details: object = {}) =>
    page.evaluate(([name, given]) => Reflect.get(window, 'handlers')[name]({ action: name, ...given }), [
      action,
      details,
    ] as const);
  await press('seekforward');
  expect(await readSec(page)).toBe(22);
  await press('seekbackward', { seekOffset: 5 });
  expect(await readSec(page)).toBe(17);
  await press('seekto', { seekTime: 4 });
  expect(await readSec(page)).toBe(4);
  const newest = () => page.evaluate(() => Reflect.get(window, 'positions').at(-1)?.position);
  await expect.poll(newest, PATIENCE).toBe(4);
  const isPaused = () => page.locator('video').evaluate((video: HTMLVideoElement) => video.paused);
  await press('play');
  await expect.poll(isPaused, PATIENCE).toBe(false);
  expect(await readArtwork()).toEqual([coverUrl()]);
  await press('pause');
  await expect.poll(isPaused, PATIENCE).toBe(true);
  await page.close();
});
