import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { DASH_JS, openScriptPage, SHAKA } from '../delivery/in-page.ts';
import { startMpv } from '../soak/players/mpv.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { faultsOf, playLive, readPlayback } from './live-player.ts';
import type { TestStream } from './live-service.ts';
import { type PageWatch, watchVideo } from './watch-video.ts';

/**
 * Findings of a player so far. `playedSec`: how far its clock advanced. `stalls`: times at which it did not advance for
 * three seconds or more. `holes`: holes in its buffer, or in the times of decoded frames.
 */
export type Watched = { playedSec: number; holes: string[]; stalls: string[]; errors: string[]; log?: string[] };

/** A player that watches a live stream until it is closed. */
export type Watcher = { read(): Promise<Watched>; close(): Promise<void> };

export type WatchPlace = { browser: Browser; origin: string; stream: TestStream };

/** The players of this machine, by name. */
export const WATCHERS = {
  'player page': watchPlayerPage,
  'hls.js': watchHlsJs,
  'Shaka, HLS': (place) => watchScript(place, { script: SHAKA, start: startShaka, file: 'playlist.m3u8' }),
  'Shaka, DASH': (place) => watchScript(place, { script: SHAKA, start: startShaka, file: 'manifest.mpd' }),
  'dash.js': (place) => watchScript(place, { script: DASH_JS, start: startDashJs, file: 'manifest.mpd' }),
  ffmpeg: ({ stream }) => watchFfmpeg(`${stream.base}/playlist.m3u8`),
  mpv: ({ stream }) => watchMpv(`${stream.base}/playlist.m3u8`),
} as const satisfies Record<string, (place: WatchPlace) => Promise<Watcher>>;

async function watchPlayerPage({ browser, origin, stream }: WatchPlace): Promise<Watcher> {
  const page = await browser.newPage({ ...SMALL_PAGE, reducedMotion: 'reduce' });
  await page.goto(`${origin}/embed/${stream.key.libraryId}/${stream.key.mediaId}?muted=true`);
  const video = page.locator('video');
  await video.evaluate(watchVideo);
  return { read: () => readWatch(page), close: () => page.close() };
}

/** Plain hls.js with low latency, which reports its own errors as well. */
async function watchHlsJs({ browser, origin, stream }: WatchPlace): Promise<Watcher> {
  const page = await playLive(browser, origin, `${stream.base}/playlist.m3u8`);
  await page.locator('video').evaluate(watchVideo);
  return {
    async read() {
      const [watched, { errors, log }] = [await readWatch(page), await readPlayback(page)];
      return { ...watched, log, errors: [...watched.errors, ...faultsOf(errors, watched.stalls.length)] };
    },
    close: () => page.close(),
  };
}

type ScriptPlayer = { script: string; file: string; start: (address: string) => unknown };

async function watchScript(
  { browser, origin, stream }: WatchPlace,
  { script, start, file }: ScriptPlayer,
): Promise<Watcher> {
  const page = await openScriptPage(browser, origin, script);
  await page.locator('video').evaluate(watchVideo);
  await page.evaluate(start, `${stream.base}/${file}`);
  return { read: () => readWatch(page), close: () => page.close() };
}

/** Set by `watchVideo`. */
type WatchWindow = { watch: PageWatch };

function readWatch(page: Page): Promise<Watched> {
  return page.evaluate(() => {
    const { watch } = window as unknown as WatchWindow;
    return { playedSec: watch.playedSec, holes: [...watch.holes], stalls: watch.stalls, errors: watch.errors };
  });
}

type ShakaError = { code?: number; data?: unknown[]; stack?: string };

/** The part of Shaka's API that these tests use. */
type LiveShaka = {
  Player: new () => {
    addEventListener(type: 'error', listener: (event: { detail: ShakaError }) => void): void;
    configure(settings: object): void;
    attach(video: HTMLVideoElement): Promise<void>;
    load(address: string): Promise<void>;
  };
};

/** Runs in a page: starts Shaka Player. */
async function startShaka(address: string): Promise<void> {
  const video = document.querySelector('video') as HTMLVideoElement;
  // The script tag defined the single export of Shaka as a global.
  const { shaka, watch } = window as unknown as { shaka: LiveShaka } & WatchWindow;
  const player = new shaka.Player();
  player.addEventListener('error', ({ detail }) => {
    // Errors of Shaka have a code. Others are exceptions inside it.
    watch.errors.push(`${detail.code ?? detail.stack} ${JSON.stringify(detail.data?.slice(0, 2)) ?? ''}`);
  });
  // Shaka places its live edge by the wall clock. After an outage of more than a segment, it would treat the whole HLS
  // playlist as past (decision 340).
  player.configure({ manifest: { availabilityWindowOverride: 60 } });
  await player.attach(video);
  await player.load(address);
  // Ignores a rejection: Shaka may pause immediately to seek past a gap, and then continues automatically.
  void video.play().catch(() => undefined);
}

