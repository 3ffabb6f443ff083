import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type Hls from 'hls.js';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { addLibrary } from '../delivery/publish.ts';
import type { TestEdge } from '../delivery/start-test-edge.ts';
import { makeClip, untilState, upload } from '../jobs/worker-fixture.ts';
import { type OnDemandFixture, startOnDemandFixture } from '../on-demand/on-demand-fixture.ts';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { Firefox, type FirefoxPage } from '../support/firefox.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import { GROUP_LIMIT_SEC } from './many.ts';

const run = promisify(execFile);
const HLS = path.resolve(import.meta.dirname, '../../node_modules/hls.js/dist/hls.min.js');
/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 60_000 };

declare global {
  interface Window {
    Hls: typeof Hls;
    shown: string[];
  }
}

let fixture: OnDemandFixture;
let edge: TestEdge;
let browser: Browser;
let plain: MediaKey;
let wide: MediaKey;
let untagged: MediaKey;
beforeAll(async () => {
  [fixture, browser] = await Promise.all([startOnDemandFixture(), openBrowser()]);
  edge = await fixture.edgeFixture.start({ storage: fixture.storage });
  await fixture.startWorker();
  const { db } = fixture.database;
  const all = await addLibrary(db, { encoding: { rungs: [240], codecs: ['h264', 'vp9', 'av1', 'hevc'] } });
  const two = await addLibrary(db, { encoding: { rungs: [240], codecs: ['h264', 'vp9', 'av1'] } });
  const tall = await addLibrary(db, { encoding: { rungs: [240, 480] } });
  const lavfi = (graph: string) => ['-f', 'lavfi', '-i', graph];
  const pictures = [...lavfi('testsrc=s=160x120:r=24000/1001:d=6'), ...lavfi('anullsrc=r=44100:d=5.9')];
  const clip = await makeClip(fixture, 'clip.avi', ...pictures, '-c:v', 'mpeg4', '-c:a', 'pcm_s16le');
  const hdr = 'log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited';
  const bits = ['-pix_fmt', 'yuv420p10le', '-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', hdr];
  const bright = await makeClip(fixture, 'bright.mp4', ...lavfi('testsrc=s=160x120:r=25:d=2'), ...bits);
  const silence = lavfi('anullsrc=r=48000:d=20');
  const codec = ['-c:v', 'libx264', '-crf', '12', '-g', '20', '-pix_fmt', 'yuv420p'];
  const bars = await makeClip(
    fixture,
    'untagged.mp4',
    ...lavfi('smptebars=s=640x480:r=10:d=20'),
    ...silence,
    ...codec,
    '-c:a',
    'aac',
  );
  plain = await upload(fixture, all, clip);
  wide = await upload(fixture, two, bright);
  untagged = await upload(fixture, tall, bars);
  for (const key of [plain, wide, untagged]) await untilState(fixture, key, 'finished');
}, GROUP_LIMIT_SEC * 1000);
afterAll(async () => {
  await browser?.close();
  await edge?.close();
  await fixture?.stop();
});

const folderOf = ({ libraryId, mediaId }: MediaKey) => `${edge.base}/vz-${libraryId}/${mediaId}`;
const playlistUrl = (key: MediaKey) => `${folderOf(key)}/playlist.m3u8`;
const embedUrl = ({ libraryId, mediaId }: MediaKey) => `${edge.base}/embed/${libraryId}/${mediaId}`;

async function text(url: string): Promise<string> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return response.text();
}

test('the playlist lists each codec, H.264 first, and the rung alias remains H.264', async () => {
  const playlist = await text(playlistUrl(plain));
  expect(checkPlaylist(playlist)).toEqual([]);
  const codecs = [...playlist.matchAll(/CODECS="(\w+)\..*,mp4a\.40\.2"/g)].map(([, codec]) => codec);
  expect(codecs[0]).toBe('avc1');
  expect(new Set(codecs)).toEqual(new Set(['avc1', 'hvc1', 'vp09', 'av01']));
  const alias = await text(playlistUrl(plain).replace('playlist.m3u8', '240p/video.m3u8'));
  const rendition = /r\/([0-9a-f-]+)\//.exec(alias)?.[1];
  expect(playlist).toMatch(new RegExp(`CODECS="avc1[^\\n]*\\nr/${rendition}/`));
});

