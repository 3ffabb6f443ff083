import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type Hls from 'hls.js';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { createVideo, FINISHED, playlistUrl, untilVideo, uploadFile } from '../support/videos.ts';

const run = promisify(execFile);
const HLS = path.resolve(import.meta.dirname, '../../node_modules/hls.js/dist/hls.min.js');
const PLAY_LIMIT_MS = 60_000;

declare global {
  interface Window {
    Hls: typeof Hls;
    shown: string[];
  }
}

let service: Service;
let browser: Browser;
let guid: string;
let wide: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  const clip = path.join(service.dataDir, 'clip.avi');
  const inputs = [
    '-f',
    'lavfi',
    '-i',
    'testsrc=s=160x120:r=24000/1001:d=6',
    '-f',
    'lavfi',
    '-i',
    'anullsrc=r=44100:d=5.9',
  ];
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...inputs, '-c:v', 'mpeg4', '-c:a', 'pcm_s16le', clip]);
  guid = await encode(clip, 'vp9,av1,hevc');
  const bright = path.join(service.dataDir, 'bright.mp4');
  const hdr = 'log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited';
  const codec = ['-pix_fmt', 'yuv420p10le', '-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', hdr];
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc=s=160x120:r=25:d=3', ...codec, bright]);
  wide = await encode(bright, 'vp9,av1');
}, 180_000);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
});

/** Uploads a clip and waits until it is there in H.264 and these codecs. */
async function encode(file: string, codecs: string): Promise<string> {
  const made = await createVideo(service, 'codecs');
  const answer = await uploadFile(service, made, file, `?enabledOutputCodecs=${codecs}&enabledResolutions=240p`);
  expect(answer.status).toBe(200);
  await untilVideo(service, made, ({ status }) => status === FINISHED);
  return made;
}

async function text(url: string): Promise<string> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return response.text();
}

test('the playlist lists each codec, H.264 first, and the rung alias stays H.264', async () => {
  const playlist = await text(playlistUrl(service, guid));
  expect(checkPlaylist(playlist)).toEqual([]);
  const codecs = [...playlist.matchAll(/CODECS="(\w+)\..*,mp4a\.40\.2"/g)].map(([, codec]) => codec);
  expect(codecs[0]).toBe('avc1');
  expect(new Set(codecs)).toEqual(new Set(['avc1', 'hvc1', 'vp09', 'av01']));
  const alias = await text(playlistUrl(service, guid).replace('playlist.m3u8', '240p/video.m3u8'));
  const rendition = /r\/([0-9a-f-]+)\//.exec(alias)?.[1];
  expect(playlist).toMatch(new RegExp(`CODECS="avc1[^\\n]*\\nr/${rendition}/`));
});

test('HEVC decodes, every picture', async () => {
  const playlist = await text(playlistUrl(service, guid));
  const address = /CODECS="hvc1[^\n]*\n(\S+)/.exec(playlist)?.[1] ?? '';
  const source = new URL(address, playlistUrl(service, guid)).href;
  const shown = ['-count_frames', '-show_entries', 'stream=codec_name,codec_tag_string,nb_read_frames'];
  const { stdout, stderr } = await run('ffprobe', ['-v', 'warning', ...shown, '-of', 'csv=p=0', source]);
  expect([stdout.trim().split('\n')[0], stderr]).toEqual(['hevc,hvc1,144', '']);
});

test.each(['avc1', 'vp09', 'av01'])('%s plays in Chromium, and seeks', async (codec) => {
  const { page, read } = await play(guid, codec);
  await expect.poll(async () => (await read()).sec, { timeout: PLAY_LIMIT_MS }).toBeGreaterThan(1);
  await page.locator('video').evaluate((element: HTMLVideoElement) => {
    element.currentTime = 4.2;
  });
  await expect.poll(async () => (await read()).sec, { timeout: PLAY_LIMIT_MS }).toBeGreaterThan(4.6);
  // Pictures may come later than the clock says.
  await expect.poll(async () => (await read()).frames, { timeout: PLAY_LIMIT_MS }).toBeGreaterThan(24);
  expect((await read()).heightPx).toBe(120);
  expect(new Set(await page.evaluate(() => window.shown))).toEqual(new Set([codec]));
  await page.close();
});

test.each(['avc1', 'vp09', 'av01'])(
  '%s of an HDR source plays in Chromium, of 10 bits but for H.264',
  async (codec) => {
    const playlist = await text(playlistUrl(service, wide));
    const [, named = '', range = ''] = new RegExp(`CODECS="(${codec}[^",]*).*VIDEO-RANGE=(\\w+)`).exec(playlist) ?? [];
    expect([/\.10(\.|$)/.test(named), range]).toEqual(codec === 'avc1' ? [false, 'SDR'] : [true, 'PQ']);
    const { page, read } = await play(wide, codec);
    await expect.poll(async () => (await read()).sec, { timeout: PLAY_LIMIT_MS }).toBeGreaterThan(2);
    await expect.poll(async () => (await read()).frames, { timeout: PLAY_LIMIT_MS }).toBeGreaterThan(24);
    expect(new Set(await page.evaluate(() => window.shown))).toEqual(new Set([codec]));
    await page.close();
  },
);

/** Plays the rendition of a codec with hls.js; `read` reports how far it is. */
async function play(video: string, codec: string) {
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
    [playlistUrl(service, video), codec],
  );
  const read = () =>
    page.locator('video').evaluate((element: HTMLVideoElement) => ({
      sec: element.currentTime,
      frames: element.getVideoPlaybackQuality().totalVideoFrames,
      heightPx: element.videoHeight,
    }));
  return { page, read };
}
