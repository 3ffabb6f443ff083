import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { ACCOUNT_KEY, discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, getVideo, untilVideo, uploadFile } from '../support/videos.ts';
import { readBoxes } from '../support/whole-video/read-moof.ts';
import { type Origin, serve, startOrigin } from '../uploads/origin.ts';
import { open } from '../uploads/tus-client.ts';

const run = promisify(execFile);
const PLAYLISTS_CREATED = 8;
/** Timeout that only a hang exceeds. A browser that just started is slow on a busy machine. */
const PATIENCE = { timeout: 90_000, interval: 250 };

let service: Service;
let browser: Browser;
let origin: Origin;
let folder: string;
let clip: string;
beforeAll(async () => {
  [service, browser, origin] = await Promise.all([
    startService(null, { MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8' }),
    openBrowser(),
    startOrigin(),
  ]);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-on-demand-'));
  clip = path.join(folder, 'last.mp4');
  const inputs = [
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=640x48:r=12000/1001:d=40',
    '-f',
    'lavfi',
    '-i',
    'anullsrc=r=44100:d=40',
  ];
  // No browser plays MPEG-4 part 2. Without `faststart` the index is at the end.
  const argv = [...inputs, '-c:v', 'mpeg4', '-q:v', '8', '-g', '24', '-c:a', 'aac', clip];
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...argv]);
  const settings = { JitEncodingEnabled: true, EnabledResolutions: '240p,360p' };
  const answer = await fetch(`${service.apiUrl}/videolibrary/1`, {
    method: 'POST',
    headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(settings),
  });
  expect(answer.status).toBe(200);
});
afterAll(async () => {
  await browser?.close();
  await origin?.stop();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const uploads = {
  async put() {
    const guid = await createVideo(service, 'By PUT');
    expect((await uploadFile(service, guid, clip)).status).toBe(200);
    return guid;
  },
  async tus() {
    const guid = await createVideo(service, 'By TUS');
    const bytes = await readFile(clip);
    const upload = await open({ url: service.apiUrl, libraryId: 1, key: LIBRARY_KEY }, guid, bytes.length);
    expect((await upload.patch(0, bytes)).status).toBe(204);
    return guid;
  },
  async fetch() {
    origin.script(serve(await readFile(clip)));
    const asked = await call(service, 'POST', '/library/1/videos/fetch', { url: `${origin.url}/last.mp4` });
    return String(Object(asked).id);
  },
};

/** On a busy machine a segment may take long. The response tells the player to retry, and it does. */
const isLate = (response: Response) =>
  response.status() === 503 && response.url().endsWith('.m4s') && response.headers()['retry-after'] !== undefined;

/** Reads the video element. */
const read = (page: Page) =>
  page.locator('video').evaluate((video: HTMLVideoElement) => ({
    sec: video.currentTime,
    durationSec: video.duration,
    frames: video.getVideoPlaybackQuality().totalVideoFrames,
  }));

test('the test clip has its index at the end', async () => {
  expect(readBoxes(await readFile(clip)).map(({ type }) => type)).toEqual(['ftyp', 'free', 'mdat', 'moov']);
});

test.each(Object.entries(uploads))(
  'a video that was uploaded by %s plays and seeks before it is encoded',
  async (_, enter) => {
    const guid = await enter();
    const ready = await untilVideo(service, guid, ({ status }) => status === PLAYLISTS_CREATED || status === FINISHED);
    expect(ready).toMatchObject({ status: PLAYLISTS_CREATED, availableResolutions: '240p,360p', length: 40 });
    const page = await browser.newPage(SMALL_PAGE);
    const faults: string[] = [];
    let late = 0;
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('response', (response) => {
      if (isLate(response)) late += 1;
      else if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(`${service.edgeUrl}/embed/1/${guid}?muted=true`);
    await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.5);
    expect((await read(page)).durationSec).toBeCloseTo(40, 0);
    const { frames } = await read(page);
    await page.locator('media-controller[ready]').waitFor(PATIENCE);
    await page.keyboard.press('8');
    await expect.poll(async () => (await read(page)).frames, PATIENCE).toBeGreaterThan(frames + 5);
    expect((await read(page)).sec).toBeGreaterThan(31);
    expect(faults).toEqual([]);
    expect(late).toBeLessThan(4);
    expect((await getVideo(service, guid)).transcodingMessages).toEqual([]);
    await page.close();
    await call(service, 'DELETE', `/library/1/videos/${guid}`);
  },
);
