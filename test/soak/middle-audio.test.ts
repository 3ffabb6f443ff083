import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { completeRecordings } from '../../src/jobs/planning/complete-recordings.ts';
import { DASH_JS, openScriptPage, playInShaka, SHAKA } from '../delivery/in-page.ts';
import { type LiveFixture, openLiveFixture } from '../live/live-fixture.ts';
import { ended, startLive, type TestStream, until } from '../live/live-service.ts';
import { WATCHERS } from '../live/live-watchers.ts';
import { playRecording } from '../live/play-recording.ts';
import { countSegments } from '../live/read-recording.ts';
import { syncSourceArgv } from '../support/av-sync.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { Firefox } from '../support/firefox.ts';
import { onceARun } from '../support/once-a-run.ts';
import { FINISHED, untilVideo } from '../support/videos.ts';

const PART_SEC = 7;
/** Seconds that a recording may be shorter than its publishers sent, because they start slowly. */
const MAX_LOSS_SEC = 3;
const PATIENCE = { timeout: 120_000 };
const X264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-g', '60', '-bf', '2'];

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' });
});
afterAll(() => fixture.close());

type Part = { hasVideo: boolean; rate: number; lengthSec?: number };

/** Publishes some seconds of flashes and beeps. */
async function publishPart({ ingest }: TestStream, { hasVideo, rate, lengthSec = PART_SEC }: Part): Promise<void> {
  const clip = await onceARun(`part-${hasVideo ? 'video' : 'audio'}-${rate}-${lengthSec}.mp4`, async (place) => {
    const argv = [...(hasVideo ? X264 : ['-vn']), '-c:a', 'aac', '-ar', `${rate}`];
    const source = syncSourceArgv({ lengthSec });
    await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...source, ...argv, place]);
  });
  const argv = ['-nostdin', '-v', 'error', '-re', '-i', clip, '-c', 'copy', '-f', 'flv', ingest];
  await ended(endWithTest(spawn('ffmpeg', argv, { stdio: 'ignore' })));
}

/** Plays the recording in the player page of Firefox. Returns the position at its end. */
async function playInFirefox({ key }: TestStream): Promise<{ endedAtSec: number; faults: string[] }> {
  const firefox = await Firefox.launch();
  onTestFinished(() => firefox.close());
  const page = await firefox.newPage(480, 270);
  await page.goto(`${fixture.service.edgeUrl}/embed/${key.libraryId}/${key.mediaId}?autoplay=true&muted=true`);
  const read = () =>
    page.evaluate(() => {
      const video = document.querySelector('video');
      return { isEnded: video?.ended === true, sec: video?.currentTime ?? 0 };
    });
  await expect
    .poll(async () => (await read()).isEnded, PATIENCE)
    .toBe(true)
    .catch(() => undefined);
  return { endedAtSec: (await read()).sec, faults: page.faults };
}

/** The part of the dash.js API that this test uses. */
type DashJs = {
  MediaPlayer(): {
    create(): {
      on(type: 'error', listener: (event: { error: { message?: string } }) => void): void;
      initialize(video: HTMLVideoElement, address: string, autoPlay: boolean): void;
    };
  };
};

/** Runs in a page: plays a manifest to its end with dash.js. */
function playInDashJs(address: string): Promise<{ endedAtSec: number; errors: string[] }> {
  const video = document.querySelector('video') as HTMLVideoElement;
  // The script tag defined the single export of dash.js as a global.
  const { dashjs } = window as unknown as { dashjs: DashJs };
  const errors: string[] = [];
  const player = dashjs.MediaPlayer().create();
  player.on('error', ({ error }) => void errors.push(error?.message ?? String(error)));
  player.initialize(video, address, true);
  return new Promise((resolve) => {
    const done = () => resolve({ endedAtSec: video.currentTime, errors });
    video.addEventListener('ended', done);
    setTimeout(done, 90_000);
  });
}

test('a recording with audio alone in its middle plays to its end in browsers, over HLS and DASH', async () => {
  const stream = await startLive(fixture);
  const { key, base } = stream;
  for (const hasVideo of [true, false, true]) await publishPart(stream, { hasVideo, rate: hasVideo ? 48_000 : 44_100 });
  await fixture.catalogue.streams.change(key, stopStream);
  await until(async () => ((await fixture.catalogue.streams.load(key)).isVideo ? true : null), 'the recording');
  await completeRecordings(fixture.catalogue.database, new AbortController().signal);
  await untilVideo(fixture.service, key.mediaId, ({ status }) => status === FINISHED);
  const origin = fixture.service.edgeUrl;
  const [shaka, dash] = [
    await openScriptPage(fixture.browser, origin, SHAKA),
    await openScriptPage(fixture.browser, origin, DASH_JS),
  ];
  const chromium = await playRecording(fixture, stream);
  const found = {
    chromium,
    firefox: await playInFirefox(stream),
    shakaDash: await playInShaka(shaka, `${base}/manifest.mpd`),
    dashJs: await dash.evaluate(playInDashJs, `${base}/manifest.mpd`),
  };
  const leastSec = 3 * PART_SEC - MAX_LOSS_SEC;
  expect(chromium).toMatchObject({ leftSec: 0, ranges: 1, widthPx: 320 });
  expect(chromium.lengthSec).toBeGreaterThan(leastSec);
  for (const { endedAtSec } of [found.firefox, found.shakaDash, found.dashJs])
    expect(endedAtSec).toBeGreaterThan(chromium.lengthSec - 1);
  expect([...found.firefox.faults, ...found.shakaDash.errors, ...found.dashJs.errors]).toEqual([]);
}, 500_000);

const LIVE_PLAYERS = ['player page', 'hls.js', 'Shaka, HLS', 'Shaka, DASH', 'dash.js'] as const;
/** Lengths of the parts in seconds. dash.js joins reliably after a few segments. */
const LIVE_SECS = [20, 12, 20] as const;

test.each([
  { title: 'the same audio', rate: 48_000 },
  { title: 'other audio parameters', rate: 44_100 },
])('players of a stream continue across audio alone, with $title', { timeout: 300_000 }, async ({ rate }) => {
  const stream = await startLive(fixture);
  const place = { browser: fixture.browser, origin: fixture.service.edgeUrl, stream };
  const first = publishPart(stream, { hasVideo: true, rate: 48_000, lengthSec: LIVE_SECS[0] });
  await until(async () => ((await countSegments(stream.base)) >= 5 ? true : null), 'segments');
  const watchers = await Promise.all(LIVE_PLAYERS.map(async (name) => ({ name, ...(await WATCHERS[name](place)) })));
  await first;
  await publishPart(stream, { hasVideo: false, rate, lengthSec: LIVE_SECS[1] });
  await publishPart(stream, { hasVideo: true, rate: 48_000, lengthSec: LIVE_SECS[2] });
  const found = await Promise.all(watchers.map(async ({ name, read }) => ({ name, ...(await read()) })));
  for (const { close } of watchers) await close();
  for (const { name, playedSec, holes, stalls } of found) {
    // The audio has a discontinuity where its parameters change.
    expect(holes.length, `${name}: ${holes}`).toBeLessThanOrEqual(rate === 48_000 ? 0 : 2);
    // Each return of the encoder is an outage of some seconds.
    expect(stalls.length, `${name}: ${stalls}`).toBeLessThanOrEqual(2);
    // Shaka waits for up to 9 s at a discontinuity of HLS.
    expect(playedSec, name).toBeGreaterThan(LIVE_SECS[1] + LIVE_SECS[2] - 8);
  }
});
