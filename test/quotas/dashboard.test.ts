import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call } from '../support/videos.ts';

const PATIENCE = { timeout: WAIT_MS, interval: 200 };

let service: Service;
let browser: Browser;
let page: Page;
const faults: string[] = [];
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  page = await openDashboard(service, browser, { key: ACCOUNT_KEY });
  page.on('pageerror', (error) => faults.push(error.message));
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
});

const stored = async () => Object(await call(service, 'GET', '/library/1/quotas'));

test('an account manager sets limits, and sees their use and warnings', async () => {
  await page.goto(`${service.apiUrl}/dashboard/library/1/settings/quotas`);
  const quotas = page.locator('#block-quotas');
  await quotas.getByText('0 B, no limit').first().waitFor();
  await quotas.getByRole('combobox', { name: 'Storage in GB', exact: true }).selectOption('hard');
  await quotas.getByLabel('Storage in GB: Limit').fill('2.5');
  await quotas.getByRole('combobox', { name: 'Viewers at once', exact: true }).selectOption('soft');
  const viewers = quotas.getByLabel('Viewers at once: Limit');
  await viewers.fill('');
  const fault = page.getByText('Enter a limit of 0 or more: Viewers at once.');
  expect(await fault.count()).toBe(0);
  await page.getByRole('button', { name: 'Save changes', exact: true }).click();
  await fault.waitFor();
  await viewers.fill('0');
  await page.getByRole('button', { name: 'Save changes', exact: true }).click();
  await expect.poll(async () => (await stored()).storageBytes.limit, PATIENCE).toBe(2.5e9);
  expect((await stored()).concurrentViewers).toMatchObject({ limit: 0, mode: 'soft', percent: 100 });
  await quotas.getByText('Limit reached: Viewers now').waitFor();
  await quotas.getByRole('meter', { name: 'Storage' }).waitFor();
  await lookAtPage('quotas', page, { views: FOUR_VIEWS });
  await quotas.getByRole('combobox', { name: 'Viewers at once', exact: true }).selectOption('none');
  await page.getByRole('button', { name: 'Save changes', exact: true }).click();
  await expect.poll(async () => (await stored()).concurrentViewers.limit, PATIENCE).toBeNull();
  expect(faults).toEqual([]);
});

test('an upload that a limit refuses leaves no video, and another attempt creates one', async () => {
  const limit = (storageBytes: object | null) =>
    fetch(`${service.apiUrl}/library/1/quotas`, {
      method: 'PUT',
      headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
      body: JSON.stringify({ storageBytes }),
    });
  expect((await limit({ limit: 10, mode: 'hard' })).ok).toBe(true);
  const titles = async () => {
    const { items } = Object(await call(service, 'GET', '/library/1/videos'));
    return items.map(({ title }: { title: string }) => title);
  };
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos`);
  const file = { name: 'large.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(11) };
  await page.locator('input[type=file]:not(.folder)').first().setInputFiles(file);
  await page.getByText('The library uses 0 B of 10 B of storage').waitFor();
  await expect.poll(titles, PATIENCE).toEqual([]);
  await limit(null);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(titles, PATIENCE).toEqual(['large']);
});
