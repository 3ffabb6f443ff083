import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { makePaddedClip } from '../support/media/padded-clip.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

const MAX_TITLE_CHARS = 1_000;

let service: Service;
let browser: Browser;
let page: Page;
let folder: string;
let guid: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-forms-'));
  const clip = path.join(folder, 'clip.mp4');
  [service, browser] = await Promise.all([startService(null), openBrowser(), makePaddedClip(clip, 2 ** 18)]);
  page = await openDashboard(service, browser, { key: ACCOUNT_KEY });
  await page.getByText('Drop your first video here').waitFor();
  guid = await createVideo(service, 'First film');
  await uploadFile(service, guid, clip);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
}, WAIT_MS);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const open = (place: string) => page.goto(`${service.apiUrl}/dashboard/library/1/${place}`);
const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();

test('the checklist stays after the first upload, marks what is done, and can be hidden', async () => {
  await open('videos');
  const steps = page.getByRole('region', { name: /^First steps/ });
  const done = (title: string) => steps.locator('li.done', { hasText: title });
  await done('Upload a video').waitFor();
  expect(await steps.locator('li.done').count()).toBe(1);
  await lookAtPage('first-steps', page);
  await open(`videos/${guid}`);
  await press('Copy Embed code');
  await call(service, 'POST', '/library/1/live', { title: 'Market day' });
  await open('videos');
  await done('Go live').waitFor();
  await done('Embed it in a page').waitFor();
  await press('Hide checklist');
  await steps.waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('li.card').first().waitFor();
  expect(await steps.count()).toBe(0);
});

test('a new caption line shows its fault only after it was left, and saving shows the reason', async () => {
  await open(`videos/${guid}/captions`);
  await press('Write captions');
  await press(/^Add line at/);
  await page.getByLabel('Text of line 1').waitFor();
  const fault = page.getByText('The line has no text.');
  expect(await fault.count()).toBe(0);
  await press('Save changes');
  await fault.waitFor();
  await page.getByText('Correct the marked lines first.').waitFor();
  await page.getByLabel('Text of line 1').fill('Hello');
  await fault.waitFor({ state: 'detached' });
  await press('Discard');
});

test('a long title is counted and refused, not cut', async () => {
  await open(`videos/${guid}`);
  await page.getByLabel('Title').fill('x'.repeat(MAX_TITLE_CHARS + 5));
  await page.getByText('5 characters too many.').waitFor();
  await press('Save changes');
  await page.getByText(`Title: shorten the text to ${MAX_TITLE_CHARS} characters.`).waitFor();
  expect(await page.getByLabel('Title').inputValue()).toHaveLength(MAX_TITLE_CHARS + 5);
  await press('Discard');
});

test('without a speech engine, the screens explain what to set up instead of offering actions', async () => {
  for (const part of ['', '/captions', '/chapters']) {
    await open(`videos/${guid}${part}`);
    await page.getByText('need a speech engine').waitFor();
    expect(await page.getByRole('button', { name: /Transcribe|Generate/ }).count()).toBe(0);
  }
});

test('a message is above the bar with unsaved changes and the bar of selected videos', async () => {
  await open('videos');
  await page.getByLabel('Select First film').check();
  await press('Edit…');
  await page.getByRole('dialog').getByLabel('Title of First film').fill('Second film');
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  await page.locator('.toast').waitFor();
  await page.getByLabel('Select Second film').check();
  const [message, bar] = [page.locator('.toasts'), page.locator('.bulk-bar')];
  await expect
    .poll(async () => {
      const [above, below] = [await message.boundingBox(), await bar.boundingBox()];
      return above === null || below === null ? Number.POSITIVE_INFINITY : above.y + above.height - below.y;
    })
    .toBeLessThanOrEqual(0);
});

test('a scheduled stream has a countdown until it is turned off', async () => {
  const plan = { title: 'Concert', scheduledStartTime: '2099-01-31T18:00:00Z' };
  const stream = String(Object(await call(service, 'POST', '/library/1/live', plan)).guid);
  await open(`live/${stream}`);
  const countdown = page.getByLabel('Show a countdown');
  await countdown.waitFor();
  expect(await countdown.isChecked()).toBe(true);
  await countdown.uncheck();
  await press('Save changes');
  const read = async () => Object(await call(service, 'GET', `/library/1/live/${stream}`)).enableCountdown;
  await expect.poll(read, { timeout: WAIT_MS }).toBe(false);
});
