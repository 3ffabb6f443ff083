import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard } from '../support/dashboard.ts';
import { makePaddedClip } from '../support/media/padded-clip.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

let service: Service;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-thumbnails-'));
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

test('a card whose thumbnail cannot be loaded shows an icon instead of a broken picture', async () => {
  const guid = await createVideo(service, 'Film');
  const clip = path.join(folder, 'clip.mp4');
  await makePaddedClip(clip, 1_000_000);
  await uploadFile(service, guid, clip);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  const page = await openDashboard(service, browser);
  const picture = page.locator('li.card .picture');
  await picture.locator('img').waitFor();
  await page.route('**/thumbnail.jpg*', (route) => route.fulfill({ status: 404 }));
  await page.reload();
  await picture.locator('svg').waitFor();
  expect(await picture.locator('img').count()).toBe(0);
});
