import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type Hls from 'hls.js';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AudioTrackModel } from '../../src/api/models/audio-track.ts';
import { measureAvSync, syncSourceArgv } from '../support/av-sync.ts';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { makeClip } from '../support/media/run-clip.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, playlistUrl, untilVideo, uploadFile } from '../support/videos.ts';

declare global {
  interface Window {
    hls: Hls;
  }
}

const run = promisify(execFile);
const HLS = path.resolve(import.meta.dirname, '../../node_modules/hls.js/dist/hls.min.js');
const PATIENCE = { timeout: 60_000 };
const LENGTH_SEC = 9;
const MAX_OFFSET_MS = 20;
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-bf', '2', '-g', '60'];

let service: Service;
let folder: string;
let browser: Browser;
let guid: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-tracks-'));
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  const source = syncSourceArgv({ lengthSec: LENGTH_SEC, size: '160x90' });
  const film = await makeClip(folder, 'film.mp4', [
    ...source,
    ...H264,
    '-c:a',
    'aac',
    '-metadata:s:a:0',
    'language=eng',
  ]);
  guid = await createVideo(service, 'Film');
  await uploadFile(service, guid, film);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
}, 200_000);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const pathOf = (rest = '') => `/library/1/videos/${guid}/audio-tracks${rest}`;
const list = async () => ((await call(service, 'GET', pathOf())) as { items: AudioTrackModel[] }).items;

async function put(rest: string, file: string): Promise<AudioTrackModel> {
  const answer = await fetch(`${service.apiUrl}${pathOf(rest)}`, {
    method: 'PUT',
    headers: { AccessKey: LIBRARY_KEY },
    body: new Uint8Array(await readFile(file)),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as AudioTrackModel;
}

async function untilReady(id: string): Promise<void> {
  await expect.poll(async () => (await list()).find(({ trackId }) => trackId === id)?.state, PATIENCE).toBe('ready');
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  await untilOffered();
}

/**
 * Waits until the playlist has exactly the finished tracks of the API. On a busy machine, the edge serves the previous
 * playlist while it reads a change.
 */
async function untilOffered(): Promise<void> {
  const titles = (await list()).flatMap(({ state, title }) =>
    state === 'ready' || state === 'replacing' ? [title] : [],
  );
  await expect.poll(async () => (await namesOf()).toSorted(), PATIENCE).toEqual(titles.toSorted());
}

const namesOf = () => audioLines().then((lines) => lines.map((line) => /NAME="(.*?)"/.exec(line)?.[1]));

async function read(address: string): Promise<string> {
  const answer = await fetch(address);
  expect(answer.status).toBe(200);
  return answer.text();
}

/** Returns the lines of the audio group in the multivariant playlist, after the playlist passed the checker. */
async function audioLines(): Promise<string[]> {
  const playlist = await read(playlistUrl(service, guid));
  expect(checkPlaylist(playlist)).toEqual([]);
  return playlist.split('\n').filter((line) => line.startsWith('#EXT-X-MEDIA:TYPE=AUDIO'));
}

/** Extracts the audio of the clip into a separate file. Additional ffmpeg arguments modify it. */
function makeSound(name: string, ...argv: string[]): Promise<string> {
  const source = syncSourceArgv({ lengthSec: LENGTH_SEC, size: '160x90' });
  return makeClip(folder, name, [...source.slice(-4), ...argv]);
}

/** Returns the URL of a track's media playlist, by the track's name. */
async function mediaUrl(name: string): Promise<string> {
  const line = (await audioLines()).find((one) => one.includes(`NAME="${name}"`));
  return new URL(/URI="(.*?)"/.exec(line ?? '')?.[1] ?? '', playlistUrl(service, guid)).href;
}

const lengthOf = async (address: string) =>
  [...(await read(address)).matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, sec]) => sum + Number(sec), 0);

const videoIds = async () => (await read(playlistUrl(service, guid))).match(/^r\/.*video\.m3u8$/gm)?.slice(0, -1);

