import type HlsEngine from 'hls.js';
import type { HlsConfig } from 'hls.js';
import type { Browser, Page } from 'playwright-core';
import { HLS_JS, openScriptPage } from '../delivery/in-page.ts';

/** State of a player that was started with `playLive`. */
export type LivePlayback = {
  timeSec: number;
  latencySec: number;
  stalls: number;
  /** The name of each error, and the state of the player in which it arose. */
  errors: string[];
  frames: number;
  /** Gaps that `buffered` had at any time, in seconds of the media. */
  holes: string[];
};

type Settings = Partial<
  Pick<HlsConfig, 'lowLatencyMode' | 'startLevel' | 'abrBandWidthFactor' | 'abrBandWidthUpFactor'>
>;

type Page1 = { live: { hls: HlsEngine; stalls: number; errors: string[]; holes: Set<string> } };

/** Opens a page that plays a live stream with low latency until it is closed. `settings` are further ones of hls.js. */
export async function playLive(
  browser: Browser,
  origin: string,
  address: string,
  settings: Settings = {},
): Promise<Page> {
  const page = await openScriptPage(browser, origin, HLS_JS);
  await page.evaluate(
    ({ source, settings }) => {
      const video = document.querySelector('video') as HTMLVideoElement;
      // The script tag defined the single export of hls.js.
      const { Hls } = window as unknown as { Hls: typeof HlsEngine };
      const usual = { lowLatencyMode: true, liveSyncOnStallIncrease: 0, maxLiveSyncPlaybackRate: 1.5 };
      const hls = new Hls({ ...usual, ...settings });
      const live = { hls, stalls: 0, errors: [] as string[], holes: new Set<string>() };
      Object.assign(window, { live });
      let firstTimeSec = Number.POSITIVE_INFINITY;
      const listed = new Map<string, { edgeSec: number; atMs: number }>();
      const note = (kind: string, edgeSec: number) => listed.set(kind, { edgeSec, atMs: performance.now() });
      hls.on(Hls.Events.LEVEL_UPDATED, (_, { details }) => void note('video', details.edge));
      hls.on(Hls.Events.AUDIO_TRACK_UPDATED, (_, { details }) => void note('audio', details.edge));
      let ranges: [string, TimeRanges][] = [];
      hls.on(Hls.Events.BUFFER_APPENDED, (_, { timeRanges }) => {
        ranges = Object.entries(timeRanges).flatMap(([kind, one]): typeof ranges => (one ? [[kind, one]] : []));
      });
      // Longest time in the last second in which the page did not run.
      const pauses: number[] = [];
      let ranMs = performance.now();
      setInterval(() => {
        pauses.push(performance.now() - ranMs);
        if (pauses.length > 20) pauses.shift();
        ranMs = performance.now();
      }, 50);
      const evidence = () => {
        const spans = (all: TimeRanges) =>
          Array.from({ length: all.length }, (_, at) => `${all.start(at).toFixed(3)}-${all.end(at).toFixed(3)}`);
        const edges = [...listed].map(([kind, { edgeSec, atMs }]) => {
          return `${kind} is listed to ${edgeSec.toFixed(3)} since ${Math.round(performance.now() - atMs)} ms`;
        });
        const pausedMs = Math.round(Math.max(0, performance.now() - ranMs, ...pauses));
        const held = ranges.map(([kind, all]) => `${kind} is buffered ${spans(all).join(' ')}`);
        return [`at ${video.currentTime.toFixed(3)}`, ...held, ...edges, `page paused ${pausedMs} ms`].join(', ');
      };
      hls.on(Hls.Events.ERROR, (_, { details, fatal, error }) => {
        // The engine itself aborts requests when it changes the rendition.
        if (details !== 'aborted') live.errors.push(`${details} (${evidence()}: ${error.message})`);
        if (fatal) hls.startLoad();
      });
      video.addEventListener('waiting', () => {
        if (video.currentTime > 0) live.stalls += 1;
      });
      // Parts may arrive out of order. A gap counts only if it persists for a moment.
      let before: string[] = [];
      setInterval(() => {
        const { buffered, currentTime } = video;
        const ends = Array.from({ length: Math.max(0, buffered.length - 1) }, (_, at) => buffered.end(at));
        const holes = ends.filter((end) => end > firstTimeSec).map((end) => `after ${end.toFixed(1)} s`);
        for (const hole of holes) if (before.includes(hole)) live.holes.add(hole);
        before = holes;
        if (currentTime > 0) firstTimeSec = Math.min(firstTimeSec, currentTime);
      }, 500);
      hls.on(Hls.Events.MANIFEST_PARSED, () => void video.play().catch(() => undefined));
      hls.loadSource(source);
      hls.attachMedia(video);
    },
    { source: address, settings },
  );
  return page;
}

const HARMLESS = [
  // The frame exists but is not shown yet, as on a busy machine. Missing media is reported as a stall or a gap.
  'bufferNudgeOnStall',
];

/**
 * Before playback hls.js hops from 0 to the first media that it has, or reports a stall there, if that takes longer
 * than its check of 0.1 s: a stream that was joined has none before it.
 */
const START_HOP = /^(bufferSeekOverHole .*seeking from 0 to|bufferStalledError \(at 0\.000,)/;

/** A report of a stall at 0 and a hop from there. */
const MAX_START_HOPS = 2;

/** Time without new media after which a player at the live edge has played all of it, in ms. */
const OUTAGE_MS = 700;

/**
 * Returns errors of the player, each with the state in which it arose. Without published media the player runs out of
 * data: `outages` is the number of such times. It ignores as many stall reports, and as many again that arose while the
 * playlists did not grow.
 */
export function faultsOf(errors: readonly string[], outages = 0): string[] {
  let stalls = 0;
  let hops = 0;
  return errors.filter((error) => {
    if (START_HOP.test(error)) {
      hops += 1;
      return hops > MAX_START_HOPS;
    }
    const isStall = nameOf(error) === 'bufferStalledError';
    if (isStall) stalls += 1;
    const isOutage = isStall && (stalls <= outages || (stalls <= 2 * outages && isWithoutMedia(error)));
    return !isOutage && !HARMLESS.includes(nameOf(error));
  });
}

function isWithoutMedia(error: string): boolean {
  const agesMs = [...error.matchAll(/ is listed to [\d.]+ since (\d+) ms/g)].map(([, ms]) => Number(ms));
  return agesMs.length > 0 && agesMs.every((ms) => ms > OUTAGE_MS);
}

/** Returns the name of an error without the state of the player. */
export function nameOf(error: string): string {
  return error.split(' ', 1)[0] ?? '';
}

export function readPlayback(page: Page): Promise<LivePlayback> {
  return page.evaluate(() => {
    const video = document.querySelector('video') as HTMLVideoElement;
    // `playLive` set this variable.
    const { live } = window as unknown as Page1;
    const frames = video.getVideoPlaybackQuality().totalVideoFrames;
    return {
      timeSec: video.currentTime,
      latencySec: live.hls.latency,
      stalls: live.stalls,
      errors: live.errors,
      frames,
      holes: [...live.holes],
    };
  });
}
