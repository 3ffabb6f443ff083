import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WAIT_MS } from '../support/dashboard.ts';
import { openCatalogue } from '../support/leftovers.ts';
import { addCaptions, LENGTH_SEC, openTimelinePage, type TimelinePage } from '../support/timeline-page.ts';
import { call, createVideo } from '../support/videos.ts';

let fixture: TimelinePage;
let page: Page;
let guid: string;

beforeAll(async () => {
  fixture = await openTimelinePage();
  page = fixture.page;
  guid = await fixture.upload('film.mp4');
}, WAIT_MS);
afterAll(() => fixture?.close());

const LONG_SEC = 36_000;
const LINES = 5000;
const CHAPTERS = 500;

/** Creates a ten-hour video without a file, and therefore without frames and sound. */
async function makeLong(): Promise<string> {
  const made = await createVideo(fixture.service, 'Ten hours');
  const { db, close } = openCatalogue(fixture.service);
  await db
    .updateTable('media')
    .set({ duration_ms: LONG_SEC * 1000 })
    .where(sql`id`, '=', made)
    .execute();
  await close();
  const time = (sec: number) => new Date(sec * 1000).toISOString().slice(11, 23);
  const cues = Array.from(
    { length: LINES },
    (_, index) => `${time(index * 7)} --> ${time(index * 7 + 5)}\nSentence ${index + 1}`,
  );
  await addCaptions(fixture.service, made, cues);
  const chapters = Array.from({ length: CHAPTERS }, (_, index) => ({
    ...{ title: `Part ${index + 1}`, start: index * 72, end: (index + 1) * 72 },
  }));
  await call(fixture.service, 'POST', `/library/1/videos/${made}`, { chapters });
  return made;
}

test('ten hours with 5,000 lines and 500 chapters draw only what is visible, without frames and sound', async () => {
  const long = await makeLong();
  await fixture.open(long, 'chapters');
  await fixture.head().waitFor();
  expect(await page.locator('.tl-block').count()).toBeLessThan(CHAPTERS);
  expect(await page.locator('.timed-row').count()).toBeLessThan(40);
  await fixture.open(long, 'captions');
  await fixture.press('Edit English');
  await fixture.head().waitFor();
  expect(await page.locator('.tl-block').count()).toBeLessThan(400);
  expect(await page.locator('.cue').count()).toBeLessThan(40);
  expect(await page.locator('.tl-film, .tl-wave').count()).toBe(0);
  await fixture.head().focus();
  await page.keyboard.press('End');
  await page.keyboard.press('PageDown');
  // The list scrolls to the last line.
  const last = page.getByLabel(`Text of line ${LINES}`);
  await last.fill('The end');
  for (let count = 0; count < 10; count += 1) await fixture.press('Zoom in');
  expect(await page.locator('.tl-block').count()).toBeLessThan(20);
  await page.locator('.tl-block.here', { hasText: 'The end' }).waitFor();
  await fixture.slider(`End of line ${LINES}`).focus();
  await page.keyboard.press('ArrowRight');
  expect(await page.getByRole('textbox', { name: `End of line ${LINES}` }).inputValue()).toBe('09:43:18.100');
  await fixture.press('Undo');
  await fixture.press('Undo');
  expect(await last.inputValue()).toBe(`Sentence ${LINES}`);
  await page.getByRole('scrollbar', { name: 'Visible part' }).focus();
  const before = await page.locator('.tl-ruler').textContent();
  await page.keyboard.press('ArrowLeft');
  expect(await page.locator('.tl-ruler').textContent()).not.toBe(before);
  expect(fixture.faults).toEqual([]);
}, 240_000);

test('a finger selects, moves and scrolls, and two fingers zoom', async () => {
  const context = await fixture.browser.newContext({
    ...{ hasTouch: true, viewport: { width: 390, height: 900 }, storageState: await page.context().storageState() },
  });
  const phone = await context.newPage();
  await phone.goto(`${fixture.service.apiUrl}/dashboard/library/1/videos/${guid}/chapters`);
  const head390 = phone.getByRole('slider', { name: 'Position in the video' });
  await head390.waitFor();
  const area = phone.locator('.tl-area');
  await area.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const box = await area.boundingBox();
  if (box === null) throw new Error('Expected a timeline on the page.');
  const session = await context.newCDPSession(phone);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...shares: number[]) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: shares.map((share, id) => ({ x: box.x + share * box.width, y: box.y + 50, id })),
    });
  await phone.touchscreen.tap(box.x + box.width / 2, box.y + 50);
  const value = async () => Number(await head390.getAttribute('aria-valuenow'));
  await expect.poll(value, { timeout: 15_000 }).toBeCloseTo(LENGTH_SEC / 2, 0);
  const partPx = () => phone.locator('.tl-window').evaluate((part) => part.clientWidth);
  const whole = await partPx();
  await touch('touchStart', 0.4, 0.6);
  for (const share of [0.35, 0.3, 0.25, 0.2, 0.1]) await touch('touchMove', share, 1 - share);
  await touch('touchEnd');
  await expect.poll(partPx, { timeout: 15_000 }).toBeLessThan(whole / 2);
  const left = () => phone.locator('.tl-window').evaluate((part) => Number.parseFloat(part.style.left));
  const before = await left();
  await touch('touchStart', 0.2);
  for (const share of [0.4, 0.6, 0.8]) await touch('touchMove', share);
  await touch('touchEnd');
  await expect.poll(left, { timeout: 15_000 }).toBeLessThan(before);
  // The player stays where it was.
  expect(await value()).toBeCloseTo(LENGTH_SEC / 2, 0);
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await context.close();
}, 240_000);

test('audio without frames is cut by keys in tenths of a second', async () => {
  const sound = await fixture.upload('sound.m4a');
  await fixture.open(sound, 'clip');
  await fixture.head().waitFor();
  await page.locator('.tl-wave').waitFor();
  expect(await page.locator('.tl-film').count()).toBe(0);
  await fixture.slider('Beginning of clip').focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowRight']) await page.keyboard.press(key);
  expect(await fixture.secOf('Beginning of clip')).toBe(1.2);
  expect(await fixture.slider('Beginning of clip').getAttribute('aria-valuetext')).toBe('0:01.200');
  await fixture.press('Next frame');
  expect(await fixture.secOf('Position in the video')).toBe(0.1);
  expect(fixture.faults).toEqual([]);
}, 240_000);
