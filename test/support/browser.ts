import { type Browser, chromium } from 'playwright-core';

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

/** For pages whose layout is not looked at: what moves in them is drawn by the processor, pixel by pixel. */
export const SMALL_PAGE = { viewport: { width: 480, height: 270 } };
