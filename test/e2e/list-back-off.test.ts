import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard } from '../support/dashboard.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { createVideo } from '../support/videos.ts';

let service: Service;
let browser: Browser;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
});

test('a list that fails to load waits 2, 5, 15 and then 60 s between its requests, and recovers', async () => {
  await createVideo(service, 'A film');
  const page = await openDashboard(service, browser, { prepare: (context) => context.clock.install() });
  // Not the request of the checklist for one video.
  const list = /\/library\/1\/videos\?(?!itemsPerPage=1&)/;
  let requests = 0;
  let finished = 0;
  page.on('requestfinished', (request) => {
    if (list.test(request.url())) finished += 1;
  });
  await page.getByRole('link', { name: 'Collections' }).click();
  await page.getByRole('heading', { name: 'Collections' }).waitFor();
  await page.route(list, (route) => {
    requests += 1;
    return route.fulfill({ status: 400, json: { success: false, message: 'The database is away.', statusCode: 400 } });
  });
  finished = 0;
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await page.getByRole('link', { name: 'Videos', exact: true }).click();
  // Renders the screen, which loads its list.
  await page.clock.runFor(100);
  for (const [before, waitSec] of [2, 5, 15, 60, 60].entries()) {
    await expect.poll(() => finished).toBe(before + 1);
    // The page has handled the failed request before the response to this one.
    await page.evaluate(() => fetch('/healthz'));
    await page.clock.runFor((waitSec - 1) * 1000);
    await page.evaluate(() => fetch('/healthz'));
    expect(requests).toBe(before + 1);
    await page.clock.runFor(2000);
  }
  await expect.poll(() => finished).toBe(6);
  expect(await page.getByText('The database is away.').count()).toBe(1);
  await page.unroute(list);
  await page.clock.runFor(61_000);
  await page.clock.resume();
  await page.getByText('A film').waitFor();
  expect(await page.getByText('The database is away.').count()).toBe(0);
});
