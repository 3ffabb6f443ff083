import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

const PATIENCE = { timeout: WAIT_MS };

let service: Service;
let browser: Browser;
let page: Page;
let folder: string;
let collection: string;
const faults: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-course-'));
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  const headers = { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ PlayerTokenAuthenticationEnabled: true });
  expect((await fetch(`${service.apiUrl}/videolibrary/1`, { method: 'POST', headers, body })).status).toBe(200);
  collection = Object(await call(service, 'POST', '/library/1/collections', { name: 'Course' })).guid;
  const file = path.join(folder, 'clip.mp4');
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=3', '-pix_fmt', 'yuv420p'];
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...source, file]);
  for (const title of ['Lesson one', 'Lesson two', 'Lesson three']) {
    const guid = await createVideo(service, title);
    await call(service, 'POST', `/library/1/videos/${guid}`, { collectionId: collection });
    expect((await uploadFile(service, guid, file)).status).toBe(200);
    await untilVideo(service, guid, ({ status }) => status === FINISHED);
  }
  page = await openDashboard(service, browser);
  page.on('pageerror', (error) => faults.push(error.message));
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const orderOf = async () =>
  Object(await call(service, 'GET', `/library/1/collections/${collection}/order`)).videos.map(
    ({ title }: { title: string }) => title,
  );

/** Closes a dialog with a changed order in both ways. It asks first, so the order is not lost. */
async function tryToClose(dialog: Locator): Promise<void> {
  const close = dialog.getByRole('button', { name: 'Close' });
  for (const leave of [() => page.keyboard.press('Escape'), () => close.click()]) {
    await leave();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByText('Play order').waitFor();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
  }
}

test('arranges a collection, shares it, plays it elsewhere, and ends the share', async () => {
  await page.goto(`${service.apiUrl}/dashboard/library/1/collections`);
  await page.getByRole('button', { name: 'Share Course' }).waitFor();
  await lookAtPage('collections', page);
  await page.getByRole('button', { name: 'Share Course' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share Course' });
  await dialog.getByRole('combobox').selectOption('manual');
  const items = dialog.getByRole('list', { name: 'Videos in order' }).getByRole('listitem');
  expect(await items.allTextContents()).toEqual(['Lesson one', 'Lesson two', 'Lesson three']);
  // With the keyboard, then by dragging.
  const up = dialog.getByRole('button', { name: 'Move Lesson three up' });
  await up.focus();
  await page.keyboard.press('Enter');
  await dialog.getByText('Lesson three is now number 2.').waitFor();
  await expect.poll(() => up.evaluate((button) => button === document.activeElement), PATIENCE).toBe(true);
  await page.keyboard.press('Enter');
  await dialog.getByText('Lesson three is now number 1.').waitFor();
  await items.filter({ hasText: 'Lesson two' }).dragTo(items.filter({ hasText: 'Lesson one' }));
  await tryToClose(dialog);
  expect(await items.allTextContents()).toEqual(['Lesson three', 'Lesson two', 'Lesson one']);
  await dialog.getByRole('button', { name: 'Save order' }).click();
  await dialog.getByText('Order saved.').waitFor();
  expect(await orderOf()).toEqual(['Lesson three', 'Lesson two', 'Lesson one']);
  await dialog.getByRole('button', { name: 'Create share page' }).click();
  await page.getByRole('button', { name: 'Save share page' }).click();
  const link = dialog.locator('code', { hasText: /\/share\/[\w-]{43}$/ });
  const url = (await link.textContent()) ?? '';
  const code = await dialog.locator('code', { hasText: '<iframe' }).textContent();
  expect(code).toContain(` title="Course"`);
  await lookAtPage('collection-share', page);

  const viewer = await (await browser.newContext(SMALL_PAGE)).newPage();
  viewer.setDefaultTimeout(WAIT_MS);
  await viewer.goto(url);
  const shown = () => viewer.locator('#videos a[aria-current]').textContent();
  expect(await shown()).toContain('Lesson three');
  const player = viewer.frameLocator('#player');
  const video = player.locator('video');
  await player.locator('media-controller[ready]').waitFor();
  await video.evaluate((element: HTMLVideoElement) => {
    element.muted = true;
    return element.play();
  });
  // After the first video has ended, the second one starts automatically.
  await player.getByText('Next: Lesson two').waitFor();
  await expect.poll(shown, PATIENCE).toContain('Lesson two');
  await player.getByRole('button', { name: 'Next video' }).click();
  await expect.poll(shown, PATIENCE).toContain('Lesson one');
  const at = () => video.evaluate((element: HTMLVideoElement) => element.currentTime);
  await expect.poll(at, PATIENCE).toBeGreaterThan(0.5);

  await dialog.getByRole('button', { name: 'Delete link' }).click();
  await dialog.getByRole('button', { name: 'Delete permanently' }).click();
  await link.waitFor({ state: 'detached' });
  await expect.poll(async () => (await fetch(url)).status, PATIENCE).toBe(404);
  await viewer.evaluate(() => window.dispatchEvent(new Event('focus')));
  await viewer.getByRole('heading', { name: 'Video not found' }).waitFor();
  expect(faults).toEqual([]);
});
