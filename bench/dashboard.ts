import type { Page } from 'playwright-core';
import { openBrowser } from '../test/support/browser.ts';
import { LIBRARY_KEY } from '../test/support/service.ts';
import { makeFolder, startMillrace } from './support/millrace.ts';
import { type Measurement, median, report } from './support/report.ts';
import { seedVideos } from './support/seed-videos.ts';

// The dashboard over a library of VIDEOS videos in Chromium: from the navigation to the painted grid with a cold cache,
// from a scroll to any place to its painted rows, and KiB of script as gzip of the first screen. The bars are absolute.
const VIDEOS = Number(process.argv[2] ?? 100_000);
const VISITS = 5;
const PLACES = 10;
const PAINT_LIMIT_MS = 60_000;

await report('dashboard', async (scope) => {
  const service = await startMillrace(scope);
  await seedVideos(service, makeFolder(scope), VIDEOS);
  const browser = await openBrowser();
  scope.own(() => browser.close());
  const painted: number[] = [];
  const scripts: number[] = [];
  const placed: number[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await signIn(page, service.apiUrl);
    await page.goto('about:blank');
    const session = await context.newCDPSession(page);
    await session.send('Network.clearBrowserCache');
    painted.push(await paintGrid(page, service.apiUrl));
    scripts.push(await scriptKib(page));
    if (visit === 0)
      for (let place = 1; place <= PLACES; place += 1) placed.push(await goTo(page, place / (PLACES + 1)));
    await context.close();
  }
  const result = (name: string, ours: number, bar: number, unit: string): Measurement => ({
    name,
    ours,
    anchor: bar,
    bar,
    unit,
    isAbsolute: true,
  });
  return [
    result(`grid of ${VIDEOS} painted, cold cache`, median(painted), 1_000, 'ms'),
    result('any place of it painted', median(placed), 300, 'ms'),
    result('script and style of the first screen, gzip', median(scripts), 150, 'KiB'),
  ];
});

async function signIn(page: Page, apiUrl: string): Promise<void> {
  await page.goto(apiUrl);
  await page.getByLabel('Key').fill(LIBRARY_KEY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('li.card h2').first().waitFor({ timeout: PAINT_LIMIT_MS });
}

async function paintGrid(page: Page, apiUrl: string): Promise<number> {
  await page.goto(apiUrl, { waitUntil: 'commit' });
  await page.locator('li.card h2').first().waitFor({ timeout: PAINT_LIMIT_MS });
  return page.evaluate(() => new Promise<number>((resolve) => requestAnimationFrame(() => resolve(performance.now()))));
}

/** Scrolls to a part of the whole list, and waits until no row of the window is empty. */
function goTo(page: Page, part: number): Promise<number> {
  return page.evaluate(async (share) => {
    const begin = performance.now();
    scrollTo(0, document.documentElement.scrollHeight * share);
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    do await frame();
    while (document.querySelector('.grid .skeleton') !== null || document.querySelector('.grid .card h2') === null);
    return performance.now() - begin;
  }, part);
}

async function scriptKib(page: Page): Promise<number> {
  const bytes = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.includes('/dashboard/assets/'))
      .reduce((sum, entry) => sum + ('encodedBodySize' in entry ? Number(entry.encodedBodySize) : 0), 0),
  );
  return bytes / 1024;
}
