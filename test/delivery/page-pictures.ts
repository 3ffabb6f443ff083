import path from 'node:path';
import type { Page } from 'playwright-core';

/** Folder for screenshots for human review. If it is unset, no screenshots are taken. */
const PICTURES = process.env.MILLRACE_TEST_PICTURES;
/** Viewports: a desktop page, the smallest supported frame, and a phone. */
const SIZES = {
  '1280': { width: 1280, height: 720 },
  '320': { width: 320, height: 180 },
  phone: { width: 390, height: 844 },
};

type Size = keyof typeof SIZES;

/**
 * Sets each of some viewport sizes in turn and takes a screenshot of each if review is enabled. Keeps the last size.
 */
export async function shoot(
  page: Page,
  name: string,
  sizes: readonly Size[] = ['1280', '320', 'phone'],
): Promise<void> {
  for (const size of PICTURES === undefined ? sizes.slice(-1) : sizes) {
    await page.setViewportSize(SIZES[size]);
    if (PICTURES === undefined) continue;
    await page.screenshot({ path: path.join(PICTURES, `${name}-${size}.jpg`), type: 'jpeg', quality: 90 });
  }
}

/** Collects the URLs outside the origin `base` that a page requests from now on. */
export function watchHosts(page: Page, base: string): readonly string[] {
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== base) foreign.push(request.url());
  });
  return foreign;
}
