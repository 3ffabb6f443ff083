import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { addLibrary } from '../delivery/publish.ts';
import type { TestEdge } from '../delivery/start-test-edge.ts';
import { makeClip, untilState, upload } from '../jobs/worker-fixture.ts';
import { addOnDemandLibrary, type OnDemandFixture, startOnDemandFixture } from '../on-demand/on-demand-fixture.ts';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { CHANNELS_OF_51, channelTones, readToneLevels } from '../support/channel-tones.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import { GROUP_LIMIT_SEC } from './many.ts';

const run = promisify(execFile);
const HLS = path.resolve(import.meta.dirname, '../../node_modules/hls.js/dist/hls.min.js');
const PATIENCE = { timeout: 120_000 };
const SEC = 12;
const RATE_HZ = 48_000;

let fixture: OnDemandFixture;
let edge: TestEdge;
let browser: Browser;
let encoded: MediaKey;
let copied: MediaKey;
let onDemand: MediaKey;
let alone: MediaKey;
let copySource: string;
beforeAll(async () => {
  [fixture, browser] = await Promise.all([startOnDemandFixture(), openBrowser()]);
  edge = await fixture.edgeFixture.start({ storage: fixture.storage });
  await fixture.startWorker();
  const encoding = { rungs: [240, 480], surroundAudio: true };
  const library = await addLibrary(fixture.database.db, { encoding });
  const onDemandLibrary = await addOnDemandLibrary(fixture, encoding.rungs, { surroundAudio: true });
  const picture = ['-f', 'lavfi', '-i', `testsrc=s=640x480:r=5:d=${SEC}`, '-c:v', 'mpeg4', '-q:v', '6'];
  const sound = channelTones('5.1', CHANNELS_OF_51, SEC);
  const stereo = ['-f', 'lavfi', '-i', `anoisesrc=c=pink:r=${RATE_HZ}:a=0.2:d=${SEC}`];
  const [tracks, named] = [
    [...picture.slice(0, 4), ...sound, ...stereo, '-map', '0', '-map', '1', '-map', '2', ...picture.slice(4)],
    ['-metadata:s:a:0', 'title=Main', '-metadata:s:a:1', 'title=Other', '-metadata:s:a:1', 'language=fra'],
  ];
  const first = await makeClip(fixture, 'six.mkv', ...tracks, ...named, '-c:a', 'ac3', '-b:a', '448k', '-ac:a:1', '2');
  copySource = await makeClip(
    fixture,
    'six.mp4',
    ...tracks.slice(0, 8),
    ...picture.slice(4),
    '-c:a',
    'aac',
    '-b:a',
    '400k',
  );
  const music = await makeClip(fixture, 'six.flac', ...sound);
  [encoded, copied] = [await upload(fixture, library, first), await upload(fixture, library, copySource)];
  [onDemand, alone] = [await upload(fixture, onDemandLibrary, first), await upload(fixture, library, music)];
  for (const key of [encoded, copied, alone]) await untilState(fixture, key, 'finished');
  await untilState(fixture, onDemand, 'jit-ready');
}, GROUP_LIMIT_SEC * 1000);
afterAll(async () => {
  await browser?.close();
  await edge?.close();
  await fixture?.stop();
});

const folder = ({ libraryId, mediaId }: MediaKey) => `${edge.base}/vz-${libraryId}/${mediaId}`;
const read = async (key: MediaKey, name: string) => (await fetch(`${folder(key)}/${name}`)).text();

/** Returns the URL of the playlist of the first 5.1 track. */
async function surroundOf(key: MediaKey): Promise<string> {
  const playlist = await read(key, 'playlist.m3u8');
  const uri = /GROUP-ID="audio-5.1".*URI="([^"]+)"/.exec(playlist)?.[1];
  if (uri === undefined) throw new Error(`Expected a group of 5.1, got ${playlist}`);
  return uri;
}

