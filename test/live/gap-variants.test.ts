import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSyncClip, publishWithGaps } from './gap-publisher.ts';
import { faultsOf, playLive, readPlayback } from './live-player.ts';
import { type LiveRoom, openLiveRoom } from './live-room.ts';
import { ended, readText, startLive, until } from './live-service.ts';
import { videoAddressesOf } from './read-recording.ts';

let room: LiveRoom;
beforeAll(async () => {
  room = await openLiveRoom({ MILLRACE_LIVE_CORES: '1' });
});
afterAll(() => room.close());

/** Settings with which hls.js stays at the lowest variant. */
const LOWEST = { startLevel: 0, abrBandWidthFactor: 0.001, abrBandWidthUpFactor: 0.001 };

const heightOf = (page: Page) => page.evaluate(() => document.querySelector('video')?.videoHeight);

test('an encoded rung, and players without partial segments, go on over gaps of sound and picture', async () => {
  const [stream, clip] = [await startLive(room), await makeSyncClip('640x360')];
  const away = { audio: [[7, 10]], video: [[13, 16]] } as const;
  const publisher = publishWithGaps(stream.ingest, clip, away);
  const address = `${stream.base}/playlist.m3u8`;
  const hasRung = async () => (videoAddressesOf((await readText(address)) ?? '').length > 1 ? true : null);
  await until(hasRung, 'a playlist with a rung');
  const play = (settings: Parameters<typeof playLive>[3]) =>
    playLive(room.browser, room.service.edgeUrl, address, settings);
  const pages = [await play(LOWEST), await play({ lowLatencyMode: false })] as const;
  for (const page of pages) {
    await until(async () => ((await readPlayback(page)).timeSec > 19 ? true : null), 'playback', 60_000);
  }
  const found = await Promise.all(pages.map(readPlayback));
  expect(await heightOf(pages[0])).toBe(240);
  for (const page of pages) await page.close();
  publisher.kill('SIGKILL');
  await ended(publisher);
  for (const { errors, holes } of found) expect({ holes, faults: faultsOf(errors) }).toEqual({ holes: [], faults: [] });
}, 180_000);
