import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { discard, newDataDir, type Service, startService } from '../support/service.ts';
import { FINISHED, getVideo, playlistUrl, REAL_CLIP, untilVideo } from '../support/videos.ts';
import { expectSameLength } from '../support/whole-video/check-length.ts';
import { checkWholeVideo } from '../support/whole-video/check-whole-video.ts';
import { readSourceSpan } from '../support/whole-video/decode-segment.ts';

const run = promisify(execFile);
/** Starts at a keyframe of the real clip. Long enough to show every rung, seeks and switches. */
const CLIP_START_SEC = 11.875;
const CLIP_SEC = 6;
const CLIP_FRAMES = 144;
const PLAY_LIMIT_MS = 60_000;
/** Encoders run at low priority, so they are slow on a busy machine. */
const HANG_MS = 300_000;

let service: Service;
let browser: Browser;
let folder: string;
let clip: string;
/** The playback URL printed by the command. */
let address: string;

beforeAll(async () => {
  const starting = startService(await newDataDir(), { MILLRACE_PREVIEWS: 'on' });
  [service, browser] = await Promise.all([starting, openBrowser()]);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-clip-'));
  clip = path.join(folder, 'video.mp4');
  const from = ['-ss', `${CLIP_START_SEC}`];
  const length = ['-t', `${CLIP_SEC}`, '-frames:v', `${CLIP_FRAMES}`];
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...from, '-i', REAL_CLIP, ...length, '-c', 'copy', clip]);
  const { stdout } = await run(
    'bash',
    ['-euc', printedCommand(await readFile(path.join(service.dataDir, 'first-start.txt'), 'utf8'))],
    { cwd: folder },
  );
  address = stdout.trim().split('\n').at(-1) ?? '';
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

/** Reads the video element: its clock, the height of its frame, and the number of frames that reached the screen. */
function read(page: Page) {
  return page.locator('video').evaluate((video: HTMLVideoElement) => ({
    sec: video.currentTime,
    durationSec: video.duration,
    heightPx: video.videoHeight,
    frames: video.getVideoPlaybackQuality().totalVideoFrames,
  }));
}

/** Extracts the two lines that a new user pastes from the first start's output. */
function printedCommand(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const first = lines.findIndex((line) => line.startsWith('VIDEO=$(curl'));
  expect(first).toBeGreaterThan(0);
  return lines.slice(first, first + 2).join('\n');
}

async function chooseQuality(page: Page, heightPx: number): Promise<void> {
  await page.mouse.move(100 + (heightPx % 7), 100);
  await page.locator('bunny-settings-menu-button').click();
  await page.getByRole('menuitem', { name: 'Quality' }).click();
  await page.getByRole('menuitemradio', { name: new RegExp(`^${heightPx}p`) }).click({ timeout: PLAY_LIMIT_MS });
}

test(
  'the printed command uploads a real clip, which plays, seeks and switches quality in a browser',
  async () => {
    expect(address).toContain(`${service.edgeUrl}/embed/1/`);
    const guid = address.split('/').at(-1) ?? '';
    const page = await browser.newPage({ viewport: { width: 640, height: 360 } });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(`${address}?muted=true`);
    await expect.poll(async () => (await read(page)).sec, { timeout: PLAY_LIMIT_MS }).toBeGreaterThan(1);
    // Frames may lag behind the clock.
    await expect.poll(async () => (await read(page)).frames, { timeout: PLAY_LIMIT_MS }).toBeGreaterThan(12);
    expect((await read(page)).durationSec).toBeCloseTo(CLIP_SEC, 1);
    // Each rung is listed as soon as players are offered it.
    const listed = async () => (await getVideo(service, guid)).availableResolutions;
    await expect.poll(listed, { timeout: PLAY_LIMIT_MS }).toContain('1080p');

    const video = page.locator('video');
    await video.evaluate((element: HTMLVideoElement) => {
      element.currentTime = 5;
    });
    await expect.poll(async () => (await read(page)).sec, { timeout: PLAY_LIMIT_MS }).toBeGreaterThan(5.3);

    await untilVideo(service, guid, ({ status }) => status === FINISHED, HANG_MS);
    // Seeks once after the film has ended and once during playback.
    await video.evaluate(async (element: HTMLVideoElement, sec) => {
      element.currentTime = sec - 0.5;
      // New rungs may reach the page at this moment. The page then loads again, and playback continues automatically.
      await element.play().catch((error: DOMException) => {
        if (error.name !== 'AbortError') throw error;
      });
    }, CLIP_SEC);
    await expect
      .poll(() => video.evaluate((element: HTMLVideoElement) => element.ended), { timeout: PLAY_LIMIT_MS })
      .toBe(true);
    // The open page picks up new rungs automatically.
    for (const { heightPx, sec } of [
      { heightPx: 240, sec: 1 },
      { heightPx: 720, sec: 5 },
    ]) {
      await chooseQuality(page, heightPx);
      await video.evaluate((element: HTMLVideoElement, to) => {
        element.currentTime = to;
      }, sec);
      await expect.poll(async () => (await read(page)).heightPx, { timeout: PLAY_LIMIT_MS }).toBe(heightPx);
    }
    expect(faults).toEqual([]);
    expect((await fetch(new URL('preview.webp', playlistUrl(service, guid)))).status).toBe(200);
  },
  2 * HANG_MS,
);

test(
  'a real clip that is passed through plays completely in every rung',
  async () => {
    const guid = address.split('/').at(-1) ?? '';
    await untilVideo(service, guid, ({ status }) => status === FINISHED, HANG_MS);
    const whole = await checkWholeVideo(service, guid);
    expectSameLength(whole, await readSourceSpan(clip));
    expect(whole).toMatchObject({ rungs: [1080, 720, 480, 360, 240], frames: CLIP_FRAMES, segments: 2 });
  },
  2 * HANG_MS,
);
