import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { openCatalogue } from '../support/leftovers.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, getVideo, untilVideo, uploadFile } from '../support/videos.ts';

const RATE = 25;
const VIEWS = [...FOUR_VIEWS, ['light', 1024], ['dark', 1024]] as const;
const LENGTH_SEC = 20;

let service: Service;
let browser: Browser;
let page: Page;
let folder: string;
let guid: string;
const faults: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-timeline-'));
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  guid = await upload('film.mp4', ...SCENE, ...SOUND, '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac');
  await drawWaveform(guid);
  page = await openDashboard(service, browser);
  page.context().setDefaultTimeout(WAIT_MS);
  page.on('pageerror', (error) => faults.push(error.message));
}, WAIT_MS);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const SCENE = ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=${RATE}:d=${LENGTH_SEC}`];
const SOUND = ['-f', 'lavfi', '-i', `aevalsrc='0.8*sin(2*PI*t/3)*sin(440*2*PI*t)':d=${LENGTH_SEC}`];

async function upload(name: string, ...args: string[]): Promise<string> {
  const file = path.join(folder, name);
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, file]);
  const made = await createVideo(service, name);
  await uploadFile(service, made, file);
  await untilVideo(service, made, ({ status }) => status === FINISHED);
  return made;
}

/** Draws the waveform of a video, which the service does once a minute. */
async function drawWaveform(videoId: string): Promise<void> {
  const { db, close } = openCatalogue(service);
  const peaks = Buffer.from(Array.from({ length: 400 }, (_, at) => 40 + Math.abs(Math.sin(at / 9)) * 200));
  await db.updateTable('media').set({ waveform: peaks }).where(sql`id`, '=', videoId).execute();
  await close();
}

async function open(tab: string, videoId = guid): Promise<void> {
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${videoId}/${tab}`);
  await head().waitFor();
}

const slider = (name: string) => page.getByRole('slider', { name });
const head = () => slider('Position in the video');
const secOf = async (name: string) => Number(await slider(name).getAttribute('aria-valuenow'));
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

/** Returns the distance on the screen of one second on the timeline. */
async function pxPerSec(): Promise<number> {
  const box = await page.locator('.tl-area').boundingBox();
  return (box?.width ?? 0) / LENGTH_SEC;
}

/** Drags a handle by seconds, with all of the video visible. */
async function drag(name: string, bySec: number): Promise<void> {
  await slider(name).scrollIntoViewIfNeeded();
  const box = await slider(name).boundingBox();
  if (box === null) throw new Error(`Expected the handle ${name} on the page.`);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 10, y, { steps: 2 });
  await page.mouse.move(x + bySec * (await pxPerSec()), y, { steps: 4 });
  await page.mouse.up();
}

