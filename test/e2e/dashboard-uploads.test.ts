import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { uploadThroughFaults } from '../support/large-upload.ts';
import { makePaddedClip } from '../support/media/padded-clip.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { call, FINISHED, untilVideo } from '../support/videos.ts';

const MIB = 2 ** 20;
const FILES_OF_FOLDER = 2_000;
/** Rows for all files, about 20 KiB each, would exceed this. */
const MAX_HEAP_BYTES = 32 * MIB;
/** Rows of the upload list, all filled by failed files soon after the start. */
const MAX_ROWS = 30;
const FILES_BETWEEN = 40;
/** Maximum growth over `FILES_BETWEEN` files. Keeping each with its row would take about 20 KiB per file. */
const MAX_GROWTH_BYTES = MIB / 2;

let service: Service;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser(['--js-flags=--expose-gc'])]);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-sent-'));
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

test('a large upload survives an expired signature, a reload, kill -9, a lost connection and eight tabs', async () => {
  const file = path.join(folder, 'large.mp4');
  await makePaddedClip(file, 64 * MIB);
  await uploadThroughFaults({ service, browser, bytesPerSec: 4 * MIB }, file);
});

test('keeps typed values when the upload fails, and the file can be chosen again', async () => {
  const page = await openDashboard(service, browser);
  const file = path.join(folder, 'changing.mp4');
  await makePaddedClip(file, 8 * MIB);
  let isHeld = true;
  await page.route('**/tusupload/**', (route) => (isHeld ? route.abort() : route.continue()));
  await page.locator('input[type=file]:not(.folder)').first().setInputFiles(file);
  const row = page.locator('.tray li', { hasText: 'changing.mp4' });
  await row.getByRole('link').click();
  await page.getByLabel('Title').fill('Typed meanwhile');
  await appendFile(file, Buffer.alloc(8));
  isHeld = false;
  await row.getByText('The file has changed').waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('Typed meanwhile');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('heading', { name: 'Typed meanwhile' }).waitFor({ state: 'attached' });
  await makePaddedClip(file, 8 * MIB);
  await row.locator('input[type=file]').setInputFiles(file);
  await page.locator('.tray li[data-state=done]').waitFor();
  const videoId = new URL(page.url()).pathname.split('/')[5] ?? '';
  expect(await untilVideo(service, videoId, ({ status }) => status === FINISHED, WAIT_MS)).toMatchObject({
    title: 'Typed meanwhile',
  });
  await page.context().close();
});

test('an upload that is paused and resumed while its video is created is sent once, to that video', async () => {
  const page = await openDashboard(service, browser);
  const file = path.join(folder, 'twice.mp4');
  await makePaddedClip(file, MIB);
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let made = 0;
  let opened = 0;
  await page.route(/\/library\/\d+\/videos$/, async (route) => {
    if (route.request().method() === 'POST') {
      made += 1;
      asked.resolve();
      await released.promise;
    }
    await route.continue();
  });
  await page.route('**/tusupload', (route) => {
    opened += 1;
    return route.continue();
  });
  await page.locator('input[type=file]:not(.folder)').first().setInputFiles(file);
  await asked.promise;
  const row = page.locator('.tray li', { hasText: 'twice.mp4' });
  await row.getByRole('button', { name: 'Pause' }).click();
  await row.getByRole('button', { name: 'Resume' }).click();
  released.resolve();
  await page.locator('.tray li[data-state=done]').waitFor();
  expect([made, opened]).toEqual([1, 1]);
  await page.context().close();
});

test('keeps unsaved edits while the video is being encoded', async () => {
  const page = await openDashboard(service, browser);
  const file = path.join(folder, 'edited.mp4');
  await makePaddedClip(file, MIB);
  await page.locator('input[type=file]:not(.folder)').first().setInputFiles(file);
  const link = page.locator('.tray li', { hasText: 'edited.mp4' }).getByRole('link');
  const videoId = (await link.getAttribute('href'))?.split('/').at(-1) ?? '';
  await link.click();
  await page.getByLabel('Title').fill('Edited while encoding');
  await page.getByLabel('Tags').fill('series');
  await untilVideo(service, videoId, ({ status }) => status === FINISHED, WAIT_MS);
  // The page has updated without a reload.
  await page.locator('.facts', { hasText: 'Ready' }).waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('Edited while encoding');
  expect(await page.getByLabel('Tags').inputValue()).toBe('series');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('heading', { name: 'Edited while encoding' }).waitFor({ state: 'attached' });
  await page.context().close();
});

