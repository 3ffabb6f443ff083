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
import { createVideo, FINISHED, getVideo, untilVideo, uploadFile } from '../support/videos.ts';

const RATE = 25;
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
  page.context().setDefaultTimeout(Number(process.env.TL_WAIT ?? WAIT_MS));
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
  await lookAtPage('timeline-clip', page, { views: FOUR_VIEWS, exclude: ['iframe'] });
  await page.getByLabel('Clip title').fill('Best part');
  const [startSec, endSec] = [await secOf('Beginning of clip'), await secOf('End of clip')];
  await page.getByRole('button', { name: /^Create clip/ }).click();
  await page.getByRole('heading', { name: 'Best part' }).waitFor();
  const made = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  expect((await getVideo(service, made)).length).toBe(Math.round(endSec - startSec));
  expect(faults).toEqual([]);
}, 240_000);