test('a clip is cut by dragging, frame steps, zoom and undo, and created with its exact times', async () => {
  await open('clip');
  await page.locator('.tl-wave').waitFor();
  await page.locator('.tl-film span span').first().waitFor();
  await drag('End of clip', -5);
  expect(await secOf('End of clip')).toBeCloseTo(LENGTH_SEC - 5, 0);
  await drag('Beginning of clip', 4);
  expect(await secOf('Beginning of clip')).toBeCloseTo(4, 0);
  await press('Undo');
  expect(await secOf('Beginning of clip')).toBe(0);
  await page.keyboard.press('Control+Shift+Z');
  expect(await secOf('Beginning of clip')).toBeCloseTo(4, 0);
  // Ten frames after a click at five seconds.
  await page.locator('.tl-area').scrollIntoViewIfNeeded();
  const area = await page.locator('.tl-area').boundingBox();
  await page.mouse.click((area?.x ?? 0) + 5 * (await pxPerSec()), (area?.y ?? 0) + 50);
  const clicked = await secOf('Position in the video');
  expect(clicked).toBeCloseTo(5, 0);
  for (let count = 0; count < 10; count += 1) await page.keyboard.press('.');
  expect(await secOf('Position in the video')).toBeCloseTo(clicked + 10 / RATE, 3);
  await page.keyboard.press('Shift+<');
  expect(await secOf('Position in the video')).toBeCloseTo(clicked + 10 / RATE - 1, 3);
  // The player shows the frame.
  const shown = () => page.frames()[1]?.evaluate(() => document.querySelector('video')?.currentTime ?? 0) ?? 0;
  await expect.poll(shown, { timeout: WAIT_MS }).toBeCloseTo(clicked + 10 / RATE - 1 + 0.001, 2);
  await press('Set start here');
  expect(await secOf('Beginning of clip')).toBeCloseTo(clicked + 10 / RATE - 1, 3);
  const before = await page.locator('.tl-window').evaluate((part) => part.clientWidth);
  await page.keyboard.press('+');
  const zoomed = await page.locator('.tl-window').evaluate((part) => part.clientWidth);
  expect(zoomed / before).toBeCloseTo(0.5, 1);
  await page.locator('.tl-area').hover();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -300);
  await page.keyboard.up('Control');
  await expect.poll(() => page.locator('.tl-window').evaluate((part) => part.clientWidth)).toBeLessThan(zoomed);
  await press('Show everything');
  await lookAtPage('timeline-clip', page, { views: VIEWS, exclude: ['iframe'] });
  await page.getByLabel('Clip title').fill('Best part');
  const [startSec, endSec] = [await secOf('Beginning of clip'), await secOf('End of clip')];
  await page.getByRole('button', { name: /^Create clip/ }).click();
  await page.getByRole('heading', { name: 'Best part' }).waitFor();
  const made = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  expect((await getVideo(service, made)).length).toBe(Math.round(endSec - startSec));
  expect(faults).toEqual([]);
}, 240_000);

test('chapters and moments are moved with their neighbours, undone, and saved', async () => {
  const chapters = [
    { title: 'Opening', start: 0, end: 6 },
    { title: 'Harbour', start: 6, end: 14 },
    { title: 'Farewell', start: 14, end: LENGTH_SEC },
  ];
  await call(service, 'POST', `/library/1/videos/${guid}`, { chapters, moments: [{ label: 'Gull', timestamp: 9 }] });
  await open('chapters');
  await page.locator('.tl-block', { hasText: 'Harbour' }).click();
  expect(await page.locator('.timed-row.here input').first().inputValue()).toBe('Harbour');
  await drag('Beginning of chapter 2', -2);
  expect(await page.getByRole('textbox', { name: 'End of chapter 1' }).inputValue()).toBe('0:04');
  // A key moves to the previous or next whole second.
  await slider('End of chapter 2').focus();
  await page.keyboard.press('Shift+ArrowRight');
  expect(await page.getByRole('textbox', { name: 'Beginning of chapter 3' }).inputValue()).toBe('0:15');
  await page.getByLabel('Name of moment 1').focus();
  await drag('Beginning of moment 1', 3);
  expect(await page.getByRole('textbox', { name: 'Beginning of moment 1' }).inputValue()).toBe('0:12');
  await press('Undo');
  expect(await page.getByRole('textbox', { name: 'Beginning of moment 1' }).inputValue()).toBe('0:09');
  await page.getByLabel('Name of chapter 1').fill('At dawn');
  await slider('Position in the video').focus();
  for (const [key, sec] of [
    ['Home', 0],
    ['PageUp', 4],
    ['PageUp', 15],
    ['PageDown', 4],
  ] as const) {
    await page.keyboard.press(key);
    expect(await secOf('Position in the video')).toBe(sec);
  }
  await page.getByLabel('Name of chapter 2').focus();
  await lookAtPage('timeline-chapters', page, { views: VIEWS, exclude: ['iframe'] });
  await page.keyboard.press('Control+s');
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
  expect(await getVideo(service, guid)).toMatchObject({
    chapters: [
      { title: 'At dawn', start: 0, end: 4 },
      { title: 'Harbour', start: 4, end: 15 },
      { title: 'Farewell', start: 15, end: LENGTH_SEC },
    ],
    moments: [{ label: 'Gull', timestamp: 9 }],
  });
  // A saved change can still be undone, and is then an unsaved change.
  await press('Undo');
  expect(await page.getByLabel('Name of chapter 1').inputValue()).toBe('Opening');
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor();
  await press('Discard');
  expect(await page.getByLabel('Name of chapter 1').inputValue()).toBe('At dawn');
  expect(faults).toEqual([]);
}, 240_000);

