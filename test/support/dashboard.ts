import type { Browser, BrowserContext, Page } from 'playwright-core';
import { LIBRARY_KEY, type Service } from './service.ts';

/** A bound on hanging: on a busy machine everything takes its time. */
export const WAIT_MS = 180_000;

/** Opens the dashboard in a browser context of its own, signed in with a key. */
export async function openDashboard(
  service: Service,
  browser: Browser,
  { key = LIBRARY_KEY, prepare }: { key?: string; prepare?: (context: BrowserContext) => Promise<unknown> } = {},
): Promise<Page> {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  context.setDefaultTimeout(WAIT_MS);
  await prepare?.(context);
  const page = await context.newPage();
  await page.goto(service.apiUrl);
  await page.getByLabel('Key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
  return page;
}