test('a second language is added to a finished video, in sync, and can be selected during playback', async () => {
  const before = await videoIds();
  await put('/de?language=de&title=Deutsch', await makeSound('de.mp3', '-c:a', 'libmp3lame', '-ar', '44100'));
  const page = await browser.newPage(SMALL_PAGE);
  await untilReady('de');
  expect(await videoIds()).toEqual(before);
  const lines = await audioLines();
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/NAME="Deutsch",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,.*CHANNELS="2"/);
  await page.setContent('<video muted></video>');
  await page.addScriptTag({ path: HLS });
  await page.evaluate(
    (source) => {
      const element = document.querySelector('video');
      if (element === null) throw new Error('Expected a video element.');
      window.hls = new window.Hls({ startPosition: 0, maxBufferLength: 3 });
      window.hls.loadSource(source);
      window.hls.attachMedia(element);
      void element.play();
    },
    playlistUrl(service, guid),
  );
  const at = () => page.evaluate(() => document.querySelector('video')?.currentTime ?? 0);
  await expect.poll(at, PATIENCE).toBeGreaterThan(1);
  await page.evaluate(() => {
    window.hls.audioTrack = window.hls.audioTracks.findIndex(({ name }) => name === 'Deutsch');
  });
  const switchedAt = await at();
  await expect.poll(at, PATIENCE).toBeGreaterThan(switchedAt + 3);
  expect(await page.evaluate(() => window.hls.audioTracks[window.hls.audioTrack]?.lang)).toBe('de');
  await page.close();
});