test('every HEVC frame decodes', async () => {
  const playlist = await text(playlistUrl(plain));
  const address = /CODECS="hvc1[^\n]*\n(\S+)/.exec(playlist)?.[1] ?? '';
  const source = new URL(address, playlistUrl(plain)).href;
  const shown = ['-count_frames', '-show_entries', 'stream=codec_name,codec_tag_string,nb_read_frames'];
  const { stdout, stderr } = await run('ffprobe', ['-v', 'warning', ...shown, '-of', 'csv=p=0', source]);
  expect([stdout.trim().split('\n')[0], stderr]).toEqual(['hevc,hvc1,144', '']);
});

test.each(['avc1', 'vp09', 'av01'])('%s plays and seeks in Chromium', async (codec) => {
  const { page, read } = await play(plain, codec);
  await expect.poll(async () => (await read()).sec, PATIENCE).toBeGreaterThan(1);
  await page.locator('video').evaluate((element: HTMLVideoElement) => {
    element.currentTime = 4.2;
  });
  await expect.poll(async () => (await read()).sec, PATIENCE).toBeGreaterThan(4.6);
  // Frames may lag behind the clock.
  await expect.poll(async () => (await read()).frames, PATIENCE).toBeGreaterThan(24);
  expect((await read()).heightPx).toBe(120);
  expect(new Set(await page.evaluate(() => window.shown))).toEqual(new Set([codec]));
  await page.close();
});

test.each(['avc1', 'vp09', 'av01'])(
  '%s of an HDR source plays in Chromium, in 10 bits except for H.264',
  async (codec) => {
    const playlist = await text(playlistUrl(wide));
    const [, named = '', range = ''] = new RegExp(`CODECS="(${codec}[^",]*).*VIDEO-RANGE=(\\w+)`).exec(playlist) ?? [];
    expect([/\.10(\.|$)/.test(named), range]).toEqual(codec === 'avc1' ? [false, 'SDR'] : [true, 'PQ']);
    const { page, read } = await play(wide, codec);
    await expect.poll(async () => (await read()).sec, PATIENCE).toBeGreaterThan(1);
    await expect.poll(async () => (await read()).frames, PATIENCE).toBeGreaterThan(24);
    expect(new Set(await page.evaluate(() => window.shown))).toEqual(new Set([codec]));
    await page.close();
  },
);

/** Plays the rendition of a codec with hls.js. `read` reports its progress. */
async function play(video: MediaKey, codec: string) {
  const page = await browser.newPage(SMALL_PAGE);
  await page.setContent('<video muted></video>');
  await page.addScriptTag({ path: HLS });
  await page.evaluate(
    ([source = '', wanted = '']) => {
      window.shown = [];
      const hls = new window.Hls({ startPosition: 0 });
      hls.on(window.Hls.Events.MANIFEST_PARSED, () => {
        hls.startLevel = hls.levels.findIndex(({ videoCodec }) => videoCodec?.startsWith(wanted));
        hls.currentLevel = hls.startLevel;
      });
      hls.on(window.Hls.Events.FRAG_CHANGED, (_, { frag }) => {
        window.shown.push(hls.levels[frag.level]?.videoCodec?.slice(0, 4) ?? '');
      });
      hls.on(window.Hls.Events.ERROR, (_, { fatal, details }) => {
        if (fatal) window.shown.push(details);
      });
      const element = document.querySelector('video') as HTMLVideoElement;
      hls.loadSource(source);
      hls.attachMedia(element);
      void element.play();
    },
    [playlistUrl(video), codec],
  );
  const read = () =>
    page.locator('video').evaluate((element: HTMLVideoElement) => ({
      sec: element.currentTime,
      frames: element.getVideoPlaybackQuality().totalVideoFrames,
      heightPx: element.videoHeight,
    }));
  return { page, read };
}