test('files that cannot become videos are failed uploads, which stay in the list', async () => {
  const page = await openDashboard(service, browser);
  const files = ['good-1.mp4', 'good-2.mp4', 'bad-1.mp4', 'bad-2.mp4'].map((name) => path.join(folder, name));
  for (const file of files) {
    if (file.includes('good')) await makePaddedClip(file, MIB);
    else await writeFile(file, 'x'.repeat(5_000));
  }
  await page.locator('input[type=file]:not(.folder)').first().setInputFiles(files);
  const tray = page.locator('.tray');
  await tray.getByRole('heading', { name: 'Uploading 4 files' }).waitFor();
  const failed = tray.locator('li', { hasText: 'bad-' });
  await expect.poll(() => failed.locator('.chip.bad').count(), { timeout: WAIT_MS }).toBe(2);
  await expect.poll(() => tray.locator('.chip.good').count(), { timeout: WAIT_MS }).toBe(2);
  await tray.getByRole('heading', { name: 'Uploads', exact: true }).waitFor();
  // The reason of a failed video replaces the sentence of a waiting one.
  await expect.poll(() => failed.locator('.tray-error').allTextContents()).toHaveLength(2);
  expect((await failed.locator('.tray-error').allTextContents()).join()).not.toMatch(/prob|wait/i);
  // Next to the list, the panel is as wide as its column, however long its texts are.
  await page.setViewportSize({ width: 1440, height: 900 });
  expect((await tray.boundingBox())?.width).toBe(320);
  await tray.getByRole('button', { name: 'Clear 2 uploaded' }).click();
  await expect.poll(() => tray.locator('li').count()).toBe(2);
  expect(await failed.count()).toBe(2);
  await page.context().close();
});

test('uploads a folder of 2,000 files in constant memory', async () => {
  const films = path.join(folder, 'films');
  await mkdir(films);
  for (let index = 0; index < FILES_OF_FOLDER; index += 1)
    await writeFile(path.join(films, `film-${index}.mp4`), 'no film');
  await writeFile(path.join(films, 'notes.txt'), 'no media');
  const page = await openDashboard(service, browser);
  await page.locator('input.folder').first().setInputFiles(films);
  await page.getByText('Uploads go to the collection films. Skipped (not video or audio): 1 file').waitFor();
  // A row of a failed file takes more memory than that of a waiting file, so both measurements need the same rows.
  await expect.poll(() => page.locator('.tray li .tray-error').count(), { timeout: WAIT_MS }).toBe(MAX_ROWS);
  const early = await heapBytes(page);
  expect(await page.locator('.tray li').count()).toBe(MAX_ROWS);
  await untilUploaded(page, (await countUploaded(page)) + FILES_BETWEEN);
  expect((await heapBytes(page)) - early).toBeLessThanOrEqual(MAX_GROWTH_BYTES);
  expect(early).toBeLessThan(MAX_HEAP_BYTES);
  await page.context().close();
  const { items } = (await call(service, 'GET', '/library/1/collections?search=films')) as {
    items: { videoCount: number }[];
  };
  expect(items[0]?.videoCount).toBeGreaterThanOrEqual(60);
});

async function untilUploaded(page: Page, count: number): Promise<void> {
  await expect.poll(() => countUploaded(page), { timeout: WAIT_MS, interval: 200 }).toBeGreaterThanOrEqual(count);
}

async function countUploaded(page: Page): Promise<number> {
  const left = await page.getByRole('heading', { name: /Uploading [\d.,]+ file/ }).textContent();
  return FILES_OF_FOLDER - Number(left?.replaceAll(/\D/g, ''));
}

async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  // Collects garbage twice: the second run frees objects that only garbage of the first run referenced.
  for (const _ of [1, 2]) await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}
