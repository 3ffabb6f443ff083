import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeViolations } from './axe-violations.ts';

/** Checks a screen with axe in light and dark, wide and narrow, and saves pictures if the environment requests them. */
export async function lookAtPage(name: string, shown: Page): Promise<void> {
  const place = process.env.DASHBOARD_PICTURES;
  for (const [colorScheme, width] of [['light', 1440] as const, ['dark', 390] as const]) {
    await shown.emulateMedia({ colorScheme });
    await shown.setViewportSize({ width, height: 900 });
    // A button that fades back in after a request has too little contrast until then.
    await shown.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
    expect(await axeViolations(shown), `${name} ${colorScheme}`).toEqual([]);
    if (place !== undefined) {
      await shown.screenshot({ path: path.join(place, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
  await shown.setViewportSize({ width: 1280, height: 800 });
}
