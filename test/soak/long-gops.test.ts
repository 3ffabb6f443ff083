import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectPlaylists } from '../live/collect-playlists.ts';
import { type LiveFixture, openLiveFixture } from '../live/live-fixture.ts';
import { playLive, readPlayback } from '../live/live-player.ts';
import { ended, readText, startLive, until } from '../live/live-service.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { checkReloads } from '../support/rfc8216/live/check-reloads.ts';
import { readLivePlaylist } from '../support/rfc8216/live/read-live-playlist.ts';

const RATE = 12;
const GOP_SEC = 15;

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' });
});
afterAll(() => fixture.close());

function publishLongGop(url: string, options: readonly string[]) {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=320x180:rate=${RATE}`];
  const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
  const gop = ['-g', `${GOP_SEC * RATE}`, '-keyint_min', `${GOP_SEC * RATE}`, '-sc_threshold', '0'];
  const argv = ['-nostdin', '-v', 'error', '-re', ...picture, '-re', ...tone, '-t', `${3 * GOP_SEC + 2}`];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', ...gop, ...options, '-c:a', 'aac', '-f', 'flv', url];
  return endWithTest(spawn('ffmpeg', [...argv, ...codecs], { stdio: ['ignore', 'ignore', 'pipe'] }));
}

/** `npm test` has only the first case. */
const CASES = [
  { title: 'in its settings', options: [] },
  { title: 'nowhere', options: ['-bsf:v', 'filter_units=remove_types=6'] },
];

test.each(process.env.MODE === 'soak' ? CASES : CASES.slice(0, 1))(
  'a keyframe interval of 15 s, announced $title, results in one constant target duration',
  { timeout: 180_000 },
  async ({ options }) => {
    const stream = await startLive(fixture);
    const publisher = publishLongGop(stream.ingest, options);
    const address = `${stream.base}/playlist.m3u8`;
    await until(() => readText(address), 'a playlist', 60_000);
    const [{ byPlaylist, stop }, page] = await Promise.all([
      collectPlaylists(stream.base),
      playLive(fixture.browser, fixture.service.edgeUrl, address),
    ]);
    await until(async () => ((await readPlayback(page)).timeSec >= GOP_SEC * 2 + 3 ? true : null), 'playback', 90_000);
    const { holes } = await readPlayback(page);
    await page.close();
    await ended(publisher);
    await stop();
    expect(holes).toEqual([]);
    const media = [...byPlaylist.values()].filter(([text]) => text?.includes('#EXT-X-I-FRAMES-ONLY') === false);
    expect(media).toHaveLength(2);
    for (const texts of media) {
      expect([...new Set(texts.map((text) => readLivePlaylist(text).targetSec))]).toEqual([GOP_SEC]);
      expect(checkReloads(texts)).toEqual([]);
      expect(texts[0]).toContain('#EXTINF');
    }
  },
);