test('the manifest and the playlists describe the purpose of an added track', async () => {
  await put('/ad?language=en&purpose=description', await makeSound('ad.wav', '-c:a', 'pcm_s16le'));
  await put('/talk?language=en&purpose=commentary&title=Director', await makeSound('talk.ogg', '-c:a', 'libopus'));
  await untilReady('ad');
  await untilReady('talk');
  const lines = await audioLines();
  const described = lines.find((line) => line.includes('NAME="English (audio description)"'));
  expect(described).toContain('CHARACTERISTICS="public.accessibility.describes-video"');
  expect(lines.find((line) => line.includes('NAME="Director"'))).toContain('AUTOSELECT=NO');
  const manifest = await read(playlistUrl(service, guid).replace('playlist.m3u8', 'manifest.mpd'));
  const sets = manifest.split('<AdaptationSet').filter((set) => set.includes('mimeType="audio/mp4"'));
  expect(sets).toHaveLength(lines.length);
  const setOf = (label: string) => sets.find((set) => set.includes(`<Label>${label}</Label>`)) ?? '';
  expect(setOf('Director')).toMatch(/<Role [^>]*value="commentary"/);
  const description = setOf('English (audio description)');
  expect(description).toMatch(/<Accessibility [^>]*urn:tva:metadata:cs:AudioPurposeCS:2007" value="1"/);
  expect(description).toMatch(/<Role [^>]*value="(description|alternate)"/);
});

test('truncates a longer file and pads a shorter file with silence', async () => {
  const filmSec = await lengthOf(await mediaUrl('Deutsch'));
  await put('/short?title=Short', await makeSound('short.m4a', '-t', '3', '-c:a', 'aac'));
  const long = await makeClip(folder, 'long.flac', ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=44100:d=30']);
  await put('/long?title=Long', long);
  await untilReady('short');
  await untilReady('long');
  for (const name of ['Short', 'Long']) expect(await lengthOf(await mediaUrl(name)), name).toBeCloseTo(filmSec, 1);
  const { stderr } = await run('ffmpeg', [
    '-nostdin',
    '-i',
    await mediaUrl('Short'),
    '-af',
    'silencedetect=d=4',
    '-f',
    'null',
    '-',
  ]);
  const from = Number(/silence_start: ([\d.]+)/.exec(stderr)?.[1]);
  expect(from).toBeGreaterThan(2);
  expect(from).toBeLessThan(3.1);
});

test('rejects a file without audio and a file that is not media, and reports the reason', async () => {
  const silent = await makeClip(folder, 'silent.mp4', ['-f', 'lavfi', '-i', 'testsrc=s=64x64:d=1', ...H264]);
  await put('/none?title=None', silent);
  await expect
    .poll(async () => (await list()).find(({ trackId }) => trackId === 'none')?.state, PATIENCE)
    .toBe('failed');
  expect((await list()).find(({ trackId }) => trackId === 'none')?.message).toContain('file with audio');
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  await call(service, 'DELETE', pathOf('/none'));
  expect((await audioLines()).join('\n')).not.toContain('None');
});

test('replaced audio stays in sync, and an encode of the whole video keeps the tracks', async () => {
  for (const id of ['ad', 'talk', 'short', 'long']) await call(service, 'DELETE', pathOf(`/${id}`));
  const old = await mediaUrl('Deutsch');
  await put('/de', await makeSound('other.wav', '-c:a', 'pcm_s24le', '-ar', '96000'));
  await untilReady('de');
  await expect.poll(() => mediaUrl('Deutsch'), PATIENCE).not.toBe(old);
  // Players that opened the previous playlist continue.
  expect(await lengthOf(old)).toBeGreaterThan(8);
  await call(service, 'POST', pathOf('/file-1'), { title: 'Original' });
  await call(service, 'DELETE', pathOf('/file-1'));
  await untilOffered();
  expect(await namesOf()).toEqual(['Deutsch']);
  const measured = async () => {
    const { points, largestMs } = await measureAvSync(playlistUrl(service, guid));
    expect(points.length).toBeGreaterThan(5);
    expect(largestMs).toBeLessThan(MAX_OFFSET_MS);
  };
  await measured();
  await call(service, 'POST', `/library/1/videos/${guid}/reencode`);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  await untilOffered();
  expect(await namesOf()).toEqual(['Deutsch']);
  expect(await list()).toMatchObject([
    { trackId: 'de', title: 'Deutsch', language: 'de', isDefault: true, state: 'ready' },
  ]);
  await measured();
});

test('an audio-only video is downloaded as audio, and shows its cover', async () => {
  const cover = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:d=0.1:r=10', '-map', '0', '-map', '1:v', '-frames:v', '1'];
  const picture = ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-disposition:v', 'attached_pic'];
  const sine = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:d=6'];
  const file = await makeClip(folder, 'podcast.mp3', [...sine, ...cover, ...picture, '-c:a', 'libmp3lame']);
  const podcast = await createVideo(service, 'Podcast');
  await uploadFile(service, podcast, file);
  await untilVideo(service, podcast, ({ status }) => status === FINISHED);
  const play = Object(await call(service, 'GET', `/library/1/videos/${podcast}/play`));
  expect(play.fallbackUrl).toMatch(/\/play_audio\.m4a$/);
  const answer = await fetch(`${play.fallbackUrl}?download=true`);
  expect(answer.headers.get('content-type')).toBe('audio/mp4');
  expect(answer.headers.get('content-disposition')).toContain('filename="Podcast.m4a"');
  const bytes = Buffer.from(await answer.arrayBuffer());
  const sound = path.join(folder, 'download.m4a');
  await writeFile(sound, bytes);
  const shown = ['-show_entries', 'stream=codec_name:format=duration', '-of', 'csv=p=0'];
  const { stdout, stderr } = await run('ffprobe', ['-v', 'warning', ...shown, sound]);
  const [codec, duration] = stdout.trim().split('\n');
  expect([codec, stderr]).toEqual(['aac', '']);
  expect(Number(duration)).toBeCloseTo(6, 1);
  const resolutions = Object(await call(service, 'GET', `/library/1/videos/${podcast}/resolutions`));
  expect(resolutions.data.mp4Resolutions).toEqual([{ resolution: 'audio', path: 'play_audio.m4a' }]);
  expect((await fetch(playlistUrl(service, guid).replace('playlist.m3u8', 'play_audio.m4a'))).status).toBe(404);
  expect((await fetch(play.thumbnailUrl)).headers.get('content-type')).toBe('image/jpeg');
});