/** Downloads a track as one file. */
async function download(key: MediaKey, address: string): Promise<string> {
  const file = path.join(fixture.clips, `${key.mediaId}.mp4`);
  const playlist = await read(key, address);
  const base = path.posix.dirname(address);
  const names = [/EXT-X-MAP:URI="([^"]+)"/.exec(playlist)?.[1] ?? '', ...(playlist.match(/^[^#\s].*$/gm) ?? [])];
  const parts = await Promise.all(
    names.map(async (name) => Buffer.from(await (await fetch(`${folder(key)}/${base}/${name}`)).arrayBuffer())),
  );
  await writeFile(file, Buffer.concat(parts));
  return file;
}

test.each(['encoded', 'copied', 'on demand', 'alone'])(
  "each channel's tone is only in its own channel, %s",
  async (way) => {
    const key = { encoded, copied, 'on demand': onDemand }[way] ?? alone;
    const file = await download(key, await surroundOf(key));
    const levels = await readToneLevels(file, CHANNELS_OF_51, 4);
    for (const [channel, heard] of levels.entries()) {
      for (const [tone, db] of heard.entries()) {
        if (tone === channel) expect(Math.abs(db), `tone ${tone} in its channel`).toBeLessThan(1);
        else expect(db, `tone ${tone} in channel ${channel}`).toBeLessThan(-40);
      }
    }
  },
);

test('copies 5.1 AAC, and encodes other audio', async () => {
  const hashes = async (file: string) => {
    const argv = ['-v', 'error', '-i', file, '-map', '0:a:0', '-c', 'copy', '-f', 'framehash', '-'];
    const { stdout } = await run('ffmpeg', argv, { maxBuffer: 2 ** 24 });
    return stdout.split('\n').flatMap((line) => (line.startsWith('#') ? [] : [line.split(',').at(-1)?.trim() ?? '']));
  };
  const kept = new Set(await hashes(copySource));
  const shown = (await hashes(await download(copied, await surroundOf(copied)))).filter((hash) => hash !== '');
  expect(shown.length).toBeGreaterThan((SEC * RATE_HZ) / 1024 - 2);
  expect(shown.filter((hash) => kept.has(hash)).length / shown.length).toBeGreaterThan(0.98);
});

test('lists 5.1 as a separate group after stereo, with the same names, for rungs above 360p', async () => {
  const playlist = await read(encoded, 'playlist.m3u8');
  expect(checkPlaylist(playlist)).toEqual([]);
  const media = playlist.split('\n').filter((line) => line.includes('TYPE=AUDIO'));
  const facts = media.map((line) =>
    [/GROUP-ID="([^"]+)"/, /NAME="([^"]+)"/, /CHANNELS="(\d+)"/, /DEFAULT=(\w+)/].map((field) => field.exec(line)?.[1]),
  );
  expect(facts).toEqual([
    ['audio', 'Main', '2', 'YES'],
    ['audio', 'Other', '2', 'NO'],
    ['audio-5.1', 'Main', '6', 'YES'],
    ['audio-5.1', 'Other', '2', 'NO'],
    ['audio-low', 'Main', '2', 'YES'],
    ['audio-low', 'Other', '2', 'NO'],
  ]);
  const variants = [...playlist.matchAll(/STREAM-INF:.*RESOLUTION=\d+x(\d+).*AUDIO="([^"]+)"/g)];
  expect(variants.map(([, height, group]) => `${height} ${group}`)).toEqual([
    '480 audio',
    '240 audio-low',
    '480 audio-5.1',
  ]);
});

test('lists 5.1 as a second variant of an audio-only video', async () => {
  const playlist = await read(alone, 'playlist.m3u8');
  expect(checkPlaylist(playlist)).toEqual([]);
  const variants = [...playlist.matchAll(/STREAM-INF:BANDWIDTH=(\d+).*CODECS="([^"]+)".*AUDIO="([^"]+)"/g)];
  expect(variants.map(([, , codecs, group]) => `${codecs} ${group}`)).toEqual([
    'mp4a.40.2 audio',
    'mp4a.40.2 audio-5.1',
  ]);
  expect(new Set(variants.map(([, peakBps]) => peakBps)).size).toBe(1);
  expect([...playlist.matchAll(/CHANNELS="(\d)"/g)].map(([, channels]) => channels)).toEqual(['2', '6']);
});

