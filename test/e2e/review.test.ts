import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard } from '../support/dashboard.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { makePaddedClip } from '../support/media/padded-clip.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

let service: Service;
let browser: Browser;
let page: Page;
let folder: string;
let guid: string;
const faults: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-review-'));
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  page = await openDashboard(service, browser);
  page.on('pageerror', (error) => faults.push(error.message));
  const clip = path.join(folder, 'film.mp4');
  await makePaddedClip(clip, 2 ** 20);
  guid = await createVideo(service, 'Harbour at dawn');
  await uploadFile(service, guid, clip);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${guid}/review`);
});
afterAll(async () => {
  expect(faults).toEqual([]);
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const comments = async () => Object(await call(service, 'GET', `/library/1/videos/${guid}/comments`)).items;
const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const thread = (text: string) => page.locator('.review-thread', { hasText: text });
const film = () => page.frameLocator('.stage-player iframe').locator('video');
const timeSec = () => film().evaluate((video: HTMLVideoElement) => video.currentTime);

test('typing pauses the player, and the comment gets its time', async () => {
  await page.getByText('No comments yet.').waitFor();
  await film().evaluate((video: HTMLVideoElement) => {
    video.currentTime = 2;
    return video.play();
  });
  await page.getByLabel('Comment', { exact: true }).pressSequentially('The logo is late');
  await expect.poll(() => film().evaluate((video: HTMLVideoElement) => video.paused)).toBe(true);
  const at = await timeSec();
  await press(`Add comment at 0:0${Math.floor(at)}`);
  await thread('The logo is late').waitFor();
  const [made] = await comments();
  expect(made).toMatchObject({ text: 'The logo is late', authorKind: 'key', isOwn: true });
  expect(Math.abs(made.time - at)).toBeLessThan(0.3);
  expect(await page.getByLabel('Comment', { exact: true }).inputValue()).toBe('');
});

test('a click on the time seeks, and comments are replied to, edited, resolved, opened and deleted', async () => {
  await call(service, 'POST', `/library/1/videos/${guid}/comments`, { text: '<img src=x onerror=fault>', time: 0.5 });
  await page.reload();
  const early = thread('<img src=x onerror=fault>');
  await early.getByRole('button', { name: 'Go to 0:00' }).click();
  await expect.poll(timeSec).toBeLessThan(1);
  await early.getByRole('button', { name: 'Reply' }).click();
  await early.getByLabel('Reply').fill('Fixed\nin the next cut');
  await early.getByRole('button', { name: 'Send reply' }).click();
  await early.locator('.review-replies', { hasText: 'in the next cut' }).waitFor();
  await early.locator('.review-replies').getByRole('button', { name: 'Edit' }).click();
  await early.getByLabel('Comment').fill('Fixed');
  await early.getByRole('button', { name: 'Save' }).click();
  await early.getByText('edited').waitFor();
  const late = thread('The logo is late');
  expect(await page.locator('.review-markers button').count()).toBe(2);
  await lookAtPage('review', page, { views: FOUR_VIEWS, exclude: ['iframe'] });
  await late.getByRole('button', { name: 'Resolve' }).click();
  await late.waitFor({ state: 'detached' });
  expect(await page.locator('.review-markers button').count()).toBe(1);
  await press('Resolved 1');
  await late.getByText('Resolved by ApiKey').waitFor();
  await press('All 2');
  await lookAtPage('review-all', page, { exclude: ['iframe'] });
  await late.getByRole('button', { name: 'Reopen' }).click();
  await press('Unresolved 2');
  await early.getByRole('button', { name: 'Delete' }).first().click();
  await early.waitFor({ state: 'detached' });
  expect(await comments()).toMatchObject([{ text: 'The logo is late', isResolved: false }]);
  expect(await page.locator('.review img').count()).toBe(0);
});

test('offers comments on share pages of the video', async () => {
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${guid}/share`);
  await press('Create share page');
  await page.getByLabel('Allow comments').check();
  await press('Save share page');
  await page.getByText('Comments allowed').waitFor();
  const { items } = Object(await call(service, 'GET', `/library/1/videos/${guid}/shares`));
  expect(items).toMatchObject([{ allowComments: true, access: 'link' }]);
});
