import type HlsEngine from 'hls.js';
import type { HlsConfig } from 'hls.js';
import type { Browser, Page } from 'playwright-core';
import { HLS_JS, openScriptPage } from '../delivery/in-page.ts';
import { openLoads, openLog, openMedia, type PageLog, type PageMedia } from './page-evidence.ts';

/** State of a player that was started with `playLive`. */
export type LivePlayback = {
  timeSec: number;
  latencySec: number;
  stalls: number;
  /** Name of each error, and the state of the player when the error occurred. */
  errors: string[];
  frames: number;
  /** Gaps that `buffered` had at any time, in media seconds, and parts that the player skipped. */
  holes: string[];
  /** Log of hls.js before each error and each gap. */
  log: string[];
};

type Settings = Partial<
  Pick<HlsConfig, 'lowLatencyMode' | 'startLevel' | 'abrBandWidthFactor' | 'abrBandWidthUpFactor'>
>;

type Page1 = {
  live: { hls: HlsEngine; stalls: number; errors: string[]; holes: Set<string>; log: string[] };
  media: PageMedia;
};

const USUAL = { lowLatencyMode: true, liveSyncOnStallIncrease: 0, maxLiveSyncPlaybackRate: 1.5 };

/**
 * Opens a page that plays a live stream with low latency until it is closed. `settings` are additional settings of
 * hls.js.
 */
export async function playLive(
  browser: Browser,
  origin: string,
  address: string,
  settings: Settings = {},
): Promise<Page> {
  const page = await openScriptPage(browser, origin, HLS_JS);
  for (const open of [openLog, openLoads, openMedia]) await page.evaluate(open);
  await page.evaluate(
    ({ source, settings }) => {
      const video = document.querySelector('video') as HTMLVideoElement;
      // The script tag defined the single export of hls.js.
      const { Hls } = window as unknown as { Hls: typeof HlsEngine };
      // `openLog` and `openMedia` set these variables.
      const { hlsLog, media } = window as unknown as { hlsLog: PageLog; media: PageMedia };
      const hls = new Hls({ ...settings, debug: hlsLog.debug });
      const live = { hls, stalls: 0, errors: [] as string[], holes: new Set<string>(), log: hlsLog.kept };
      Object.assign(window, { live });
      media.watch(hls, Hls.Events, video);
      let firstTimeSec = Number.POSITIVE_INFINITY;
      hls.on(Hls.Events.ERROR, (_, { details, fatal, error }) => {
        // The engine itself aborts requests when it changes the rendition.
        const isStall = details === 'bufferStalledError';
        const wait = isStall ? media.reasonToWait() : null;
        if (details !== 'aborted' && wait === null) hlsLog.keep(details);
        if (details !== 'aborted')
          live.errors.push(`${details}${wait === null ? '' : ` WAIT ${wait}`} (${media.state()}: ${error.message})`);
        if (fatal) hls.startLoad();
      });
      video.addEventListener('waiting', () => {
        if (video.currentTime > 0) live.stalls += 1;
      });
      // Parts may arrive out of order. A gap counts only if it persists for a moment.
      let before: string[] = [];
      setInterval(() => {
        const { buffered, currentTime } = video;
        const ends = Array.from({ length: Math.max(0, buffered.length - 1) }, (_, index) => buffered.end(index));
        const holes = ends.filter((end) => end > firstTimeSec).map((end) => `after ${end.toFixed(1)} s`);
        for (const hole of holes) {
          if (!before.includes(hole) || live.holes.has(hole)) continue;
          live.holes.add(hole);
          hlsLog.keep(`hole ${hole}`);
        }
        before = holes;
        if (currentTime > 0) firstTimeSec = Math.min(firstTimeSec, currentTime);
      }, 500);
      hls.on(Hls.Events.MANIFEST_PARSED, () => void video.play().catch(() => undefined));
      hls.loadSource(source);
      hls.attachMedia(video);
    },
    { source: address, settings: { ...USUAL, ...settings } },
  );
  return page;
}

const HARMLESS = [
  // The frame exists but is not shown yet, as on a busy machine. Missing media is reported as a stall or a gap.
  'bufferNudgeOnStall',
];

/**
 * A player that joins a stream has no media at position 0. Before playback, hls.js therefore seeks from 0 to the first
 * media, or reports a stall at 0 if that takes longer than its check interval of 0.1 s.
 */
const START_HOP = /^(bufferSeekOverHole .*seeking from 0 to|bufferStalledError \(at 0\.000,)/;

/** Maximum number of such errors at the start: a stall at 0 and a seek away from it. */
const MAX_START_HOPS = 2;

/** A stall without available media (`PageMedia`), as during an outage of the publisher or on a busy machine. */
const WITHOUT_MEDIA = /^bufferStalledError WAIT /;

/** Stalls of this kind that a busy machine causes, in addition to those of outages. */
const MAX_WAITS = 3;

/**
 * Returns the errors of the player, each with the state of the player at that time. Leaves out stalls while no media
 * was available; `outages`, the number of interruptions of the publisher, raises their maximum number.
 */
export function faultsOf(errors: readonly string[], outages = 0): string[] {
  let [hops, waits] = [0, 0];
  return errors.filter((error) => {
    if (START_HOP.test(error)) {
      hops += 1;
      return hops > MAX_START_HOPS;
    }
    if (WITHOUT_MEDIA.test(error)) {
      waits += 1;
      return waits > MAX_WAITS + outages;
    }
    return !HARMLESS.includes(nameOf(error));
  });
}

/** Returns the name of an error without the state of the player. */
export function nameOf(error: string): string {
  return error.split(' ', 1)[0] ?? '';
}

export function readPlayback(page: Page): Promise<LivePlayback> {
  return page.evaluate(() => {
    const video = document.querySelector('video') as HTMLVideoElement;
    // `playLive` set this variable.
    const { live, media } = window as unknown as Page1;
    const frames = video.getVideoPlaybackQuality().totalVideoFrames;
    return {
      timeSec: video.currentTime,
      latencySec: live.hls.latency,
      stalls: live.stalls,
      errors: live.errors,
      frames,
      holes: [...live.holes, ...media.skipped],
      log: live.log,
    };
  });
}
