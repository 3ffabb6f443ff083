import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../test/support/browser.ts';
import { makeFolder, sendFile, startMillrace, untilFinished } from './support/millrace.ts';
import { type Measurement, median, report, say } from './support/report.ts';
import type { Scope } from './support/scope.ts';

// Milliseconds from the navigation to the first picture, and KiB of script and style on the wire before it, on throttled
// lines. The anchor is Video.js 8; bare hls.js is shown beside it. Both are served as brotli, their page is one file of
// markup that begins to play at once. Each visit has a cold cache. RUNS visits of each, in turns.
const RUNS = Number(process.argv[2] ?? 5);
const FRAME_LIMIT_MS = 60_000;
const LOOK_EACH_MS = 30;
const ENCODE_LIMIT_MS = 300_000;
const CLIP_SEC = 12;
const packages = path.resolve(import.meta.dirname, '../node_modules');

const HEAD = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">';

type Line = { name: string; mbps: number; delayMs: number; cpu: number };
const LINES: readonly Line[] = [
  { name: '8 Mbit/s, 40 ms', mbps: 8, delayMs: 40, cpu: 1 },
  { name: '20 Mbit/s, 40 ms', mbps: 20, delayMs: 40, cpu: 1 },
  { name: '2 Mbit/s, 80 ms, CPU x4', mbps: 2, delayMs: 80, cpu: 4 },
];

type Visit = { firstFrameMs: number; kib: number };

await report('player', async (scope) => {
  const pages = await openSites(scope);
  const browser = await openBrowser();
  scope.own(() => browser.close());
  const results: Measurement[] = [];
  for (const line of LINES) {
    const visits: Record<keyof typeof pages, Visit[]> = { ours: [], videoJs: [], hlsJs: [] };
    for (let run = 0; run < RUNS; run += 1) {
      for (const name of ['ours', 'videoJs', 'hlsJs'] as const)
        visits[name].push(await visit(browser, pages[name], line));
    }
    const ms = (name: keyof typeof pages) => median(visits[name].map(({ firstFrameMs }) => firstFrameMs));
    const kib = (name: keyof typeof pages) => median(visits[name].map((one) => one.kib));
    say(`${line.name}: ours ${ms('ours')} ms, Video.js ${ms('videoJs')} ms, bare hls.js ${ms('hlsJs')} ms`);
    results.push(
      { name: `first frame, ${line.name}`, ours: ms('ours'), anchor: ms('videoJs'), bar: 0.75, unit: 'ms' },
      {
        name: `script and style before it, ${line.name}`,
        ours: kib('ours'),
        anchor: kib('videoJs'),
        bar: 130,
        unit: 'KiB',
        isAbsolute: true,
        isSpeedless: true,
      },
    );
  }
  return results;
});

async function openSites(scope: Scope): Promise<{ ours: string; videoJs: string; hlsJs: string }> {
  const service = await startMillrace(scope);
  const { guid, answered } = await sendFile(service, await makeClip(makeFolder(scope)));
  await answered;
  await untilFinished(service, guid, ENCODE_LIMIT_MS);
  const playlist = `${service.edgeUrl}/vz-1/${guid}/playlist.m3u8`;
  const anchors = await serveAnchors(scope, playlist);
  return { ours: `${service.edgeUrl}/embed/1/${guid}?muted=true`, ...anchors };
}

/** A picture that takes about as many bits as film does: noise over moving colours. */
async function makeClip(folder: string): Promise<string> {
  const file = path.join(folder, 'clip.mp4');
  const picture = `testsrc2=size=1280x720:rate=24:duration=${CLIP_SEC},noise=alls=12:allf=t`;
  const input = ['-v', 'error', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=440:duration=${CLIP_SEC}`];
  const output = ['-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '2800k', '-maxrate', '3500k', '-bufsize', '5M'];
  await promisify(execFile)('ffmpeg', [...input, ...output, '-g', '48', '-c:a', 'aac', file]);
  return file;
}

async function serveAnchors(scope: Scope, playlist: string): Promise<{ videoJs: string; hlsJs: string }> {
  const read = async (file: string) => brotliCompressSync(await readFile(path.join(packages, file)));
  const files = new Map([
    ['/video.min.js', await read('video.js/dist/video.min.js')],
    ['/video-js.min.css', await read('video.js/dist/video-js.min.css')],
    ['/hls.min.js', await read('hls.js/dist/hls.min.js')],
    ['/videojs.html', brotliCompressSync(videoJsPage(playlist))],
    ['/hlsjs.html', brotliCompressSync(hlsJsPage(playlist))],
  ]);
  const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html' };
  const server = createServer(({ url = '' }, response) => {
    const body = files.get(url);
    if (body === undefined) return void response.writeHead(404).end();
    const headers = { 'content-type': types[path.extname(url)] ?? '', 'content-encoding': 'br' };
    response.writeHead(200, { ...headers, 'content-length': body.length }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.own(() => void server.close());
  // A listening server has an address of this kind.
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { videoJs: `${base}/videojs.html`, hlsJs: `${base}/hlsjs.html` };
}

function videoJsPage(playlist: string): string {
  return `${HEAD}<link rel="stylesheet" href="/video-js.min.css"><script src="/video.min.js"></script>
<video id="v" class="video-js" controls muted autoplay playsinline width="1280" height="720"></video>
<script>videojs('v', { sources: [{ src: '${playlist}', type: 'application/x-mpegURL' }], html5: { vhs: { overrideNative: true } } })</script>`;
}

function hlsJsPage(playlist: string): string {
  return `${HEAD}<script src="/hls.min.js"></script>
<video id="v" controls muted autoplay playsinline width="1280" height="720"></video>
<script>const hls = new Hls(); hls.loadSource('${playlist}'); hls.attachMedia(document.querySelector('#v'))</script>`;
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
    await page.addInitScript(watchFirstFrame);
    await page.goto(url, { waitUntil: 'commit' });
    return { firstFrameMs: await untilFirstFrame(page), kib: Math.round(bytes / 102.4) / 10 };
  } finally {
    await context.close();
  }
}

async function untilFirstFrame(page: Page): Promise<number> {
  const deadlineMs = performance.now() + FRAME_LIMIT_MS;
  while (performance.now() < deadlineMs) {
    const firstFrameMs = await page.evaluate(() => Reflect.get(window, 'firstFrameMs'));
    if (firstFrameMs !== undefined) return Math.round(Number(firstFrameMs));
    await sleep(LOOK_EACH_MS);
  }
  throw new Error(`Expected a picture within ${FRAME_LIMIT_MS} ms.`);
}

/** Runs in the page: the time of the first picture that is shown, since the navigation began. */
function watchFirstFrame(): void {
  const watch = () => {
    const video = document.querySelector('video');
    if (video === null) return;
    observer.disconnect();
    video.requestVideoFrameCallback((nowMs) => Object.assign(window, { firstFrameMs: nowMs }));
  };
  const observer = new MutationObserver(watch);
  observer.observe(document, { childList: true, subtree: true });
}
