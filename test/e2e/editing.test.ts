import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { discard, type Service, startService } from '../support/service.ts';
import {
  call,
  createVideo,
  FINISHED,
  getVideo,
  playlistUrl,
  untilVideo,
  uploadFile,
  type VideoAnswer,
} from '../support/videos.ts';
import { checkWholeVideo } from '../support/whole-video/check-whole-video.ts';

const run = promisify(execFile);

const RATE = 10;

let service: Service;
let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-editing-'));
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

async function make(name: string, sec: number, ...codec: string[]): Promise<string> {
  const file = path.join(folder, name);
  const inputs = ['-f', 'lavfi', '-i', `testsrc2=s=480x360:r=${RATE}:d=${sec}`, '-f', 'lavfi', '-i', `sine=d=${sec}`];
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...inputs, ...codec, '-c:a', 'aac', '-shortest', file]);
  return file;
}
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-b:v', '400k', '-g', `${2.5 * RATE}`];

async function uploaded(file: string): Promise<string> {
  const guid = await createVideo(service, path.basename(file));
  expect((await uploadFile(service, guid, file)).status).toBe(200);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  return guid;
}

/** Plays the page of a video to the end in Chromium. Returns its duration and the page's faults. */
async function playToEnd(guid: string): Promise<{ durationSec: number; faults: string[] }> {
  const page = await browser.newPage(SMALL_PAGE);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(`${service.edgeUrl}/embed/1/${guid}?muted=true`);
  const read = () =>
    page.locator('video').evaluate((video: HTMLVideoElement) => {
      // Every frame is still decoded.
      video.playbackRate = 2;
      return { ended: video.ended, durationSec: video.duration };
    });
  await expect.poll(async () => (await read()).ended, { timeout: 60_000 }).toBe(true);
  const { durationSec } = await read();
  await page.close();
  return { durationSec, faults };
}

test('parts of two videos become one that plays through in a browser, in sync and without a gap', async () => {
  const [first, second] = [
    await uploaded(await make('a.mp4', 8, ...H264)),
    await uploaded(await make('b.mp4', 6, ...H264)),
  ];
  const parts = [
    { videoId: first, startMs: 1500, endMs: 7300 },
    { videoId: second, startMs: 2600 },
  ];
  // The operation returns a VideoModel, which conformance tests check.
  const made = (await call(service, 'POST', '/library/1/videos/compose', { title: 'Both', parts })) as VideoAnswer;
  expect(made).toMatchObject({ title: 'Both', status: 3, length: 9 });
  const done = await untilVideo(service, made.guid, ({ status }) => status === FINISHED);
  expect(done.availableResolutions).toBe('240p,360p');
  const whole = await checkWholeVideo(service, made.guid);
  expect(whole).toMatchObject({ rungs: [360, 240], frames: 9.2 * RATE });
  const { durationSec, faults } = await playToEnd(made.guid);
  expect(durationSec).toBeCloseTo(9.2, 1);
  expect(faults).toEqual([]);
});

test('a new file replaces the first, which keeps playing, and an unusable file changes nothing', async () => {
  const guid = await uploaded(await make('old.mp4', 3, ...H264));
  const before = await getVideo(service, guid);
  const other = await make('other.avi', 5, '-c:v', 'mpeg4', '-q:v', '5');
  await call(service, 'POST', `/library/1/videos/${guid}/replace`);
  expect((await uploadFile(service, guid, other)).status).toBe(200);
  // Returns the URLs of the files that viewers get.
  const playlist = async () => {
    const text = await (await fetch(playlistUrl(service, guid))).text();
    return text.split('\n').filter((line) => line.startsWith('r/'));
  };
  const first = await playlist();
  // Two rungs and the audio-only variant.
  expect(first).toHaveLength(3);
  const states = new Set<number>();
  for (;;) {
    const shown = await playlist();
    const { status } = await getVideo(service, guid);
    states.add(status);
    if (status === FINISHED) break;
    // Viewers get the first set until the other is complete.
    expect(shown).toEqual(first);
    await sleep(100);
  }
  expect(states.size).toBeGreaterThan(1);
  const after = await getVideo(service, guid);
  expect(after).toMatchObject({ title: before.title, length: 5, transcodingMessages: [] });
  // The edge is notified of the switch a moment after the commit.
  await expect.poll(playlist, { timeout: 60_000 }).not.toEqual(first);
  const whole = await checkWholeVideo(service, guid);
  expect(Math.round(whole.frames / RATE)).toBe(5);
  const junk = path.join(folder, 'junk.mp4');
  // A text file would be refused before it is stored.
  await writeFile(junk, Buffer.alloc(12_000, 0xab));
  await call(service, 'POST', `/library/1/videos/${guid}/replace`);
  expect((await uploadFile(service, guid, junk)).status).toBe(200);
  const kept = await untilVideo(service, guid, ({ transcodingMessages }) => transcodingMessages.length > 0);
  expect(kept).toMatchObject({ status: FINISHED, length: 5, title: before.title });
  expect(kept.transcodingMessages[0]?.message).toContain('the video was not changed');
  expect(await checkWholeVideo(service, guid)).toEqual(whole);
});

test.each([
  { whose: 'none of its pictures', sets: false, left: 404 },
  { whose: 'only the thumbnail that its owner set', sets: true, left: 200 },
])(
  'an audio-only file replaces a video and leaves $whose',
  async ({ sets, left }) => {
    const guid = await uploaded(await make('seen.mp4', 2, ...H264));
    const url = (name: string) => playlistUrl(service, guid).replace('playlist.m3u8', name);
    if (sets) {
      const made = encodeURIComponent(url('thumbnail_1.jpg'));
      await call(service, 'POST', `/library/1/videos/${guid}/thumbnail?thumbnailUrl=${made}`);
    }
    const heard = path.join(folder, 'heard.mp3');
    await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-f', 'lavfi', '-i', 'sine=d=3', heard]);
    await call(service, 'POST', `/library/1/videos/${guid}/replace`);
    expect((await uploadFile(service, guid, heard)).status).toBe(200);
    const done = await untilVideo(service, guid, ({ status, length }) => status === FINISHED && length === 3);
    expect(done).toMatchObject({ thumbnailCount: 0, transcodingMessages: [] });
    const blurhash: unknown = Object(done).thumbnailBlurhash;
    expect(blurhash === null).toBe(!sets);
    for (const name of ['thumbnail_1.jpg', 'seek/_0.jpg'])
      await expect.poll(async () => (await fetch(url(name))).status).toBe(404);
    await expect.poll(async () => (await fetch(url('thumbnail.jpg'))).status).toBe(left);
  },
  240_000,
);
