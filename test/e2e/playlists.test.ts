import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type HlsEngine from 'hls.js';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HLS_JS, openScriptPage } from '../delivery/in-page.ts';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { createVideo, FINISHED, playlistUrl, untilVideo, uploadFile } from '../support/videos.ts';
import { expectSameLength } from '../support/whole-video/check-length.ts';
import { checkWholeVideo, type WholeVideo } from '../support/whole-video/check-whole-video.ts';
import { readSourceSpan, type SourceSpan } from '../support/whole-video/decode-segment.ts';

const run = promisify(execFile);
const RATE = 12;
const DURATION_SEC = 6;
/** Positions around segment starts, where a player would show a gap. */
const SEEKS_SEC = [3.97, 0, 4.02, 1.99, 5.5, 2.01];

let service: Service;
let folder: string;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  context = await browser.newContext(SMALL_PAGE);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-sources-'));
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const SINE = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:d=10'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-bf', '2', '-b:v', '300k'];

/** Frames that last one to four periods of 1/30 s, as in screen recordings. */
const SCREEN = "testsrc2=s=426x240:r=30:d=10,select='not(mod(n,2)*lt(mod(n,40),20))*not(eq(mod(n,7),3))'";

async function make(name: string, ...args: string[]): Promise<string> {
  const file = path.join(folder, name);
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, file]);
  return file;
}

async function uploadAndCheck(file: string): Promise<{ whole: WholeVideo; source: SourceSpan }> {
  const guid = await createVideo(service, path.basename(file));
  expect((await uploadFile(service, guid, file)).status).toBe(200);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  return { whole: await checkWholeVideo(service, guid), source: await readSourceSpan(file) };
}

test('encodes MPEG-4 in Matroska at 24000/1001 fps with B-frames on its own frame grid', async () => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=480x360:r=24000/1001:d=9'];
  const codec = ['-c:v', 'mpeg4', '-q:v', '6', '-bf', '2', '-c:a', 'libmp3lame', '-shortest'];
  const checked = await uploadAndCheck(await make('film.mkv', ...picture, ...SINE, ...codec));
  expectSameLength(checked.whole, checked.source);
  expect(checked.whole).toMatchObject({ rungs: [360, 240], segments: 3 });
  // In this container, video begins a few milliseconds after the audio, so the grid may need one more frame.
  expect(Math.abs(checked.whole.frames - checked.source.frames)).toBeLessThanOrEqual(1);
  expect(checked.whole.frameSec).toBeCloseTo(1001 / 24_000, 9);
});

test('an audio-only file plays completely', async () => {
  const checked = await uploadAndCheck(await make('podcast.mp3', ...SINE, '-c:a', 'libmp3lame'));
  expectSameLength(checked.whole, checked.source);
  expect(checked.whole).toMatchObject({ rungs: [], videoEndSec: null, segments: 3 });
});

test('a video without audio plays completely', async () => {
  const checked = await uploadAndCheck(
    await make('mute.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=10:d=9', ...H264, '-g', '24'),
  );
  expectSameLength(checked.whole, checked.source);
  expect(checked.whole).toMatchObject({ rungs: [240], audioEndSec: null, frames: 90 });
});

test.each([
  { as: 'MP4 that passes through', name: 'screen.mp4', codec: [...H264, '-c:a', 'aac'] },
  {
    as: 'WebM that is encoded',
    name: 'screen.webm',
    codec: ['-c:v', 'libvpx', '-deadline', 'realtime', '-b:v', '400k', '-c:a', 'libopus'],
  },
])(
  'a screen recording of variable rate in $as plays completely, with audio and video in sync',
  async ({ name, codec }) => {
    const picture = ['-f', 'lavfi', '-i', SCREEN];
    const checked = await uploadAndCheck(await make(name, ...picture, ...SINE, '-fps_mode', 'vfr', ...codec));
    expectSameLength(checked.whole, checked.source);
    expect(checked.whole.rungs).toEqual([240]);
  },
);

