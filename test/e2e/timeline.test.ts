import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WAIT_MS } from '../support/dashboard.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { addCaptions, LENGTH_SEC, openTimelinePage, RATE, type TimelinePage } from '../support/timeline-page.ts';
import { call, getVideo } from '../support/videos.ts';

const VIEWS = [...FOUR_VIEWS, ['light', 1024], ['dark', 1024]] as const;

let fixture: TimelinePage;
let page: Page;
let guid: string;

beforeAll(async () => {
  fixture = await openTimelinePage();
  page = fixture.page;
  guid = await fixture.upload('film.mp4');
}, WAIT_MS);
afterAll(() => fixture?.close());

test('a clip is cut by dragging, frame steps, zoom and undo, and created with its exact times', async () => {
  await fixture.open(guid, 'clip');
  await fixture.head().waitFor();
  await page.locator('.tl-wave').waitFor();
  await page.locator('.tl-film span span').first().waitFor();
  await fixture.drag('End of clip', -5);
  expect(await fixture.secOf('End of clip')).toBeCloseTo(LENGTH_SEC - 5, 0);
  await fixture.drag('Beginning of clip', 4);
  expect(await fixture.secOf('Beginning of clip')).toBeCloseTo(4, 0);
  await fixture.press('Undo');
  expect(await fixture.secOf('Beginning of clip')).toBe(0);
  await page.keyboard.press('Control+Shift+Z');
  expect(await fixture.secOf('Beginning of clip')).toBeCloseTo(4, 0);
  // Ten frames after a click at five seconds.
  await page.locator('.tl-area').scrollIntoViewIfNeeded();
  const area = await page.locator('.tl-area').boundingBox();
  const perSec = (area?.width ?? 0) / LENGTH_SEC;
  await page.mouse.click((area?.x ?? 0) + 5 * perSec, (area?.y ?? 0) + 50);
  const clicked = await fixture.secOf('Position in the video');
  expect(clicked).toBeCloseTo(5, 0);
  for (let count = 0; count < 10; count += 1) await page.keyboard.press('.');
  expect(await fixture.secOf('Position in the video')).toBeCloseTo(clicked + 10 / RATE, 3);
  await page.keyboard.press('Shift+<');
  expect(await fixture.secOf('Position in the video')).toBeCloseTo(clicked + 10 / RATE - 1, 3);
  // The player shows the frame.
  const shown = () => page.frames()[1]?.evaluate(() => document.querySelector('video')?.currentTime ?? 0) ?? 0;
  await expect.poll(shown, { timeout: WAIT_MS }).toBeCloseTo(clicked + 10 / RATE - 1 + 0.001, 2);
  await fixture.press('Set start here');
  expect(await fixture.secOf('Beginning of clip')).toBeCloseTo(clicked + 10 / RATE - 1, 3);
  const before = await page.locator('.tl-window').evaluate((part) => part.clientWidth);
  await page.keyboard.press('+');
  const zoomed = await page.locator('.tl-window').evaluate((part) => part.clientWidth);
  expect(zoomed / before).toBeCloseTo(0.5, 1);
  await page.locator('.tl-area').hover();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -300);
  await page.keyboard.up('Control');
  await expect.poll(() => page.locator('.tl-window').evaluate((part) => part.clientWidth)).toBeLessThan(zoomed);
  await fixture.press('Show everything');
  await lookAtPage('timeline-clip', page, { views: VIEWS, exclude: ['iframe'] });
  const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })];
  const [shownFrom, shownTo] = [await from.inputValue(), await to.inputValue()];
  await to.fill('99:00');
  await to.press('Tab');
  const lastSec = await fixture.secOf('End of clip');
  expect(lastSec).toBeLessThanOrEqual(LENGTH_SEC + 1);
  await from.fill('98:00');
  await from.press('Tab');
  expect(await fixture.secOf('Beginning of clip')).toBeLessThan(lastSec);
  await from.fill(shownFrom);
  await to.fill(shownTo);
  await to.press('Tab');
  await page.getByLabel('Clip title').fill('Best part');
  const [startSec, endSec] = [await fixture.secOf('Beginning of clip'), await fixture.secOf('End of clip')];
  await page.getByRole('button', { name: /^Create clip/ }).click();
  await page.getByRole('heading', { name: 'Best part' }).waitFor();
  const made = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  expect((await getVideo(fixture.service, made)).length).toBe(Math.round(endSec - startSec));
  expect(fixture.faults).toEqual([]);
}, 240_000);