/** The upper bars of SMPTE EG 1 without the white one, at 75 %, in BT.601. */
const BARS = [
  [191, 191, 0],
  [0, 191, 191],
  [0, 191, 0],
  [191, 0, 191],
  [191, 0, 0],
  [0, 0, 191],
];
/** Encoded bars are off by up to 11. Read as BT.709, they are off by up to 30. */
const MAX_OFFSET = 15;
const RUNGS = [480, 240];

/**
 * Runs in the page. Returns the colours of the upper bars in a rung's first frame, played by Media Source Extensions.
 */
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
  // A loaded frame may not be painted yet.
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
  await page.goto(`${embedUrl(untagged)}?autoplay=false&preload=false`);
  for (const rung of RUNGS) {
    const bars = await page.evaluate(readBars, `${folderOf(untagged)}/${rung}p/`);
    const off = bars.map((bar, index) =>
      Math.max(...bar.map((value, at) => Math.abs(value - (BARS[index]?.[at] ?? 0)))),
    );
    expect(Math.max(...off), `${rung}p: ${JSON.stringify(bars)}`).toBeLessThanOrEqual(MAX_OFFSET);
  }
}

test('untagged SD H.264 has the colours of BT.601 in its copied and encoded rungs in Chromium', async () => {
  const page = await browser.newPage(SMALL_PAGE);
  await checkRungs(page);
  await page.close();
});

describe('in Firefox', () => {
  let firefox: Firefox;
  beforeAll(async () => {
    firefox = await Firefox.launch();
  });
  afterAll(() => firefox?.close());

  test('untagged SD H.264 has the colours of BT.601 in Firefox if only its parameter sets declare them', async () => {
    await checkRungs(await firefox.newPage(480, 270));
  });

  test('the player page plays, seeks, switches, ends and replays in Firefox', async () => {
    const page = await firefox.newPage(480, 270);
    await page.goto(`${embedUrl(untagged)}?muted=true`);
    await expect.poll(async () => (await readPlayer(page)).frames, PATIENCE).toBeGreaterThan(5);
    for (const heightPx of [240, 480]) {
      await page.evaluate((name) => {
        document.querySelector<HTMLElement>('bunny-settings-menu-button')?.click();
        document.querySelector<HTMLElement>('[data-page=quality]')?.click();
        const choices = [...document.querySelectorAll<HTMLElement>('[role=menuitemradio]')];
        choices.find(({ textContent }) => textContent?.startsWith(name))?.click();
      }, `${heightPx}p`);
      await page.press('5');
      await expect.poll(async () => (await readPlayer(page)).heightPx, PATIENCE).toBe(heightPx);
    }
    await expect.poll(async () => (await readPlayer(page)).sec, PATIENCE).toBeGreaterThan(9);
    await page.press('9');
    await expect.poll(async () => (await readPlayer(page)).isEnded, PATIENCE).toBe(true);
    await page.press('k');
    await expect.poll(async () => (await readPlayer(page)).isEnded, PATIENCE).toBe(false);
    await expect.poll(async () => (await readPlayer(page)).sec, PATIENCE).toBeGreaterThan(0.5);
    expect((await readPlayer(page)).sec).toBeLessThan(15);
    expect(page.faults).toEqual([]);
  });
});

const readPlayer = (page: FirefoxPage) =>
  page.evaluate(() => {
    const video = document.querySelector('video');
    if (video === null) throw new Error('Expected a video element.');
    const { currentTime: sec, ended: isEnded, videoHeight: heightPx } = video;
    return { sec, isEnded, heightPx, frames: video.getVideoPlaybackQuality().totalVideoFrames };
  });
