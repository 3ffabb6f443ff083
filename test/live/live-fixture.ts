import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { discard, startService } from '../support/service.ts';
import { type LivePlace, openLiveCatalogue } from './live-service.ts';

/** A service with its live streams, and a browser that watches them. */
export type LiveFixture = LivePlace & { browser: Browser; close(): Promise<void> };

export async function openLiveFixture(
  env: Record<string, string> = {},
  browserArgs: readonly string[] = [],
): Promise<LiveFixture> {
  const [service, browser] = await Promise.all([startService(null, env), openBrowser(browserArgs)]);
  const catalogue = await openLiveCatalogue(service);
  return {
    ...{ service, browser, catalogue },
    async close() {
      await browser.close();
      await catalogue.database.close();
      await discard(service);
    },
  };
}