test('DASH has a 5.1 adaptation set that players choose after stereo', async () => {
  const manifest = await read(encoded, 'manifest.mpd');
  const sets = manifest.match(/<AdaptationSet[^>]*contentType="audio".*?<\/AdaptationSet>/gs) ?? [];
  const facts = sets.map((set) => [
    /lang="(\w+)"/.exec(set)?.[1],
    /selectionPriority="(\d)"/.exec(set)?.[1],
    new Set([...set.matchAll(/AudioChannelConfiguration[^>]*value="(\d)"/g)].map(([, channels]) => channels)),
  ]);
  expect(facts).toEqual([
    ['und', '3', new Set(['2'])],
    ['und', undefined, new Set(['6'])],
    ['fr', undefined, new Set(['2'])],
  ]);
});

test('hls.js starts and stays in stereo, and continues in 5.1 when selected', async () => {
  const page = await browser.newPage(SMALL_PAGE);
  await page.setContent('<video muted></video>');
  await page.addScriptTag({ path: HLS });
  const player = await page.evaluateHandle(
    async (url) => {
      const element = document.querySelector('video') as HTMLVideoElement;
      const hls = new window.Hls();
      const groups: string[] = [];
      const fatal: string[] = [];
      hls.on(window.Hls.Events.ERROR, (_, { details, fatal: isFatal }) => {
        if (isFatal || details === 'bufferSeekOverHole') fatal.push(details);
      });
      hls.on(window.Hls.Events.FRAG_BUFFERED, (_, { frag }) => {
        if (frag.type === 'audio') groups.push(hls.audioTracks[hls.audioTrack]?.groupId ?? '');
      });
      hls.loadSource(url);
      hls.attachMedia(element);
      void element.play();
      return { hls, element, groups, fatal };
    },
    `${folder(encoded)}/playlist.m3u8`,
  );
  const heard = () => player.evaluate(({ groups }) => [...new Set(groups)]);
  const position = () => player.evaluate(({ element }) => element.currentTime);
  await expect
    .poll(() => player.evaluate(({ element }) => element.buffered.length > 0 && element.buffered.end(0)), PATIENCE)
    .toBeGreaterThan(SEC - 1);
  expect(await heard()).not.toContain('audio-5.1');
  const channels = await player.evaluate(({ hls }) =>
    hls.audioTracks.map(({ channels, name }) => `${name} ${channels}`),
  );
  expect(channels).toEqual(['Main 2', 'Other 2', 'Main 6', 'Other 2']);
  await player.evaluate(({ hls }) => {
    hls.audioTrack = 2;
  });
  await expect.poll(heard, PATIENCE).toContain('audio-5.1');
  const before = await position();
  await expect.poll(position, PATIENCE).toBeGreaterThan(before + 1);
  expect(await player.evaluate(({ fatal }) => fatal)).toEqual([]);
  await page.close();
});

test('the player page starts in stereo', async () => {
  const page = await browser.newPage(SMALL_PAGE);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${edge.base}/embed/${encoded.libraryId}/${encoded.mediaId}?autoplay=true&muted=true`);
  const position = () => page.evaluate(() => document.querySelector('video')?.currentTime ?? 0);
  await expect.poll(position, PATIENCE).toBeGreaterThan(1);
  const wide = path.posix.dirname(await surroundOf(encoded));
  expect(asked.filter((name) => name.includes('.m4s')).length).toBeGreaterThan(1);
  expect(asked.filter((name) => name.includes(wide))).toEqual([]);
  await page.close();
});