/** The part of the dash.js API that these tests use. */
type DashJs = {
  MediaPlayer(): {
    create(): {
      on(type: 'error', listener: (event: { error: { message?: string } }) => void): void;
      initialize(video: HTMLVideoElement, address: string, autoPlay: boolean): void;
    };
  };
};

/** Runs in a page: starts dash.js. */
function startDashJs(address: string): void {
  const video = document.querySelector('video') as HTMLVideoElement;
  // The script tag defined the single export of dash.js as a global.
  const { dashjs, watch } = window as unknown as { dashjs: DashJs } & WatchWindow;
  const player = dashjs.MediaPlayer().create();
  player.on('error', ({ error }) => void watch.errors.push(error?.message ?? String(error)));
  player.initialize(video, address, true);
}

/** ffmpeg reads whole segments of 2 s, and may find the next one only when it reads the playlist once more. */
const STALL_MS = 4_000;
const LOOK_MS = 250;

/** Records how far a clock advanced, and when it did not. */
function createProgress() {
  let [firstSec, lastSec, movedMs] = [Number.NaN, Number.NaN, 0];
  const stalls: string[] = [];
  return {
    stalls,
    move(sec: number) {
      if (sec === lastSec) return;
      const stillMs = performance.now() - movedMs;
      if (!Number.isNaN(lastSec) && stillMs > STALL_MS)
        stalls.push(`${(stillMs / 1000).toFixed(1)} s at ${lastSec.toFixed(1)} s`);
      if (Number.isNaN(firstSec)) firstSec = sec;
      [lastSec, movedMs] = [sec, performance.now()];
    },
    playedSec: () => (Number.isNaN(firstSec) ? 0 : lastSec - firstSec),
  };
}

/** Maximum hole in the video, in seconds: a killed publisher does not send up to two reordered frames. */
const MAX_HOLE_SEC = 0.1;

/** Decodes the stream with ffmpeg as it grows; each decoded audio and video frame must follow the previous one. */
async function watchFfmpeg(address: string): Promise<Watcher> {
  const argv = ['-nostdin', '-v', 'error', '-copyts', '-i', address, '-map', '0:v:0', '-map', '0:a:0'];
  const child = spawn('ffmpeg', [...argv, '-fps_mode', 'passthrough', '-flush_packets', '1', '-f', 'framecrc', '-']);
  const progress = createProgress();
  const [holes, errors]: [string[], string[]] = [[], []];
  const bases = new Map<string, number>();
  const ends = new Map<string, number>();
  const take = (line: string) => {
    const base = /^#tb (\d+): (\d+)\/(\d+)/.exec(line);
    if (base !== null) bases.set(base[1] ?? '', Number(base[2]) / Number(base[3]));
    const frame = /^(\d+), *-?\d+, *(-?\d+), *(\d+)/.exec(line);
    if (frame === null) return;
    const [, track = '', pts, length] = frame;
    const sec = Number(pts) * (bases.get(track) ?? 1);
    const end = ends.get(track);
    if (end !== undefined && sec - end > MAX_HOLE_SEC)
      holes.push(`track ${track}, ${(sec - end).toFixed(2)} s at ${end.toFixed(1)} s`);
    ends.set(track, sec + Number(length) * (bases.get(track) ?? 1));
    progress.move(Math.min(...ends.values()));
  };
  onLines(child.stdout, take);
  onLines(child.stderr, (line) => void errors.push(line));
  const read = async () => ({ playedSec: progress.playedSec(), holes, stalls: progress.stalls, errors });
  return { read, close: () => endChild(child) };
}

function onLines(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = '';
  stream.on('data', (data: Buffer) => {
    const lines = `${rest}${data.toString()}`.split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Plays a stream in mpv without a window or sound card, and polls its position. */
async function watchMpv(address: string): Promise<Watcher> {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-mpv-'));
  const mpv = await startMpv(address, { socketPath: path.join(folder, 'mpv.sock'), options: [] });
  const progress = createProgress();
  const [holes, errors]: [Set<string>, string[]] = [new Set(), []];
  const closing = new AbortController();
  const looking = (async () => {
    while (!closing.signal.aborted) {
      const sec = await mpv.send('get_property', 'playback-time').catch(() => null);
      if (typeof sec === 'number') progress.move(sec);
      const cache = (await mpv.send('get_property', 'demuxer-cache-state').catch(() => null)) as MpvCache | null;
      for (const { start } of (cache?.['seekable-ranges'] ?? []).slice(1)) holes.add(`before ${start.toFixed(1)} s`);
      await sleep(LOOK_MS);
    }
  })();
  return {
    read: async () => ({ playedSec: progress.playedSec(), holes: [...holes], stalls: progress.stalls, errors }),
    async close() {
      closing.abort();
      await looking;
      await mpv.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type MpvCache = { 'seekable-ranges'?: { start: number; end: number }[] };
