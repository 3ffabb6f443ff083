import { type Browser, chromium } from 'playwright-core';

/** Chromium draws in software here: a page of a quarter of the usual size takes a third of the processor time. */
export const SMALL_PAGE = { viewport: { width: 480, height: 270 } };

/**
 * Debian's Chromium without a window, speaking to this machine only: the build that has none takes two thirds of the
 * processor time. The caller closes it.
 */
export function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    // A bound on hanging: on a busy machine a first start takes its time.
    timeout: 120_000,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--autoplay-policy=no-user-gesture-required',
      ...flags,
    ],
  });
}
