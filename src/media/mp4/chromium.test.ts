import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../../test/support/browser.ts';
import { makeAudio, makeVideo, readVirtual } from '../../../test/support/media/run-test-renditions.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { planVirtualMp4, type VirtualMp4Plan } from './plan-virtual-mp4.ts';

const FRAMES = 240;
/** Eight squares that show the frame number in binary. */
const NUMBERED = "geq=lum='if(mod(floor(N/pow(2,floor(X/40))),2),235,16)':cb=128:cr=128";

let server: Server;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const [video, audio] = await Promise.all([
    makeVideo({
      input: ['-f', 'lavfi', '-i', 'color=s=320x40:r=24:d=10'],
      rate: { num: 24, den: 1 },
      frames: FRAMES,
      filter: NUMBERED,
    }),
    makeAudio(['-f', 'lavfi', '-i', 'sine=d=10']),
  ]);
  const plan = await planVirtualMp4(
    {
      video: { init: video.init, language: null, chunks: video.chunks },
      audio: { init: audio.init, language: 'en', chunks: audio.chunks },
    },
    new AbortController().signal,
  );
  const objects = new Map([...video.objects, ...audio.objects]);
  server = createServer((request, response) => answer(plan, objects, request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  browser = await openBrowser();
  page = await browser.newPage();
  const { port } = server.address() as AddressInfo;
  await page.goto(`http://127.0.0.1:${port}/`);
});

afterAll(async () => {
  await browser?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

function answer(
  plan: VirtualMp4Plan,
  objects: ReadonlyMap<StorageKey, Buffer>,
  { url, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  if (url !== '/play.mp4') {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><link rel="icon" href="data:,"><video muted preload="auto"></video><canvas></canvas>');
    return;
  }
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const start = Number(from);
  const end = to === '' ? plan.sizeBytes - 1 : Number(to);
  response.writeHead(headers.range === undefined ? 200 : 206, {
    'content-type': 'video/mp4',
    'accept-ranges': 'bytes',
    'content-length': end - start + 1,
    'content-range': `bytes ${start}-${end}/${plan.sizeBytes}`,
  });
  response.end(readVirtual(plan, objects, [start, end]));
}

/** Runs in the page. Seeks, then reads the number shown in the frame. */
async function shownAfterSeek(frame: number): Promise<number> {
  const video = document.querySelector('video');
  const canvas = document.querySelector('canvas');
  const context = canvas?.getContext('2d');
  if (video === null || canvas === null || !context) throw new Error('Expected a video and a canvas.');
  await new Promise((resolve, reject) => {
    video.onseeked = resolve;
    video.onerror = () => reject(new Error(video.error?.message));
    video.currentTime = (frame + 0.5) / 24;
  });
  canvas.width = 320;
  canvas.height = 40;
  context.drawImage(video, 0, 0);
  let number = 0;
  for (let bit = 0; bit < 8; bit += 1) {
    const [red = 0] = context.getImageData(bit * 40 + 20, 20, 1, 1).data;
    if (red > 128) number += 2 ** bit;
  }
  return number;
}

/** Runs in the page. Loads the file, plays one second of it, and reports the decoded audio and frames. */
async function playOneSecond(): Promise<{ durationSec: number; decodedFrames: number; decodedSoundBytes: number }> {
  const video = document.querySelector('video') as HTMLVideoElement & { webkitAudioDecodedByteCount: number };
  await new Promise((resolve, reject) => {
    video.onloadeddata = resolve;
    video.onerror = () => reject(new Error(video.error?.message));
    video.src = '/play.mp4';
  });
  await video.play();
  await new Promise<void>((resolve, reject) => {
    video.onerror = () => reject(new Error(video.error?.message));
    video.ontimeupdate = () => {
      if (video.currentTime > 1) resolve();
    };
  });
  video.pause();
  const decodedFrames = video.getVideoPlaybackQuality().totalVideoFrames;
  return { durationSec: video.duration, decodedFrames, decodedSoundBytes: video.webkitAudioDecodedByteCount };
}

test('Chromium plays the virtual MP4 with audio using range requests, and seeks to the exact frame', async () => {
  const played = await page.evaluate(playOneSecond);
  expect(played.durationSec).toBeCloseTo((469 * 1024) / 48_000, 2);
  expect(played.decodedFrames).toBeGreaterThan(10);
  expect(played.decodedSoundBytes).toBeGreaterThan(0);
  const requested = [0, 1, 47, 48, 49, 95, 96, 150, 239, 191, 3];
  const shown: number[] = [];
  for (const frame of requested) shown.push(await page.evaluate(shownAfterSeek, frame));
  expect(shown).toEqual(requested);
});