const picture = (sec = DURATION_SEC) => ['-f', 'lavfi', '-i', `testsrc2=s=426x240:r=${RATE}:d=${sec}`];
const sound = (sec = DURATION_SEC) => ['-f', 'lavfi', '-i', `sine=d=${sec}`];
const LATE = ['-itsoffset', '0.5'];
const SHORT_GROUPS = [...H264, '-g', `${2 * RATE}`];
const AAC = ['-c:a', 'aac'];
const OPEN = ['-x264-params', 'open-gop=1:scenecut=0:bframes=3'];

async function cut(name: string): Promise<string> {
  const whole = await make('whole.mp4', ...picture(8), ...sound(8), ...SHORT_GROUPS, ...AAC);
  return make(name, '-ss', '1.3', '-i', whole, '-t', `${DURATION_SEC}`, '-c', 'copy');
}

test.each([
  {
    what: 'audio that begins half a second late',
    make: () => make('a.mp4', ...picture(), ...LATE, ...sound(), ...SHORT_GROUPS),
  },
  {
    what: 'video that begins late',
    make: () => make('b.ts', ...LATE, ...picture(), ...sound(), ...SHORT_GROUPS, ...AAC),
  },
  { what: 'an edit list that starts inside a GOP', make: () => cut('c.mp4') },
  { what: 'open GOPs', make: () => make('d.mp4', ...picture(), ...sound(), ...SHORT_GROUPS, ...OPEN, ...AAC) },
])('$what: plays from 0 without a gap, and each seek shows its frame', async ({ make: source }) => {
  const guid = await createVideo(service, 'starts');
  expect((await uploadFile(service, guid, await source())).status).toBe(200);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  const { videoEndSec } = await checkWholeVideo(service, guid);
  const page = await openScriptPage(context, new URL(playlistUrl(service, guid)).origin, HLS_JS);
  const seen = await seekAround(page, playlistUrl(service, guid));
  await page.close();
  expect(seen.errors).toEqual([]);
  expect(seen.buffered).toEqual([[0, expect.closeTo(videoEndSec ?? 0, 1)]]);
  for (const { soughtSec, shownSec } of seen.pictures) {
    expect(shownSec).toBeLessThanOrEqual(soughtSec + 0.001);
    expect(shownSec).toBeGreaterThan(soughtSec - 1 / RATE - 0.001);
  }
});

type Seen = {
  errors: string[];
  buffered: [number, number][];
  pictures: { soughtSec: number; shownSec: number }[];
};

/** Loads a whole playlist with hls.js. Returns the contents of its buffer and the frame shown by each seek. */
function seekAround(page: Page, address: string): Promise<Seen> {
  return page.evaluate(
    async ({ source, seeksSec }) => {
      const video = document.querySelector('video') as HTMLVideoElement;
      // The script tag defined the single export of hls.js.
      const { Hls } = window as unknown as { Hls: typeof HlsEngine };
      const hls = new Hls({ maxBufferLength: 60 });
      const errors: string[] = [];
      hls.on(Hls.Events.ERROR, (_, { details }) => void errors.push(details));
      const isWhole = new Promise<void>((resolve, reject) => {
        setTimeout(() => reject(new Error(`not buffered in time: ${errors.join()}`)), 60_000);
        hls.on(Hls.Events.BUFFERED_TO_END, () => resolve());
      });
      hls.loadSource(source);
      hls.attachMedia(video);
      await isWhole;
      const pictures: { soughtSec: number; shownSec: number }[] = [];
      for (const soughtSec of seeksSec) {
        const shown = new Promise<number>((resolve) => {
          video.requestVideoFrameCallback((_, { mediaTime }) => resolve(mediaTime));
        });
        video.currentTime = soughtSec;
        pictures.push({ soughtSec, shownSec: await shown });
      }
      const buffered = Array.from({ length: video.buffered.length }, (_, range): [number, number] => [
        video.buffered.start(range),
        video.buffered.end(range),
      ]);
      hls.destroy();
      return { errors, buffered, pictures };
    },
    { source: address, seeksSec: SEEKS_SEC },
  );
}
