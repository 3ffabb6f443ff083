import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';

/** Where the pictures of pages lie, to be looked at. */
const PICTURES = path.join(tmpdir(), 'millrace-player-states');
/** A page on a desk, the smallest frame that has to do, and a phone. */
const SIZES = {
  '1280': { width: 1280, height: 720 },
  '320': { width: 320, height: 180 },
  phone: { width: 390, height: 844 },
};

type Size = keyof typeof SIZES;

/** Takes a picture of a page in each size; the page keeps the last. */
export async function shoot(
  page: Page,
  name: string,
  sizes: readonly Size[] = ['1280', '320', 'phone'],
): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(SIZES[size]);
    await page.screenshot({ path: path.join(PICTURES, `${name}-${size}.jpg`), type: 'jpeg', quality: 90 });
  }
}

/** The addresses of other origins than `base` that a page requests from now on. */
export function watchHosts(page: Page, base: string): readonly string[] {
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== base) foreign.push(request.url());
  });
  return foreign;
}
