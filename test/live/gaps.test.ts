import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { type AvSync, measureAvSync } from '../support/av-sync.ts';
import { type Away, makeSyncClip, publishWithGaps } from './gap-publisher.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { faultsOf, playLive, readPlayback } from './live-player.ts';
import { ended, readText, startLive, type TestStream, until } from './live-service.ts';
import { mediaPlaylistOf } from './read-recording.ts';

const MAX_OFFSET_MS = 20;

let fixture: LiveFixture;
let clip: string;
beforeAll(async () => {
  [fixture, clip] = await Promise.all([openLiveFixture({ MILLRACE_LIVE_CORES: '0' }), makeSyncClip()]);
});
afterAll(() => fixture.close());

const rtmpOf = ({ ingest }: TestStream) => ingest;
const srtOf = ({ listeners, streamKey }: TestStream) =>
  `srt://127.0.0.1:${listeners.srt}?streamid=publish:${streamKey}`;

async function untilPlayed(page: Awaited<ReturnType<typeof playLive>>, sec: number): Promise<void> {
  await until(async () => ((await readPlayback(page)).timeSec >= sec ? true : null), `${sec} s of playback`, 90_000);
}

async function recordingOf(stream: TestStream): Promise<AvSync> {
  await fixture.catalogue.streams.change(stream.key, stopStream);
  await until(async () => {
    const text = await readText(await mediaPlaylistOf(stream.base));
    return text?.includes('#EXT-X-ENDLIST') ? true : null;
  }, 'the video');
  return measureAvSync(`${stream.base}/playlist.m3u8`);
}

const near = (times: readonly number[]) => times.map((sec) => Math.round(sec * 2) / 2);

const CASES: {
  title: string;
  address: (stream: TestStream) => string;
  away: Away;
  playSec: number;
  silentSec: number[];
  darkSec: number[];
}[] = [
  {
    title: 'RTMP, audio missing for 5 s',
    address: rtmpOf,
    away: { audio: [[5.5, 10.5]] },
    playSec: 15,
    silentSec: [6, 7, 8, 9, 10],
    darkSec: [],
  },
  {
    title: 'SRT, audio missing twice',
    address: srtOf,
    away: {
      audio: [
        [4.5, 6.5],
        [8.5, 11.5],
      ],
    },
    playSec: 15,
    silentSec: [5, 6, 9, 10, 11],
    darkSec: [],
  },
  {
    title: 'RTMP, audio begins after 3 s',
    address: rtmpOf,
    away: { audio: [[0, 3.5]] },
    playSec: 8,
    silentSec: [1, 2, 3],
    darkSec: [],
  },
  {
    title: 'RTMP, video missing for 5 s',
    address: rtmpOf,
    away: { video: [[5.5, 10]] },
    playSec: 15,
    silentSec: [],
    darkSec: [6, 7, 8, 9],
  },
];

const LIMIT = { timeout: 240_000 };

test.each(CASES)(
  'playback and recording continue across a gap: $title',
  LIMIT,
  async ({ address, away, playSec, silentSec, darkSec }) => {
    const stream = await startLive(fixture);
    const publisher = publishWithGaps(address(stream), clip, away);
    await until(() => readText(`${stream.base}/playlist.m3u8`), 'a playlist');
    const page = await playLive(fixture.browser, fixture.service.edgeUrl, `${stream.base}/playlist.m3u8`);
    await untilPlayed(page, 3);
    await untilPlayed(page, playSec);
    const { errors, holes } = await readPlayback(page);
    await page.close();
    publisher.kill('SIGKILL');
    await ended(publisher);
    const sync = await recordingOf(stream);
    expect(holes).toEqual([]);
    expect(faultsOf(errors)).toEqual([]);
    expect(sync.largestMs).toBeLessThan(MAX_OFFSET_MS);
    expect(sync.points.length).toBeGreaterThan(4);
    expect(sync.soundHoles).toEqual([]);
    expect(near(sync.silentFlashesSec).slice(0, silentSec.length)).toEqual(silentSec);
    expect(near(sync.darkBeepsSec).slice(0, darkSec.length)).toEqual(darkSec);
  },
);

test('an encoder that reconnects twice causes neither a gap nor a jump of the programme clock', LIMIT, async () => {
  const stream = await startLive(fixture);
  const first = publishWithGaps(rtmpOf(stream), clip);
  await until(() => readText(`${stream.base}/playlist.m3u8`), 'a playlist');
  const page = await playLive(fixture.browser, fixture.service.edgeUrl, `${stream.base}/playlist.m3u8`);
  await untilPlayed(page, 4);
  let publisher = first;
  for (let turn = 0; turn < 2; turn += 1) {
    publisher.kill('SIGKILL');
    await ended(publisher);
    await sleep(4_000);
    const { timeSec } = await readPlayback(page);
    publisher = publishWithGaps(rtmpOf(stream), clip);
    await untilPlayed(page, timeSec + 10);
  }
  const { errors, holes } = await readPlayback(page);
  const text = (await readText(await mediaPlaylistOf(stream.base))) ?? '';
  await page.close();
  publisher.kill('SIGKILL');
  const sync = await recordingOf(stream);
  expect(text.match(/#EXT-X-PROGRAM-DATE-TIME/g)).toHaveLength(1);
  expect(holes).toEqual([]);
  expect(faultsOf(errors, 2)).toEqual([]);
  expect(sync.largestMs).toBeLessThan(MAX_OFFSET_MS);
  expect(sync.soundHoles).toEqual([]);
  // A killed publisher withholds up to two reordered frames.
  expect(sync.pictureHoles.filter(({ fromSec, toSec }) => toSec - fromSec > 0.1)).toEqual([]);
});
