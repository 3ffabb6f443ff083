import type { Page } from 'playwright-core';

const SETTLE_MS = 1_500;
/** Minimum duration of reported interactions, in ms. Browsers do not report interactions shorter than a frame. */
const MIN_DURATION_MS = 16;

/**
 * Records in each opened page the time at which the grid was painted, long tasks, layout shifts, the largest contentful
 * paint and interactions.
 */
export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript((shortestMs) => {
    const kept: { type: string; value: number }[] = [];
    Object.assign(globalThis, { kept });
    const watch = (type: string, read: (entry: PerformanceEntry) => number, more: object = {}) =>
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) kept.push({ type, value: read(entry) });
      }).observe({ type, buffered: true, ...more });
    watch('longtask', ({ duration }) => duration);
    watch('event', ({ duration }) => duration, { durationThreshold: shortestMs });
    watch('largest-contentful-paint', ({ startTime }) => startTime);
    watch('layout-shift', (entry) => Number(Object(entry).hadRecentInput ? 0 : Object(entry).value));
    const look = () => {
      if (document.querySelector('li.card h2') === null) requestAnimationFrame(look);
      else requestAnimationFrame(() => performance.mark('grid'));
    };
    requestAnimationFrame(look);
  }, MIN_DURATION_MS);
}

async function readKept(page: Page, type: string): Promise<number[]> {
  return page.evaluate((wanted) => {
    const { kept }: { kept?: { type: string; value: number }[] } = Object(globalThis);
    return (kept ?? []).filter((one) => one.type === wanted).map(({ value }) => value);
  }, type);
}

/** Returns the tasks of more than 50 ms on the main thread since the page was opened (Long Tasks API), in ms. */
export async function longTasks(page: Page): Promise<number[]> {
  await page.waitForTimeout(SETTLE_MS);
  return readKept(page, 'longtask');
}

/** Returns the largest contentful paint and the sum of the layout shifts of a settled page. */
export async function readSlowVisit(page: Page): Promise<{ lcpMs: number; shift: number }> {
  await page.waitForTimeout(SETTLE_MS * 2);
  const paints = await readKept(page, 'largest-contentful-paint');
  const shifts = await readKept(page, 'layout-shift');
  return { lcpMs: Math.max(0, ...paints), shift: shifts.reduce((sum, value) => sum + value, 0) };
}

/**
 * Types, selects, opens the palette and reverses the list. Returns the maximum time from input to next paint (Event
 * Timing), in ms.
 */
export async function interactWith(page: Page): Promise<number> {
  await page.locator('input.choose').nth(1).click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('graph');
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('g');
  await page.getByLabel('Search titles').click();
  await page.keyboard.type('Lisbon');
  await page.waitForTimeout(SETTLE_MS * 2);
  return Math.max(MIN_DURATION_MS, ...(await readKept(page, 'event')));
}

const TABS = ['share', 'captions', 'chapters', 'thumbnail', 'clip', 'statistics', 'files', 'activity'];
const PLACES = ['collections', 'trash', 'live', 'statistics', 'events', 'settings/general', 'settings/rules'];

/**
 * Returns the gzipped size that the first screen loads, and the maximum that any other screen loads in addition, in
 * KiB.
 */
export async function heavyScreens(
  page: Page,
  apiUrl: string,
  videoId: string,
): Promise<{ first: number; heaviest: number }> {
  const initial = await loadedAssets(page, `${apiUrl}/`);
  const library = `${apiUrl}/dashboard/library/1`;
  const places = [
    ...PLACES.map((name) => `${library}/${name}`),
    ...['', ...TABS.map((tab) => `/${tab}`)].map((tab) => `${library}/videos/${videoId}${tab}`),
    ...['system', 'reference'].map((name) => `${apiUrl}/dashboard/${name}`),
  ];
  let heaviest = 0;
  for (const place of places) {
    const added = [...(await loadedAssets(page, place))].filter(([name]) => !initial.has(name));
    heaviest = Math.max(heaviest, sum(added.map(([, bytes]) => bytes)));
  }
  return { first: sum([...initial.values()]) / 1024, heaviest: heaviest / 1024 };
}

/** Returns the names and compressed sizes of the dashboard files that a page loads. */
async function loadedAssets(page: Page, url: string): Promise<Map<string, number>> {
  await page.goto(url);
  await page.locator('main').waitFor();
  await page.waitForTimeout(SETTLE_MS);
  const found = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.includes('/dashboard/assets/'))
      .map((entry): [string, number] => [entry.name, 'encodedBodySize' in entry ? Number(entry.encodedBodySize) : 0]),
  );
  return new Map(found);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
