import path from 'node:path';
import type { Page } from 'playwright-core';

/** The folder for pictures of pages, of a run whose pictures a person is to look at; without it none are taken. */
const PICTURES = process.env.MILLRACE_TEST_PICTURES;
/** A page on a desk, the smallest frame that has to do, and a phone. */
const SIZES = {
  '1280': { width: 1280, height: 720 },
  '320': { width: 320, height: 180 },
  phone: { width: 390, height: 844 },
};

type Size = keyof typeof SIZES;

/** Gives a page the last of some sizes, and takes a picture of it in each where pictures are to be looked at. */
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

/** The addresses of other origins than `base` that a page requests from now on. */
export function watchHosts(page: Page, base: string): readonly string[] {
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== base) foreign.push(request.url());
  });
  return foreign;
}
