import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SMALL_PAGE } from '../support/browser.ts';
import { missedClicks } from '../support/missed-clicks.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';

/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 90_000 };
/** Number of frames in 32 s. */
const FRAMES = 768;
const FRAME_SEC = 1001 / 24_000;

let fixture: PlayerFixture;
let shown: PublishedFilm;

beforeAll(async () => {
  fixture = await openPlayerFixture(FRAMES, [90]);
  shown = await fixture.publish();
});
afterAll(() => fixture.close());

/** Opens the paused player at 12 s. */
async function open(prepare: (page: Page) => Promise<unknown> = async () => undefined): Promise<Page> {
  const page = await fixture.browser.newPage(SMALL_PAGE);
  await prepare(page);
  const { libraryId, mediaId } = shown;
  await page.goto(`${fixture.edge.base}/embed/${libraryId}/${mediaId}?muted=true&autoplay=false&t=12`);
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  await expect.poll(() => readSec(page), PATIENCE).toBe(12);
  return page;
}

const readSec = (page: Page) => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime);

test('keys seek by 10 s and by a frame, and the help lists them', async () => {
  const page = await open();
  for (const { key, sec } of [
    { key: 'l', sec: 22 },
    { key: 'j', sec: 12 },
    { key: '.', sec: 12 + FRAME_SEC },
    { key: ',', sec: 12 },
  ]) {
    await page.keyboard.press(key);
    expect(await readSec(page), key).toBeCloseTo(sec, 2);
  }
  await page.keyboard.press('?');
  const listed = await page.locator('.keys-help kbd').allTextContents();
  for (const key of ['J', 'L', '.', ',', 'I', 'R']) expect(listed).toContain(key);
  await page.close();
});

test('a click on the time range seeks in a portrait frame too', async () => {
  const page = await open();
  await page.setViewportSize({ width: 390, height: 844 });
  const range = await page.locator('bunny-media-time-range').boundingBox();
  if (range === null) throw new Error('The time range is not visible.');
  const { x, y, width, height } = range;
  await page.mouse.click(x + (width * 3) / 4, y + height / 2);
  await expect.poll(() => readSec(page), PATIENCE).toBeGreaterThan(20);
  await page.close();
});

test.each([
  [1440, 900],
  [390, 844],
  [390, 220],
])('every control receives the click at its own centre in a frame of %d x %d px', async (width, height) => {
  const page = await open();
  await page.setViewportSize({ width, height });
  expect(await missedClicks(page)).toEqual([]);
  await page.close();
});

test('frame keys do nothing during playback', async () => {
  const page = await open();
  const video = page.locator('video');
  await video.evaluate((element: HTMLVideoElement) => {
    element.playbackRate = 0.0625;
    return element.play();
  });
  await video.evaluate((element: HTMLVideoElement) => {
    element.addEventListener('seeking', () => Object.assign(window, { hasSought: true }));
  });
  await page.keyboard.press('.');
  expect(await page.evaluate(() => Reflect.get(window, 'hasSought') ?? false)).toBe(false);
  await page.close();
});

test('the I key opens picture-in-picture', async () => {
  const page = await open((one) =>
    one.addInitScript(() => {
      // A headless browser has no picture-in-picture, so the test replaces its API.
      Object.defineProperty(Document.prototype, 'pictureInPictureEnabled', { value: true });
      HTMLVideoElement.prototype.requestPictureInPicture = () => {
        Object.assign(window, { asked: true });
        return Promise.reject(new DOMException('No window.', 'NotSupportedError'));
      };
    }),
  );
  await page.keyboard.press('i');
  expect(await page.evaluate(() => Reflect.get(window, 'asked'))).toBe(true);
  await page.close();
});

/** Taps at these places, as fast as the page handles them. */
function tap(page: Page, shares: readonly number[], pointerType = 'touch'): Promise<void> {
  return page.locator('video').evaluate(
    (video, { places, kind }) => {
      const { left, width } = video.getBoundingClientRect();
      for (const share of places) {
        const at = { clientX: left + width * share, clientY: 100, bubbles: true, composed: true };
        video.dispatchEvent(new PointerEvent('pointerup', { ...at, pointerType: kind }));
      }
      video.dispatchEvent(new MouseEvent('dblclick', { bubbles: true, composed: true }));
    },
    { places: shares, kind: pointerType },
  );
}

test.each([
  { shares: [0.9, 0.9], sec: 22, why: 'two on the right' },
  { shares: [0.1, 0.1], sec: 2, why: 'two on the left' },
  { shares: [0.1, 0.9], sec: 12, why: 'one on each side' },
  { shares: [0.5, 0.5], sec: 12, why: 'two in the middle' },
  { shares: [0.9], sec: 12, why: 'one' },
])('taps seek: $why', async ({ shares, sec }) => {
  const page = await open();
  await tap(page, shares);
  expect(await readSec(page)).toBe(sec);
  const isSideTap = sec !== 12;
  if (isSideTap) expect(await page.evaluate(() => document.fullscreenElement)).toBeNull();
  await page.close();
});

test('a double click of a mouse does not seek', async () => {
  const page = await open();
  await tap(page, [0.9, 0.9], 'mouse');
  expect(await readSec(page)).toBe(12);
  await page.close();
});

test('captions never cover the preview above the full-width seek bar', async () => {
  const page = await open();
  await page.locator('video').evaluate((video: HTMLVideoElement) => {
    const track = video.addTextTrack('captions', 'English', 'en');
    track.addCue(new VTTCue(0, 30, 'A caption that is as wide as the page, and that is read above the seek bar'));
    track.mode = 'showing';
  });
  const captions = page.locator('bunny-captions-display');
  await captions.getByText('A caption').waitFor(PATIENCE);
  const bar = await page.getByRole('slider', { name: 'Seek' }).boundingBox();
  expect(bar?.width).toBeGreaterThan(SMALL_PAGE.viewport.width - 60);
  await page.mouse.move(SMALL_PAGE.viewport.width / 2, (bar?.y ?? 0) + (bar?.height ?? 0) / 2);
  await expect.poll(() => captions.getByText('A caption').isVisible(), PATIENCE).toBe(false);
  await page.mouse.move(SMALL_PAGE.viewport.width / 2, 40);
  await expect.poll(() => captions.getByText('A caption').isVisible(), PATIENCE).toBe(true);
  await page.close();
});
