import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { addLibrary } from '../delivery/publish.ts';
import type { TestEdge } from '../delivery/start-test-edge.ts';
import { makeClip, untilState, upload } from '../jobs/worker-fixture.ts';
import { type OnDemandFixture, startOnDemandFixture } from '../on-demand/on-demand-fixture.ts';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import { GROUP_LIMIT_SEC } from './many.ts';

const HLS = path.resolve(import.meta.dirname, '../../node_modules/hls.js/dist/hls.min.js');
const PATIENCE = { timeout: 120_000 };
const SEC = 20;
/**
 * Errors of hls.js that a forced change at each segment may cause: it cancels requests and appends the current audio
 * segment again, and a loaded machine may stall. A hole in the buffer is not allowed: hls.js reports it as another
 * error when it skips it.
 */
const OF_FORCED_CHANGES = ['aborted', 'bufferAppendNoProgress', 'bufferStalledError'];

let fixture: OnDemandFixture;
let edge: TestEdge;
let browser: Browser;
let film: MediaKey;
beforeAll(async () => {
  [fixture, browser] = await Promise.all([startOnDemandFixture(), openBrowser()]);
  edge = await fixture.edgeFixture.start({ storage: fixture.storage });
  await fixture.startWorker();
  const library = await addLibrary(fixture.database.db, { encoding: { rungs: [240, 360, 480] } });
  const picture = ['-f', 'lavfi', '-i', `testsrc=s=640x480:r=5:d=${SEC}`];
  const noise = ['-f', 'lavfi', '-i', `anoisesrc=c=pink:r=48000:a=0.4:d=${SEC}`];
  const argv = [...picture, ...noise, ...noise, '-map', '0', '-map', '1', '-map', '2'];
  const names = ['-metadata:s:a:0', 'title=Main', '-metadata:s:a:1', 'title=Other', '-metadata:s:a:1', 'language=fra'];
  const clip = await makeClip(fixture, 'two.mkv', ...argv, ...names, '-ac', '2', '-c:v', 'mpeg4', '-c:a', 'pcm_s16le');
  film = await upload(fixture, library, clip);
  await untilState(fixture, film, 'finished');
}, GROUP_LIMIT_SEC * 1000);
afterAll(async () => {
  await browser?.close();
  await edge?.close();
  await fixture?.stop();
});

const folder = () => `${edge.base}/vz-${film.libraryId}/${film.mediaId}`;
const read = async (name: string) => (await fetch(`${folder()}/${name}`)).text();

test('lists rungs up to 360p with audio at 64 kbit/s instead of 128 kbit/s', async () => {
  const playlist = await read('playlist.m3u8');
  expect(checkPlaylist(playlist)).toEqual([]);
  const groups = [...playlist.matchAll(/TYPE=AUDIO,GROUP-ID="([^"]+)",NAME="([^"]+)".*DEFAULT=(\w+)/g)];
  expect(groups.map(([, group, name, isDefault]) => `${group} ${name} ${isDefault}`)).toEqual([
    'audio Main YES',
    'audio Other NO',
    'audio-low Main YES',
    'audio-low Other NO',
  ]);
  const heights = [...playlist.matchAll(/RESOLUTION=\d+x(\d+).*AUDIO="([^"]+)"/g)].map(([, rung, group]) => [
    rung,
    group,
  ]);
  expect(Object.fromEntries(heights)).toEqual({ 480: 'audio', 360: 'audio-low', 240: 'audio-low' });
  const last = /AVERAGE-BANDWIDTH=(\d+),CODECS="mp4a.40.2",AUDIO="audio-low"/.exec(playlist)?.[1];
  expect(Number(last)).toBeGreaterThan(50_000);
  expect(Number(last)).toBeLessThan(75_000);
});

test('DASH contains both audio bitrates in one adaptation set per track', async () => {
  const manifest = await read('manifest.mpd');
  const sets = manifest.match(/<AdaptationSet[^>]*contentType="audio".*?<\/AdaptationSet>/gs) ?? [];
  const rates = sets.map((set) => [...set.matchAll(/bandwidth="(\d+)"/g)].map(([, bps]) => Number(bps)));
  expect(rates).toHaveLength(2);
  for (const [high = 0, low = 0] of rates) {
    expect(low).toBeGreaterThan(50_000);
    expect(low / high).toBeLessThan(0.6);
  }
});

test('hls.js switches audio bitrates without a gap, and reloads at most one audio segment per switch', async () => {
  const page = await browser.newPage(SMALL_PAGE);
  await page.setContent('<video muted></video>');
  await page.addScriptTag({ path: HLS });
  const loaded = await page.evaluateHandle(async (url) => {
    const element = document.querySelector('video') as HTMLVideoElement;
    const hls = new window.Hls({ startLevel: 0 });
    const audio: { segment: number; group: string }[] = [];
    const faults: string[] = [];
    const changes: string[] = [];
    hls.on(window.Hls.Events.AUDIO_TRACK_SWITCHING, (_, { groupId }) => changes.push(groupId));
    hls.on(window.Hls.Events.ERROR, (_, { details }) => faults.push(details));
    hls.on(window.Hls.Events.FRAG_BUFFERED, (_, { frag }) => {
      if (frag.type === 'main') hls.loadLevel = hls.loadLevel === 0 ? hls.levels.length - 1 : 0;
      if (frag.type !== 'audio' || frag.sn === 'initSegment') return;
      audio.push({ segment: frag.sn, group: hls.audioTracks[hls.audioTrack]?.groupId ?? '' });
    });
    hls.loadSource(url);
    hls.attachMedia(element);
    element.playbackRate = 2;
    void element.play();
    return { element, audio, faults, changes };
  }, `${folder()}/playlist.m3u8`);
  const state = () =>
    loaded.evaluate(({ element, audio, faults, changes }) => ({
      isEnded: element.ended,
      ranges: Array.from({ length: element.buffered.length }, (_, index) => [
        element.buffered.start(index),
        element.buffered.end(index),
      ]),
      audio,
      faults,
      changes: changes.length - 1,
    }));
  await expect.poll(async () => (await state()).isEnded, PATIENCE).toBe(true);
  const { ranges, audio, faults, changes } = await state();
  expect(ranges).toHaveLength(1);
  expect(ranges[0]?.[0]).toBeLessThan(0.1);
  expect(ranges[0]?.[1]).toBeGreaterThan(SEC - 0.2);
  const again = audio.length - new Set(audio.map(({ segment }) => segment)).size;
  expect(changes).toBeGreaterThan(0);
  expect(again).toBeLessThanOrEqual(changes);
  expect(new Set(audio.map(({ group }) => group))).toEqual(new Set(['audio', 'audio-low']));
  expect(faults.filter((fault) => !OF_FORCED_CHANGES.includes(fault))).toEqual([]);
  await page.close();
});
