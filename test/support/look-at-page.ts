import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeViolations } from './axe-violations.ts';

type View = readonly [colorScheme: 'light' | 'dark', widthPx: number];

/** Views of the dashboard: each colour scheme and each width once, because axe is slow on its large pages. */
export const TWO_VIEWS: readonly View[] = [
  ['light', 1440],
  ['dark', 390],
];
/** Both widths in both colour schemes. */
export const FOUR_VIEWS: readonly View[] = [...TWO_VIEWS, ['dark', 1440], ['light', 390]];

/**
 * Checks a page with axe in several views, and that it has no horizontal scroll bar. Saves pictures if the environment
 * requests them. `exclude` contains selectors of elements that axe cannot examine, such as frames that play media.
 */
export async function lookAtPage(
  name: string,
  page: Page,
  { views = TWO_VIEWS, exclude = [] }: { views?: readonly View[]; exclude?: string[] } = {},
): Promise<void> {
  const place = process.env.MILLRACE_TEST_PICTURES;
  for (const [colorScheme, width] of views) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    // A button that fades back in after a request has too little contrast until then.
    await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
    const what = `${name} ${colorScheme} ${width}`;
    expect(await axeViolations(page, exclude.length === 0 ? 'html' : { exclude }), what).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), what).toBeLessThanOrEqual(width);
    if (place !== undefined) {
      await page.screenshot({ path: path.join(place, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}
