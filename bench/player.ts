import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../test/support/browser.ts';
import { makeFolder, sendFile, startMillrace, untilFinished } from './support/millrace.ts';
import { servePlayerPages } from './support/player-pages.ts';
import { type Measurement, median, report, say } from './support/report.ts';
import type { Scope } from './support/scope.ts';

// Measures, on throttled connections, the time in ms from the navigation to the first frame, the transferred KiB of
// script and style before it, the layout shift, and the median height and the stalls in the first 10 s of video. The
// time is compared to Video.js 8, and to the fastest of Video.js, hls.js without a user interface, Vidstack and Mux
// Player. Heights and stalls are compared to the best of Video.js, hls.js and Vidstack. Each player is served with
// brotli in a separate page with autoplay. Each page is loaded with a cold cache. Usage: `player RUNS LINE`. RUNS is
// the number of loads of each player, alternating (15). LINE selects a single connection by number, from 1.
const RUNS = Number(process.argv[2] ?? 15);
const ONLY_LINE = process.argv[3] === undefined ? null : Number(process.argv[3]);
const FRAME_LIMIT_MS = 60_000;
const LOOK_EACH_MS = 30;
const ENCODE_LIMIT_MS = 300_000;
const CLIP_SEC = 16;
/** Time after the first frame in which the height of the video is read, in ms. */
const WATCHED_MS = 10_000;

type Line = { name: string; mbps: number; delayMs: number; cpu: number };
const LINES: readonly Line[] = [
  { name: '8 Mbit/s, 40 ms', mbps: 8, delayMs: 40, cpu: 1 },
  { name: '20 Mbit/s, 40 ms', mbps: 20, delayMs: 40, cpu: 1 },
  { name: '2 Mbit/s, 80 ms, CPU x4', mbps: 2, delayMs: 80, cpu: 4 },
];

type Visit = { firstFrameMs: number; kib: number; shift: number; heightPx: number; stalls: number };
const NAMES = ['ours', 'hlsJs', 'videoJs', 'vidstack', 'muxPlayer'] as const;
type Name = (typeof NAMES)[number];
/** Players whose video quality this player must reach. */
const RIVALS = ['hlsJs', 'videoJs', 'vidstack'] as const;

await report('player', async (scope) => {
  const pages = await openSites(scope);
  const browser = await openBrowser();
  scope.own(() => browser.close());
  const results: Measurement[] = [];
  const lines = LINES.filter((_, index) => ONLY_LINE === null || index === ONLY_LINE - 1);
  for (const line of lines) {
    const visits: Record<Name, Visit[]> = { ours: [], hlsJs: [], videoJs: [], vidstack: [], muxPlayer: [] };
    for (let run = 0; run < RUNS; run += 1) {
      for (const name of NAMES) visits[name].push(await visit(browser, pages[name], line));
    }
    const stallsOf = (name: Name) => visits[name].reduce((sum, { stalls }) => sum + stalls, 0);
    const middle = (name: Name, of: keyof Visit) => median(visits[name].map((one) => one[of]));
    const shown = NAMES.map((name) => {
      const [firstFrameMs, kib] = [middle(name, 'firstFrameMs'), middle(name, 'kib')];
      return `${name} ${firstFrameMs} ms ${kib} KiB ${middle(name, 'heightPx')}p ${stallsOf(name)} stalls`;
    });
    say(`${line.name}, ${RUNS} visits of each: ${shown.join(', ')}`);
    const [ours, baseline] = [middle('ours', 'firstFrameMs'), middle('videoJs', 'firstFrameMs')];
    const fastest = Math.min(...NAMES.slice(1).map((name) => middle(name, 'firstFrameMs')));
    const small = { bar: 130, unit: 'KiB', isAbsolute: true, isSpeedless: true };
    results.push(
      { name: `first frame, ${line.name}`, ours, baseline, bar: 0.75, unit: 'ms' },
      {
        name: `first frame beside the fastest of the others, ${line.name}`,
        ours,
        baseline: fastest,
        bar: 1,
        unit: 'ms',
      },
      {
        name: `script and style before it, ${line.name}`,
        ours: middle('ours', 'kib'),
        baseline: middle('videoJs', 'kib'),
        ...small,
      },
      {
        name: `height in the first 10 s beside the best of the others, ${line.name}`,
        ours: middle('ours', 'heightPx'),
        baseline: Math.max(...RIVALS.map((name) => middle(name, 'heightPx'))),
        bar: 1,
        unit: 'px',
        isFloor: true,
        isSpeedless: true,
      },
      {
        name: `stalls in the first 10 s above the fewest of the others, ${line.name}`,
        ours: Math.max(0, stallsOf('ours') - Math.min(...RIVALS.map(stallsOf))),
        baseline: null,
        bar: 0,
        unit: '',
        isSpeedless: true,
      },
      {
        name: `layout shift, ${line.name}`,
        ours: Math.max(...visits.ours.map(({ shift }) => shift)),
        baseline: null,
        bar: 0,
        unit: '',
        isSpeedless: true,
      },
    );
  }
  return results;
});

