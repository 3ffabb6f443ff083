import type HlsEngine from 'hls.js';
import type { Browser, Page } from 'playwright-core';
import { HLS_JS, openScriptPage } from '../delivery/in-page.ts';

/** How a player that was started with `playLive` does. */
export type LivePlayback = { timeSec: number; latencySec: number; stalls: number; errors: string[]; frames: number };

type Page1 = { live: { hls: HlsEngine; stalls: number; errors: string[] } };

/** Opens a page that plays a live stream with low latency until it is closed; `licenceUrl` gives ClearKey licences. */
export async function playLive(
  browser: Browser,
  origin: string,
  address: string,
  licenceUrl: string | null = null,
): Promise<Page> {
  const page = await openScriptPage(browser, origin, HLS_JS);
  await page.evaluate(
    ({ source, licenseUrl }) => {
      const video = document.querySelector('video') as HTMLVideoElement;
      // The script tag put hls.js's one export there.
      const { Hls } = window as unknown as { Hls: typeof HlsEngine };
      const drm = licenseUrl === null ? {} : { emeEnabled: true, drmSystems: { 'org.w3.clearkey': { licenseUrl } } };
      const hls = new Hls({ ...drm, lowLatencyMode: true, liveSyncOnStallIncrease: 0, maxLiveSyncPlaybackRate: 1.5 });
      const live = { hls, stalls: 0, errors: [] as string[] };
      Object.assign(window, { live });
      hls.on(Hls.Events.ERROR, (_, { details, fatal }) => {
        // A request that the engine itself gave up, as it does when it changes the rendition.
        if (details !== 'aborted') live.errors.push(details);
        if (fatal) hls.startLoad();
      });
      video.addEventListener('waiting', () => {
        if (video.currentTime > 0) live.stalls += 1;
      });
      hls.on(Hls.Events.MANIFEST_PARSED, () => void video.play().catch(() => undefined));
      hls.loadSource(source);
      hls.attachMedia(video);
    },
    { source: address, licenseUrl: licenceUrl },
  );
  return page;
}

/** What hls.js reports of a picture that waits for media, as each does on a busy machine, and mends by itself. */
const OF_WAITING = [
  'bufferStalledError',
  'bufferSeekOverHole',
  'bufferNudgeOnStall',
  // The first segment once more, whose pictures begin a presentation delay after its time in the playlist.
  'bufferAppendNoProgress',
];

/** What went wrong, but for waits. */
export function faultsOf(errors: readonly string[]): string[] {
  return errors.filter((error) => !OF_WAITING.includes(error));
}

export function readPlayback(page: Page): Promise<LivePlayback> {
  return page.evaluate(() => {
    const video = document.querySelector('video') as HTMLVideoElement;
    // `playLive` put it there.
    const { live } = window as unknown as Page1;
    const frames = video.getVideoPlaybackQuality().totalVideoFrames;
    return {
      timeSec: video.currentTime,
      latencySec: live.hls.latency,
      stalls: live.stalls,
      errors: live.errors,
      frames,
    };
  });
}
