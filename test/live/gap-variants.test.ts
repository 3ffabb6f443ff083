import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSyncClip, publishWithGaps } from './gap-publisher.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { faultsOf, playLive, readPlayback } from './live-player.ts';
import { BOUNDED, ended, readText, startLive, until } from './live-service.ts';
import { readPeriods, videoAddressesOf } from './read-recording.ts';

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '1' });
});
afterAll(() => fixture.close());

/** Settings with which hls.js stays at the lowest variant. */
const LOWEST = { startLevel: 0, abrBandWidthFactor: 0.001, abrBandWidthUpFactor: 0.001 };

/** Returns the times of the frames of a file, and of its keyframes, in seconds. */
async function framesOf(file: string): Promise<{ sec: number; isKey: boolean }[]> {
  const argv = [
    '-v',
    'error',
    '-select_streams',
    'v',
    '-show_entries',
    'packet=pts_time,flags',
    '-of',
    'csv=p=0',
    file,
  ];
  const { stdout } = await promisify(execFile)('ffprobe', argv, BOUNDED);
  return [...stdout.matchAll(/^([\d.]+),(\S*)/gm)].map(([, sec, flags]) => {
    return { sec: Number(sec), isKey: flags?.includes('K') === true };
  });
}

const heightOf = (page: Page) => page.evaluate(() => document.querySelector('video')?.videoHeight);

test('an encoded rung, and players without partial segments, continue across audio and video gaps', async () => {
  const [stream, clip] = [await startLive(fixture), await makeSyncClip('640x360')];
  const away = { audio: [[7, 10]], video: [[13, 16]] } as const;
  const publisher = publishWithGaps(stream.ingest, clip, away);
  const address = `${stream.base}/playlist.m3u8`;
  const hasRung = async () => (videoAddressesOf((await readText(address)) ?? '').length > 1 ? true : null);
  await until(hasRung, 'a playlist with a rung');
  const play = (settings: Parameters<typeof playLive>[3]) =>
    playLive(fixture.browser, fixture.service.edgeUrl, address, settings);
  const pages = [await play(LOWEST), await play({ lowLatencyMode: false })] as const;
  for (const page of pages) {
    await until(async () => ((await readPlayback(page)).timeSec > 19 ? true : null), 'playback', 60_000);
  }
  const found = await Promise.all(pages.map(readPlayback));
  expect(await heightOf(pages[0])).toBe(240);
  for (const page of pages) await page.close();
  const rung = videoAddressesOf((await readText(address)) ?? '').at(-1);
  const [frames = []] = await readPeriods(`${stream.base}/${rung}`, framesOf);
  publisher.kill('SIGKILL');
  await ended(publisher);
  const held = frames.filter(({ sec }) => sec > 13.5 && sec < 15.5);
  expect(held.length).toBeGreaterThan(20);
  expect(held.filter(({ isKey }) => isKey).length).toBeLessThanOrEqual(1);
  for (const { errors, holes } of found) expect({ holes, faults: faultsOf(errors) }).toEqual({ holes: [], faults: [] });
}, 180_000);