async function openSites(scope: Scope): Promise<Record<Name, string>> {
  const service = await startMillrace(scope);
  const { guid, answered } = await sendFile(service, await makeClip(makeFolder(scope)));
  await answered;
  await untilFinished(service, guid, ENCODE_LIMIT_MS);
  const others = await servePlayerPages(scope, `${service.edgeUrl}/vz-1/${guid}/playlist.m3u8`);
  return { ours: `${service.edgeUrl}/embed/1/${guid}?muted=true`, ...others };
}

/** Creates video that needs about as many bits as camera video: noise over moving colours. */
async function makeClip(folder: string): Promise<string> {
  const file = path.join(folder, 'clip.mp4');
  const picture = `testsrc2=size=1280x720:rate=24:duration=${CLIP_SEC},noise=alls=12:allf=t`;
  const input = ['-v', 'error', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=440:duration=${CLIP_SEC}`];
  const output = ['-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '2800k', '-maxrate', '3500k', '-bufsize', '5M'];
  await promisify(execFile)('ffmpeg', [...input, ...output, '-g', '48', '-c:a', 'aac', file]);
  return file;
}

async function visit(browser: Browser, url: string, { mbps, delayMs, cpu }: Line): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  try {
    const page = await context.newPage();
    const wire = await context.newCDPSession(page);
    await wire.send('Network.enable');
    const bytesPerSec = (mbps * 1e6) / 8;
    const line = { offline: false, latency: delayMs, downloadThroughput: bytesPerSec, uploadThroughput: bytesPerSec };
    await wire.send('Network.emulateNetworkConditions', line);
    await wire.send('Emulation.setCPUThrottlingRate', { rate: cpu });
    const code = new Set<string>();
    let bytes = 0;
    wire.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script' || type === 'Stylesheet') code.add(requestId);
    });
    wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (code.has(requestId)) bytes += encodedDataLength;
    });
    await page.addInitScript(watchFirstFrame, WATCHED_MS);
    await page.goto(url, { waitUntil: 'commit' });
    const firstFrameMs = await untilFirstFrame(page, url);
    const kib = Math.round(bytes / 102.4) / 10;
    // The measurement of the layout shift includes the time after the first frame.
    if (url.includes('/embed/')) await page.locator('media-controller[ready]').waitFor({ timeout: FRAME_LIMIT_MS });
    const watched = await page.waitForFunction(() => Reflect.get(window, 'watched'), null, { timeout: FRAME_LIMIT_MS });
    const { heightsPx, stalls }: { heightsPx: number[]; stalls: number } = await watched.jsonValue();
    const shift = Number(await page.evaluate(() => Reflect.get(window, 'shift') ?? 0));
    return { firstFrameMs, kib, shift, heightPx: median(heightsPx), stalls };
  } finally {
    await context.close();
  }
}

async function untilFirstFrame(page: Page, url: string): Promise<number> {
  const deadlineMs = performance.now() + FRAME_LIMIT_MS;
  while (performance.now() < deadlineMs) {
    const firstFrameMs = await page.evaluate(() => Reflect.get(window, 'firstFrameMs'));
    if (firstFrameMs !== undefined) return Math.round(Number(firstFrameMs));
    await sleep(LOOK_EACH_MS);
  }
  throw new Error(`Expected a frame of ${url} within ${FRAME_LIMIT_MS} ms, got none.`);
}

/**
 * Runs in the page. Measures the layout shift, the time of the first displayed frame since the navigation, and then the
 * height of the video ten times per second, and stalls.
 */
function watchFirstFrame(watchedMs: number): void {
  const stepMs = 100;
  new PerformanceObserver((list) => {
    const seen = list.getEntries().reduce((sum, entry) => sum + Number(Reflect.get(entry, 'value')), 0);
    Object.assign(window, { shift: Number(Reflect.get(window, 'shift') ?? 0) + seen });
  }).observe({ type: 'layout-shift', buffered: true });
  const find = (root: ParentNode): HTMLVideoElement | null => {
    // Some players keep their video in a shadow root.
    for (const element of root.querySelectorAll('*')) {
      const found = element instanceof HTMLVideoElement ? element : element.shadowRoot && find(element.shadowRoot);
      if (found) return found;
    }
    return null;
  };
  const watch = () => {
    const video = find(document);
    if (video === null) return;
    clearInterval(timer);
    video.requestVideoFrameCallback((nowMs) => {
      Object.assign(window, { firstFrameMs: nowMs });
      watchHeight(video);
    });
  };
  const watchHeight = (video: HTMLVideoElement) => {
    const heightsPx: number[] = [];
    let stalls = 0;
    video.addEventListener('waiting', () => {
      stalls += 1;
    });
    const sampling = setInterval(() => {
      heightsPx.push(video.videoHeight);
      if (heightsPx.length * stepMs < watchedMs) return;
      clearInterval(sampling);
      Object.assign(window, { watched: { heightsPx, stalls } });
    }, stepMs);
  };
  const timer = setInterval(watch, 4);
}
