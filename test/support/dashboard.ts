import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { LIBRARY_KEY, type Service } from './service.ts';

/** Timeout against hangs. Everything is slow on a busy machine. */
export const WAIT_MS = 180_000;

/** Just wide enough for the wide-screen layout. Larger pages are slow, because the CPU draws each pixel. */
const VIEWPORT = { width: 960, height: 600 };

/** Opens the dashboard in its own browser context, signed in with a key. */
export async function openDashboard(
  service: Service,
  browser: Browser,
  { key = LIBRARY_KEY, prepare }: { key?: string; prepare?: (context: BrowserContext) => Promise<unknown> } = {},
): Promise<Page> {
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    viewport: VIEWPORT,
    // Disables loading animations, which would be drawn sixty times per second in every tab.
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(WAIT_MS);
  await prepare?.(context);
  const page = await context.newPage();
  await page.goto(service.apiUrl);
  await page.getByLabel('Key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
  return page;
}

/** Saves two screenshots of a page if the environment requests them: light and wide, and dark and narrow. */
export async function keepPictures(page: Page, name: string): Promise<void> {
  const place = process.env.MILLRACE_TEST_PICTURES;
  if (place === undefined) return;
  for (const [colorScheme, width] of [['light', 1280] as const, ['dark', 360] as const]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await page.screenshot({ path: path.join(place, `${name}-${width}.png`), fullPage: true });
  }
  await page.setViewportSize(VIEWPORT);
}
