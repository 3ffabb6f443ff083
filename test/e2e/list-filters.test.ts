import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard } from '../support/dashboard.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
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

test('a screen names the parts of its address that it ignores, and corrects the address', async () => {
  const page = await openDashboard(service, browser, { key: ACCOUNT_KEY });
  const notice = page.getByText('This page does not know these parts of its address');
  const library = `${service.apiUrl}/dashboard/library/1`;
  const { guid } = Object(await call(service, 'POST', '/library/1/collections', { name: 'Talks' }));
  for (const [given, ignored, corrected] of [
    ['videos?status=nonsense&view=list', 'status=nonsense', '?view=list'],
    ['videos?order=colour&direction=up&days=3', 'order=colour, direction=up, days=3', ''],
    ['videos?page=999&visibility=secret&view=table', 'page=999, visibility=secret, view=table', ''],
    ['videos?state=5&state=4&status=1', 'state=4, status=1', '?state=5'],
    ['collections?page=999', 'page=999', ''],
    ['live?status=4', 'status=4', ''],
    ['statistics?days=7', 'days=7', ''],
  ] as const) {
    await page.goto(`${library}/${given}`);
    await expect
      .poll(() => notice.textContent())
      .toBe(`This page does not know these parts of its address and ignores them: ${ignored}`);
    await page.getByRole('button', { name: 'Correct the address' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe(corrected);
  }
  await page.goto(`${library}/videos?state=2,3&tag=a&days=7&order=title&direction=desc&collection=${guid}`);
  await page.getByRole('heading', { name: 'No matching videos' }).waitFor();
  expect(await notice.count()).toBe(0);
  await page.goto(`${library}/videos?status=nonsense`);
  await notice.waitFor();
  await lookAtPage('ignored-parameters', page);
  await page.context().close();
});

test('links to what does not exist say so, or their address becomes that of the page', async () => {
  const page = await openDashboard(service, browser, { key: ACCOUNT_KEY });
  const library = `${service.apiUrl}/dashboard/library/1`;
  const guid = await createVideo(service, 'Has tabs');
  for (const id of ['deleted-id', guid, '..']) {
    await page.goto(`${library}/videos?collection=${id}&order=title`);
    await page.getByRole('heading', { name: 'This collection does not exist' }).waitFor();
    const shown = page.getByLabel('Collection', { exact: true }).locator('option:checked');
    await expect.poll(() => shown.textContent()).toBe('Unknown collection');
  }
  await lookAtPage('unknown-collection', page);
  await page.getByRole('button', { name: 'Show videos of all collections' }).click();
  await page
    .getByRole('link', { name: /Has tabs/ })
    .first()
    .waitFor();
  expect(new URL(page.url()).search).toBe('?order=title');
  for (const [given, corrected] of [
    [`videos/${guid}/nonsense`, `videos/${guid}`],
    ['settings/nonsense', 'settings'],
  ]) {
    await page.goto(`${library}/${given}`);
    await expect.poll(() => page.url()).toBe(`${library}/${corrected}`);
  }
  for (const given of ['videos/nonsense', 'collections/nonsense', `live/${guid}/nonsense`]) {
    await page.goto(`${library}/${given}`);
    await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  }
  await page.goto(`${service.apiUrl}/dashboard/reference?operation=nonsense`);
  await page.getByText('This operation does not exist.').waitFor();
  await page.context().close();
});