test('chapters and moments are moved with their neighbours, undone, and saved', async () => {
  const chapters = [
    { title: 'Opening', start: 0, end: 6 },
    { title: 'Harbour', start: 6, end: 14 },
    { title: 'Farewell', start: 14, end: LENGTH_SEC },
  ];
  await call(fixture.service, 'POST', `/library/1/videos/${guid}`, {
    chapters,
    moments: [{ label: 'Gull', timestamp: 9 }],
  });
  await fixture.open(guid, 'chapters');
  await fixture.head().waitFor();
  await page.locator('.tl-block', { hasText: 'Harbour' }).click();
  expect(await page.locator('.timed-row.here input').first().inputValue()).toBe('Harbour');
  await fixture.drag('Beginning of chapter 2', -2);
  expect(await page.getByRole('textbox', { name: 'End of chapter 1' }).inputValue()).toBe('0:04');
  // A key moves to the previous or next whole second.
  await fixture.slider('End of chapter 2').focus();
  await page.keyboard.press('Shift+ArrowRight');
  expect(await page.getByRole('textbox', { name: 'Beginning of chapter 3' }).inputValue()).toBe('0:15');
  await page.getByLabel('Name of moment 1').focus();
  await fixture.drag('Beginning of moment 1', 3);
  expect(await page.getByRole('textbox', { name: 'Beginning of moment 1' }).inputValue()).toBe('0:12');
  await fixture.press('Undo');
  expect(await page.getByRole('textbox', { name: 'Beginning of moment 1' }).inputValue()).toBe('0:09');
  await page.getByLabel('Name of chapter 1').fill('At dawn');
  await fixture.slider('Position in the video').focus();
  for (const [key, sec] of [
    ['Home', 0],
    ['PageUp', 4],
    ['PageUp', 15],
    ['PageDown', 4],
  ] as const) {
    await page.keyboard.press(key);
    expect(await fixture.secOf('Position in the video')).toBe(sec);
  }
  await page.getByLabel('Name of chapter 2').focus();
  await lookAtPage('timeline-chapters', page, { views: VIEWS, exclude: ['iframe'] });
  await page.keyboard.press('Control+s');
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
  expect(await getVideo(fixture.service, guid)).toMatchObject({
    chapters: [
      { title: 'At dawn', start: 0, end: 4 },
      { title: 'Harbour', start: 4, end: 15 },
      { title: 'Farewell', start: 15, end: LENGTH_SEC },
    ],
    moments: [{ label: 'Gull', timestamp: 9 }],
  });
  // A saved change can still be undone, and is then an unsaved change.
  await fixture.press('Undo');
  expect(await page.getByLabel('Name of chapter 1').inputValue()).toBe('Opening');
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor();
  await fixture.press('Discard');
  expect(await page.getByLabel('Name of chapter 1').inputValue()).toBe('At dawn');
  expect(fixture.faults).toEqual([]);
}, 240_000);

/** Returns the stored captions of a video. */
async function readCaptions(videoId: string): Promise<string> {
  return (await fetch(`${fixture.service.edgeUrl}/vz-1/${videoId}/captions/en.vtt?ver=${Date.now()}`)).text();
}

test('caption lines are moved, set at the position of the player, undone, and saved', async () => {
  await addCaptions(fixture.service, guid, [
    '00:00:01.000 --> 00:00:04.000\nThe first boats return.',
    '00:00:05.000 --> 00:00:08.000\nNobody speaks.\nThe gulls do.',
    '00:00:10.000 --> 00:00:13.500\nThen the market opens.',
  ]);
  await fixture.open(guid, 'captions');
  await fixture.press('Edit English');
  await page.locator('.tl-block', { hasText: 'Nobody speaks. The gulls do.' }).click();
  expect(await page.locator('.cue.here textarea').inputValue()).toContain('Nobody');
  await fixture.drag('End of line 2', 1);
  const end = page.getByRole('textbox', { name: 'End of line 2' });
  expect(await end.inputValue()).toMatch(/^00:00:0(8.9|9.0)/);
  await page.keyboard.press('Control+z');
  expect(await end.inputValue()).toBe('00:00:08.000');
  // A line cannot overlap its neighbour.
  await fixture.drag('End of line 2', 6);
  expect(await end.inputValue()).toBe('00:00:10.000');
  await fixture.press('Undo');
  await page.getByRole('button', { name: 'Play line 3' }).click();
  await fixture.slider('Position in the video').focus();
  await page.keyboard.press('.');
  await fixture.press('Set start here');
  expect(await page.getByRole('textbox', { name: 'Start of line 3' }).inputValue()).toBe('00:00:10.040');
  await lookAtPage('timeline-captions', page, { views: VIEWS, exclude: ['iframe'] });
  await fixture.press('Save changes');
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
  await expect.poll(() => readCaptions(guid), { timeout: WAIT_MS }).toContain('00:00:10.040 --> 00:00:13.500');
  expect(fixture.faults).toEqual([]);
}, 240_000);
