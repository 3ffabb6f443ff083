import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openDashboard, WAIT_MS } from './dashboard.ts';
import { LIBRARY_KEY, type Service } from './service.ts';
import { findProcesses, killAll } from './service-processes.ts';
import { call, FINISHED, getVideo, untilVideo } from './videos.ts';

const HOUR_MS = 3_600_000;
const TABS = 8;

/**
 * Uploads a file in a browser whose clock is two hours behind, so that it does not notice that its first signature has
 * expired. The upload survives a reload, a lost connection, `kill -9` of api, and seven other open tabs. All bytes
 * arrive once, and every tab shows the video.
 */
export async function uploadThroughFaults(
  { service, browser, bytesPerSec }: { service: Service; browser: Browser; bytesPerSec: number },
  file: string,
): Promise<void> {
  const name = path.basename(file);
  const page = await openDashboard(service, browser, {
    prepare: (context) =>
      context.addInitScript((behindMs) => {
        const now = Date.now;
        Date.now = () => now() - behindMs;
      }, 2 * HOUR_MS),
  });
  await slowDown(page, bytesPerSec);
  const offsets: number[] = [];
  const refusals: number[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']));
  });
  page.on('response', (response) => {
    if (response.url().includes('/tusupload') && response.status() === 401) refusals.push(response.status());
  });
  await page.route('**/upload-signature', (route) => route.fulfill({ json: expiredSignature(route.request().url()) }), {
    times: 1,
  });
  await page.locator('input[type=file]:not(.folder)').first().setInputFiles(file);
  const row = page.locator('.tray li', { hasText: name });
  // At 30 %, the first part of 16 MiB is stored.
  await untilSent(page, name, 0.3);
  expect(refusals).toEqual([401]);

  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await row.getByText('Interrupted').waitFor();
  const before = offsets.length;
  await row.locator('input[type=file]').setInputFiles(file);
  await untilSent(page, name, 0.45);
  expect(offsets[before]).toBeGreaterThan(0);

  const tabs = await openTabs(page);
  killAll(await findProcesses(service, 'role.ts api'));
  await untilSent(page, name, 0.6);

  const context = page.context();
  await context.setOffline(true);
  await page.waitForTimeout(1_500);
  await context.setOffline(false);
  await page.locator('.tray li[data-state=done]').waitFor();

  const videoId = await oneVideoOf(service, name);
  const video = await untilVideo(service, videoId, ({ status }) => status === FINISHED, WAIT_MS);
  expect(video).toMatchObject({ width: 320 });
  // The stored file is hashed in parallel with the encoding, which may finish first.
  const hash = await hashOf(file);
  const stored = async () => Object(await getVideo(service, videoId)).originalHash;
  await expect.poll(stored, { timeout: WAIT_MS }).toBe(hash);
  for (const tab of [page, ...tabs]) {
    await tab.bringToFront();
    await tab.locator('li.card', { hasText: 'Ready' }).first().waitFor();
  }
  await context.close();
}

/** Slows the upload down, so that the faults occur in the middle of it. */
async function slowDown(page: Page, bytesPerSec: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const line = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSec };
  await session.send('Network.emulateNetworkConditions', line);
}

/** Returns a signature whose expiry has passed on the service's clock, but not on the browser's clock. */
function expiredSignature(url: string): object {
  const [, libraryId = '', videoId = ''] = /libraries\/(\d+)\/videos\/([0-9a-f-]+)/.exec(url) ?? [];
  const expires = String(Math.floor(Date.now() / 1000) - 60);
  const signed = createHash('sha256').update(`${libraryId}${LIBRARY_KEY}${expires}${videoId}`).digest('hex');
  return { LibraryId: libraryId, VideoId: videoId, AuthorizationExpire: expires, AuthorizationSignature: signed };
}

async function untilSent(page: Page, name: string, part: number): Promise<void> {
  const bar = page.getByLabel(`Upload of ${name}`);
  await expect
    .poll(() => bar.evaluate((element: HTMLProgressElement) => element.value / element.max), {
      timeout: WAIT_MS,
      interval: 100,
    })
    .toBeGreaterThanOrEqual(part);
}

async function openTabs(page: Page): Promise<Page[]> {
  const tabs: Page[] = [];
  while (tabs.length < TABS - 1) {
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await tab.locator('li.card').first().waitFor();
    tabs.push(tab);
  }
  return tabs;
}

async function oneVideoOf(service: Service, name: string): Promise<string> {
  const title = name.replace(/\.\w+$/, '');
  // The conformance tests verify that the response is a list of VideoModel.
  const found = (await call(service, 'GET', `/library/1/videos?search=${title}`)) as { items: { guid: string }[] };
  expect(found.items).toHaveLength(1);
  return found.items[0]?.guid ?? '';
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
