import path from 'node:path';
import type HlsEngine from 'hls.js';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { SMALL_PAGE } from '../support/browser.ts';

const packages = path.resolve(import.meta.dirname, '../../node_modules');

/** Shaka's script, to add to a page. */
export const SHAKA = path.join(packages, 'shaka-player/dist/shaka-player.compiled.js');

/** The hls.js script, to add to a page. */
export const HLS_JS = path.join(packages, 'hls.js/dist/hls.min.js');

/** The dash.js script, to add to a page. */
export const DASH_JS = path.join(packages, 'dashjs/dist/modern/umd/dash.all.min.js');

/** The part of Shaka's API that tests use. */
export type Shaka = {
  Player: new () => {
    attach(video: HTMLVideoElement): Promise<void>;
    load(address: string): Promise<void>;
    getVariantTracks(): { height: number; language: string }[];
  };
};

/** Result of a playback: the position of its clock, the frames decoded and the errors. */
export type Playback = { endedAtSec: number; frames: number; errors: string[] };

/** Playback speed. Every frame is still decoded. */
const SPEED = 3;
/** Timeout that only a hang exceeds. A browser that just started is slow on a busy machine. */
const HANG_MS = 60_000;

const BODY = '<!doctype html><link rel="icon" href="data:,"><video muted></video>';

/**
 * Opens an empty page of that origin with a video element and a script. The caller closes it. Pages that share a
 * context one after another take less than half the time.
 */
export async function openScriptPage(browser: Browser | BrowserContext, origin: string, script: string): Promise<Page> {
  const page = await browser.newPage(SMALL_PAGE);
  await page.route('**/page.html', (route) => route.fulfill({ contentType: 'text/html', body: BODY }));
  await page.goto(`${origin}/page.html`);
  await page.addScriptTag({ path: script });
  return page;
}

/** Plays a playlist to the end with hls.js. `licenceUrl` is the URL of the ClearKey licence server. */
export function playInHlsJs(page: Page, address: string, licenceUrl: string | null): Promise<Playback> {
  return page.evaluate(
    async ({ address: source, licenceUrl: licenseUrl, speed, hangMs }) => {
      const video = document.querySelector('video') as HTMLVideoElement;
      // The script tag defined the single export of hls.js.
      const { Hls } = window as unknown as { Hls: typeof HlsEngine };
      const errors: string[] = [];
      const drm = licenseUrl === null ? {} : { emeEnabled: true, drmSystems: { 'org.w3.clearkey': { licenseUrl } } };
      const hls = new Hls(drm);
      hls.loadSource(source);
      hls.attachMedia(video);
      await new Promise<void>((resolve) => {
        setTimeout(() => resolve(void errors.push('not ended in time')), hangMs);
        hls.on(Hls.Events.ERROR, (_, { details, fatal, response }) => {
          errors.push(`${details} ${response?.code ?? ''}`.trim());
          if (fatal || response?.code === 403) resolve();
        });
        video.addEventListener('playing', () => {
          video.playbackRate = speed;
        });
        hls.on(Hls.Events.MANIFEST_PARSED, () => void video.play().catch(() => undefined));
        video.addEventListener('ended', () => resolve());
      });
      const { totalVideoFrames: frames } = video.getVideoPlaybackQuality();
      const endedAtSec = video.currentTime;
      hls.destroy();
      return { endedAtSec, frames, errors };
    },
    { address, licenceUrl, speed: SPEED, hangMs: HANG_MS },
  );
}

/** Plays a manifest or playlist to the end with Shaka, which finds the keys without configuration. */
export function playInShaka(page: Page, address: string): Promise<Playback> {
  return page.evaluate(
    async ({ source, speed, hangMs }) => {
      const video = document.querySelector('video') as HTMLVideoElement;
      // Shaka's own script has just defined the variable.
      const { shaka } = window as unknown as { shaka: Shaka };
      const errors: string[] = [];
      const player = new shaka.Player();
      await player.attach(video);
      const fail = (error: { code?: number; data?: unknown[] }) =>
        void errors.push(`${error.code} ${JSON.stringify(error.data?.slice(0, 3))}`);
      await new Promise<void>((resolve) => {
        setTimeout(() => resolve(void errors.push('not ended in time')), hangMs);
        video.addEventListener('ended', () => resolve());
        Object(player).addEventListener('error', ({ detail }: { detail: object }) => resolve(fail(detail)));
        // After buffering, Shaka restores the previous playback rate.
        video.addEventListener('timeupdate', () => {
          if (video.playbackRate === 1) video.playbackRate = speed;
        });
        player.load(source).then(
          () => void video.play().catch(() => undefined),
          (error: object) => resolve(fail(error)),
        );
      });
      const { totalVideoFrames: frames } = video.getVideoPlaybackQuality();
      return { endedAtSec: video.currentTime, frames, errors };
    },
    { source: address, speed: SPEED, hangMs: HANG_MS },
  );
}

/** Runs in a page: plays until a second has passed and frames were decoded. */
export async function playOneSecond(): Promise<{ durationSec: number; widthPx: number; frames: number }> {
  const video = document.querySelector('video');
  if (video === null) throw new Error('Expected a video element.');
  const from = video.currentTime;
  await video.play();
  await new Promise<void>((resolve, reject) => {
    video.onerror = () => reject(new Error(video.error?.message));
    video.ontimeupdate = () => {
      if (video.currentTime > from + 1 && video.getVideoPlaybackQuality().totalVideoFrames > 10) resolve();
    };
  });
  video.pause();
  const frames = video.getVideoPlaybackQuality().totalVideoFrames;
  return { durationSec: video.duration, widthPx: video.videoWidth, frames };
}
