import type { Frame, Page } from 'playwright-core';

/** A record of a page's displayed frames, independent of the player's own reports. */
export type PictureLedger = { watchedSec: number; heat: number[]; stopsSec: number[] };

/**
 * Records each frame that the browser presents: seconds of moving video by the wall clock, and how often each second of
 * the media was entered. Install it before playback starts.
 */
export async function keepLedger(page: Page | Frame): Promise<void> {
  await page.locator('video').evaluate((video: HTMLVideoElement) => {
    const ledger = { watchedSec: 0, heat: [] as number[], stopsSec: [] as number[] };
    let last: { mediaSec: number; atMs: number } | null = null;
    let entered = -1;
    const take = (mediaSec: number, atMs: number) => {
      const [from, wallSec] = [last, last === null ? 0 : (atMs - last.atMs) / 1000];
      last = { mediaSec, atMs };
      const movedSec = from === null ? 0 : mediaSec - from.mediaSec;
      // A longer pause was sleep, and a longer jump was a seek.
      if (from === null || movedSec <= 0 || wallSec > 5 || movedSec > (wallSec + 0.5) * video.playbackRate + 0.5)
        return;
      // Frames wait for the screen for varying times. In total they take as long as their timestamps are apart.
      ledger.watchedSec += movedSec / video.playbackRate;
      const first = entered === Math.floor(from.mediaSec) ? entered + 1 : Math.floor(from.mediaSec);
      for (entered = first; entered <= mediaSec; entered += 1) ledger.heat[entered] = (ledger.heat[entered] ?? 0) + 1;
      entered -= 1;
    };
    const loop = (nowMs: number, { mediaTime }: { mediaTime: number }) => {
      take(mediaTime, nowMs);
      video.requestVideoFrameCallback(loop);
    };
    video.requestVideoFrameCallback(loop);
    const stop = () => {
      if (last !== null) ledger.stopsSec.push(last.mediaSec, video.currentTime);
      last = null;
    };
    video.addEventListener('seeking', () => {
      stop();
      entered = -1;
    });
    video.addEventListener('pause', () => {
      take(video.currentTime, performance.now());
      stop();
    });
    video.addEventListener('ratechange', stop);
    // A starting video was still until now, and a busy machine may not show the frames of its first moments.
    video.addEventListener('playing', () => {
      last = { mediaSec: video.currentTime, atMs: performance.now() };
    });
    Object.assign(globalThis, { pictureLedger: ledger });
  });
}

/** Returns the record so far. */
export function readLedger(page: Page | Frame): Promise<PictureLedger> {
  return page.evaluate(() => {
    const { watchedSec, heat, stopsSec }: PictureLedger = Reflect.get(globalThis, 'pictureLedger');
    return { watchedSec, heat: Array.from(heat, (count) => count ?? 0), stopsSec };
  });
}