/** Stores captions of a video. */
async function addCaptions(videoId: string, cues: readonly string[]): Promise<void> {
  const captionsFile = Buffer.from(`WEBVTT\n\n${cues.join('\n\n')}\n`).toString('base64');
  const body = { srclang: 'en', label: 'English', captionsFile };
  await call(service, 'POST', `/library/1/videos/${videoId}/captions/en`, body);
}

/** Returns the stored captions of a video. */
async function readCaptions(videoId: string): Promise<string> {
  return (await fetch(`${service.edgeUrl}/vz-1/${videoId}/captions/en.vtt?ver=${Date.now()}`)).text();
}

test('caption lines are moved, set at the position of the player, undone, and saved', async () => {
  await addCaptions(guid, [
    '00:00:01.000 --> 00:00:04.000\nThe first boats return.',
    '00:00:05.000 --> 00:00:08.000\nNobody speaks.\nThe gulls do.',
    '00:00:10.000 --> 00:00:13.500\nThen the market opens.',
  ]);
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${guid}/captions`);
  await press('Edit English');
  await page.locator('.tl-block', { hasText: 'Nobody speaks. The gulls do.' }).click();
  expect(await page.locator('.cue.here textarea').inputValue()).toContain('Nobody');
  await drag('End of line 2', 1);
  const end = page.getByRole('textbox', { name: 'End of line 2' });
  expect(await end.inputValue()).toMatch(/^00:00:0(8.9|9.0)/);
  await page.keyboard.press('Control+z');
  expect(await end.inputValue()).toBe('00:00:08.000');
  // A line cannot overlap its neighbour.
  await drag('End of line 2', 6);
  expect(await end.inputValue()).toBe('00:00:10.000');
  await press('Undo');
  await page.getByRole('button', { name: 'Play line 3' }).click();
  await slider('Position in the video').focus();
  await page.keyboard.press('.');
  await press('Set start here');
  expect(await page.getByRole('textbox', { name: 'Start of line 3' }).inputValue()).toBe('00:00:10.040');
  await lookAtPage('timeline-captions', page, { views: VIEWS, exclude: ['iframe'] });
  await press('Save changes');
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
  await expect.poll(() => readCaptions(guid), { timeout: WAIT_MS }).toContain('00:00:10.040 --> 00:00:13.500');
  expect(faults).toEqual([]);
}, 240_000);

const LONG_SEC = 36_000;
const LINES = 5000;
const CHAPTERS = 500;

/** Makes a video of ten hours that has no file, and therefore neither frames nor sound. */
async function makeLong(): Promise<string> {
  const made = await createVideo(service, 'Ten hours');
  const { db, close } = openCatalogue(service);
  await db
    .updateTable('media')
    .set({ duration_ms: LONG_SEC * 1000 })
    .where(sql`id`, '=', made)
    .execute();
  await close();
  const time = (sec: number) => new Date(sec * 1000).toISOString().slice(11, 23);
  const cues = Array.from({ length: LINES }, (_, at) => `${time(at * 7)} --> ${time(at * 7 + 5)}\nSentence ${at + 1}`);
  await addCaptions(made, cues);
  const chapters = Array.from({ length: CHAPTERS }, (_, at) => ({
    ...{ title: `Part ${at + 1}`, start: at * 72, end: (at + 1) * 72 },
  }));
  await call(service, 'POST', `/library/1/videos/${made}`, { chapters });
  return made;
}

test('ten hours with 5,000 lines and 500 chapters draw only what is visible, without frames and sound', async () => {
  const long = await makeLong();
  await open('chapters', long);
  expect(await page.locator('.tl-block').count()).toBeLessThan(CHAPTERS);
  expect(await page.locator('.timed-row').count()).toBeLessThan(40);
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${long}/captions`);
  await press('Edit English');
  await head().waitFor();
  expect(await page.locator('.tl-block').count()).toBeLessThan(400);
  expect(await page.locator('.cue').count()).toBeLessThan(40);
  expect(await page.locator('.tl-film, .tl-wave').count()).toBe(0);
  await head().focus();
  await page.keyboard.press('End');
  await page.keyboard.press('PageDown');
  // The list scrolls to the last line.
  const last = page.getByLabel(`Text of line ${LINES}`);
  await last.fill('The end');
  for (let count = 0; count < 10; count += 1) await press('Zoom in');
  expect(await page.locator('.tl-block').count()).toBeLessThan(20);
  await page.locator('.tl-block.here', { hasText: 'The end' }).waitFor();
  await slider(`End of line ${LINES}`).focus();
  await page.keyboard.press('ArrowRight');
  expect(await page.getByRole('textbox', { name: `End of line ${LINES}` }).inputValue()).toBe('09:43:18.100');
  await press('Undo');
  await press('Undo');
  expect(await last.inputValue()).toBe(`Sentence ${LINES}`);
  await page.getByRole('scrollbar', { name: 'Visible part' }).focus();
  const before = await page.locator('.tl-ruler').textContent();
  await page.keyboard.press('ArrowLeft');
  expect(await page.locator('.tl-ruler').textContent()).not.toBe(before);
  expect(faults).toEqual([]);
}, 240_000);

