import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard } from '../support/dashboard.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { call, createVideo } from '../support/videos.ts';

let service: Service;
let browser: Browser;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
});

test('links with the filter names of the API work, and all filters fit in one row of a wide screen', async () => {
  const page = await openDashboard(service, browser);
  await call(service, 'POST', '/library/1/collections', { name: 'A collection with a long name' });
  await createVideo(service, 'Waits for a file');
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const [query, label] of [
    ['status=5', 'Failed'],
    ['state=6', 'Failed'],
    ['status=3', 'Encoding'],
    ['status=nonsense', 'All states'],
  ]) {
    await page.goto(`${service.apiUrl}/dashboard/library/1/videos?view=list&${query}`);
    const state = page.getByLabel('State', { exact: true });
    await expect.poll(() => state.locator('option:checked').textContent()).toBe(label);
  }
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos?view=list&status=5&visibility=private`);
  await page.getByRole('heading', { name: 'No matching videos' }).waitFor();
  await page.getByLabel('Collection', { exact: true }).waitFor();
  const fields = page.getByRole('search', { name: 'Filters' }).locator('select, input, .list-form > *');
  const tops = await fields.evaluateAll((all) =>
    all.filter((one) => one.checkVisibility()).map((one) => Math.round(one.getBoundingClientRect().top)),
  );
  expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(20);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page
    .getByRole('link', { name: /Waits for a file/ })
    .first()
    .waitFor();
  expect(new URL(page.url()).search).toBe('?view=list');
  await page.context().close();
});
