import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { Firefox } from '../support/firefox.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

const run = promisify(execFile);

/** The upper bars of SMPTE EG 1 without the white one, at 75 %, as BT.601 gives them. */
const BARS = [
  [191, 191, 0],
  [0, 191, 191],
  [0, 191, 0],
  [191, 0, 191],
  [191, 0, 0],
  [0, 0, 191],
];
/** Encoded bars are off by up to 11; read as BT.709, all are by up to 30. */
const MOST_OFF = 15;
const RUNGS = [480, 360, 240];

let service: Service;
let folder: string;
let guid: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-colours-'));
  service = await startService(null);
  const clip = path.join(folder, 'untagged.mp4');
  const codec = ['-c:v', 'libx264', '-crf', '12', '-g', '20', '-pix_fmt', 'yuv420p'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', 'smptebars=s=640x480:r=10:d=2', ...codec, clip]);
  guid = await createVideo(service, 'untagged');
  expect((await uploadFile(service, guid, clip)).status).toBe(200);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
}, 200_000);
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

/** Runs in the page: the colours of the upper bars of a rung's first picture, played by Media Source Extensions. */
async function readBars(rungUrl: string): Promise<number[][]> {
  const bytes = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer());
  const lines = (await (await fetch(`${rungUrl}video.m3u8`)).text()).split('\n');
  const map = /URI="([^"]+)"/.exec(lines.find((line) => line.startsWith('#EXT-X-MAP')) ?? '')?.[1] ?? '';
  const first = lines.find((line) => line !== '' && !line.startsWith('#')) ?? '';
  const video = document.createElement('video');
  video.muted = true;
  const source = new MediaSource();
  video.src = URL.createObjectURL(source);
  document.body.append(video);
  await new Promise((resolve) => source.addEventListener('sourceopen', resolve, { once: true }));
  const buffer = source.addSourceBuffer('video/mp4; codecs="avc1.64001e"');
  const loaded = new Promise((resolve) => video.addEventListener('loadeddata', resolve, { once: true }));
  for (const url of [map, first]) {
    const appended = new Promise((resolve) => buffer.addEventListener('updateend', resolve, { once: true }));
    buffer.appendBuffer(await bytes(new URL(url, `${rungUrl}video.m3u8`).href));
    await appended;
  }
  await loaded;
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [70, 48];
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('Expected a canvas to draw on.');
  // A picture that is loaded may not be painted yet.
  for (let left = 100; left > 0; left -= 1) {
    context.drawImage(video, 0, 0, 70, 48);
    if ((context.getImageData(5, 10, 1, 1).data[0] ?? 0) > 0) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return [1, 2, 3, 4, 5, 6].map((bar) => [...context.getImageData(5 + bar * 10, 10, 1, 1).data].slice(0, 3));
}

type Page = {
  goto(url: string): Promise<unknown>;
  evaluate(run: (url: string) => Promise<number[][]>, url: string): Promise<number[][]>;
};

async function checkRungs(page: Page): Promise<void> {
  await page.goto(`${service.edgeUrl}/embed/1/${guid}?autoplay=false&preload=false`);
  for (const rung of RUNGS) {
    const bars = await page.evaluate(readBars, `${service.edgeUrl}/vz-1/${guid}/${rung}p/`);
    const off = bars.map((bar, index) =>
      Math.max(...bar.map((value, at) => Math.abs(value - (BARS[index]?.[at] ?? 0)))),
    );
    expect(Math.max(...off), `${rung}p: ${JSON.stringify(bars)}`).toBeLessThanOrEqual(MOST_OFF);
  }
}

test('untagged SD H.264 has the colours of BT.601 in its copied and encoded rungs in Chromium', async () => {
  const browser = await openBrowser();
  try {
    await checkRungs(await browser.newPage(SMALL_PAGE));
  } finally {
    await browser.close();
  }
}, 200_000);

test('it has them in Firefox too, which takes colours from the parameter sets alone', async () => {
  const firefox = await Firefox.launch();
  try {
    await checkRungs(await firefox.newPage());
  } finally {
    await firefox.close();
  }
}, 200_000);