test('a finger selects, moves and scrolls, and two fingers zoom', async () => {
  const context = await browser.newContext({
    ...{ hasTouch: true, viewport: { width: 390, height: 900 }, storageState: await page.context().storageState() },
  });
  const phone = await context.newPage();
  await phone.goto(`${service.apiUrl}/dashboard/library/1/videos/${guid}/chapters`);
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
  await expect.poll(value, { timeout: WAIT_MS }).toBeCloseTo(LENGTH_SEC / 2, 0);
  const partPx = () => phone.locator('.tl-window').evaluate((part) => part.clientWidth);
  const whole = await partPx();
  await touch('touchStart', 0.4, 0.6);
  for (const share of [0.35, 0.3, 0.25, 0.2, 0.1]) await touch('touchMove', share, 1 - share);
  await touch('touchEnd');
  await expect.poll(partPx, { timeout: WAIT_MS }).toBeLessThan(whole / 2);
  const left = () => phone.locator('.tl-window').evaluate((part) => Number.parseFloat(part.style.left));
  const before = await left();
  await touch('touchStart', 0.2);
  for (const share of [0.4, 0.6, 0.8]) await touch('touchMove', share);
  await touch('touchEnd');
  await expect.poll(left, { timeout: WAIT_MS }).toBeLessThan(before);
  // The player stays where it was.
  expect(await value()).toBeCloseTo(LENGTH_SEC / 2, 0);
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await context.close();
}, 240_000);

test('audio without frames is cut by keys in tenths of a second', async () => {
  const sound = await upload('sound.m4a', ...SOUND, '-c:a', 'aac');
  await drawWaveform(sound);
  await open('clip', sound);
  await page.locator('.tl-wave').waitFor();
  expect(await page.locator('.tl-film').count()).toBe(0);
  await slider('Beginning of clip').focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowRight']) await page.keyboard.press(key);
  expect(await secOf('Beginning of clip')).toBe(1.2);
  expect(await slider('Beginning of clip').getAttribute('aria-valuetext')).toBe('0:01.200');
  await press('Next frame');
  expect(await secOf('Position in the video')).toBe(0.1);
  expect(faults).toEqual([]);
}, 240_000);
