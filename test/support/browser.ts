import { type Browser, chromium } from 'playwright-core';

/** Chromium renders in software here: a quarter of the usual page size takes a third of the CPU time. */
export const SMALL_PAGE = { viewport: { width: 480, height: 270 } };

/**
 * Opens Debian's Chromium headless shell, restricted to this machine. It takes two thirds of the full browser's CPU
 * time. The caller closes it.
 */
export function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    // Timeout against hangs. The first start is slow on a busy machine.
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
