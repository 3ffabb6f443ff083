import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { stopStream } from '../../../src/catalog/live/live-stream.ts';
import { type Away, makeSyncClip, publishWithGaps, SYNC_RATE, TURN_SEC } from '../../live/gap-publisher.ts';
import type { LiveFixture } from '../../live/live-fixture.ts';
import { faultsOf, playLive, readPlayback } from '../../live/live-player.ts';
import { ended, readText, startLive, type TestStream, until } from '../../live/live-service.ts';
import { mediaPlaylistOf } from '../../live/read-recording.ts';
import { type AvSync, measureAvSync } from '../../support/av-sync.ts';
import { getVideo } from '../../support/videos.ts';

/**
 * A publisher and its media. `returnsAfterSec`: durations in seconds after which the publisher is killed. It reconnects
 * 4 s after each kill.
 */
export type LiveCase = {
  row: string;
  address: (stream: TestStream) => string;
  away?: Away;
  size?: string;
  returnsAfterSec?: readonly number[];
};

/** `frames`: pictures missing or doubled, null where the publisher left some out. */
type LiveProduct = { product: string; largestMs: number; points: number; soundHolesSec: number; frames: number | null };
/** `faults`: holes in the player's `buffered` ranges, and its errors. */
export type MeasuredLive = { products: LiveProduct[]; faults: string[] };

const PLAY_SEC = 24;
const OUTAGE_MS = 4_000;

const rtmpOf = ({ ingest }: TestStream) => ingest;
const srtOf = ({ listeners, streamKey }: TestStream) =>
  `srt://127.0.0.1:${listeners.srt}?streamid=publish:${streamKey}`;

export const LIVE_CASES: readonly LiveCase[] = [
  { row: 'RTMP', address: rtmpOf },
  { row: 'SRT', address: srtOf },
  { row: 'RTMP with a ladder', address: rtmpOf, size: '640x360' },
  { row: 'RTMP, sound away for 5 s', address: rtmpOf, away: { audio: [[6, 11]] } },
  { row: 'SRT, sound away for 5 s', address: srtOf, away: { audio: [[6, 11]] } },
  { row: 'RTMP, sound away for 12 s', address: rtmpOf, away: { audio: [[6, 18]] } },
  { row: 'RTMP, pictures away for 12 s', address: rtmpOf, away: { video: [[6, 18]] } },
  { row: 'SRT, pictures away for 5 s', address: srtOf, away: { video: [[6, 11]] } },
  { row: 'RTMP, sound begins after 15 s', address: rtmpOf, away: { audio: [[0, 15]] } },
  { row: 'RTMP, sound ends after 15 s', address: rtmpOf, away: { audio: [[15, 1_000]] } },
  {
    row: 'RTMP, sound muted again and again',
    address: rtmpOf,
    away: { audio: [5, 8, 11, 14, 17].map((sec) => [sec, sec + 1.5] as const) },
  },
  { row: 'RTMP with a ladder, pictures away for 5 s', address: rtmpOf, away: { video: [[6, 11]] }, size: '640x360' },
  { row: 'RTMP, an encoder that returns twice', address: rtmpOf, returnsAfterSec: [10, 10] },
];

/** Watches a stream with hls.js, then measures its recording. */
export async function measureLive(fixture: LiveFixture, one: LiveCase): Promise<MeasuredLive> {
  const { address, away, size, returnsAfterSec = [] } = one;
  const stream = await startLive(fixture);
  const clip = await makeSyncClip(size);
  let publisher = publishWithGaps(address(stream), clip, away);
  const multivariant = `${stream.base}/playlist.m3u8`;
  await until(() => readText(multivariant), 'a playlist');
  const page = await playLive(fixture.browser, fixture.service.edgeUrl, multivariant);
  for (const sec of returnsAfterSec) {
    await playFor(page, sec);
    publisher.kill('SIGKILL');
    await ended(publisher);
    await sleep(OUTAGE_MS);
    publisher = publishWithGaps(address(stream), clip, away);
  }
  await playFor(page, Math.max(10, PLAY_SEC - returnsAfterSec.reduce((sum, sec) => sum + sec, 0)));
  const { errors, holes } = await readPlayback(page);
  await page.close();
  publisher.kill('SIGKILL');
  await ended(publisher);
  const isWhole = away?.video === undefined && returnsAfterSec.length === 0;
  const products = await measureRecording(fixture, stream, isWhole);
  return { products, faults: [...faultsOf(errors, returnsAfterSec.length), ...holes.map((hole) => `hole ${hole}`)] };
}

async function playFor(page: Page, sec: number): Promise<void> {
  const { timeSec } = await readPlayback(page);
  const isThere = async () => ((await readPlayback(page)).timeSec >= timeSec + sec ? true : null);
  await until(isThere, `${sec} s of playback`, (sec + 90) * 1_000);
}

async function measureRecording(fixture: LiveFixture, stream: TestStream, isWhole: boolean): Promise<LiveProduct[]> {
  await fixture.catalogue.streams.change(stream.key, stopStream);
  await until(async () => {
    const text = await readText(await mediaPlaylistOf(stream.base));
    return text?.includes('#EXT-X-ENDLIST') ? true : null;
  }, 'the video');
  const rungs = (await getVideo(fixture.service, stream.key.mediaId)).availableResolutions.split(',').filter(Boolean);
  const served = [
    ['live recording, HLS', 'playlist.m3u8'],
    ['live recording, DASH', 'manifest.mpd'],
    ...rungs.map((rung) => ['live recording, MP4', `play_${rung}.mp4`] as const),
  ] as const;
  const products: LiveProduct[] = [];
  for (const [product, file] of served) {
    const sync = await measureAvSync(`${stream.base}/${file}`);
    const soundHolesSec = sync.soundHoles.reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0);
    const { largestMs, points } = sync;
    products.push({ product, largestMs, points: points.length, soundHolesSec, frames: isWhole ? stepsOf(sync) : null });
  }
  return products;
}

/** Number of frames that may be missing at a kill: a killed publisher does not send its last reordered frames. */
const HELD_BACK = 3;

/**
 * Counts the missing and doubled frames between the first and the last frame of a clip that is published in several
 * sessions.
 */
function stepsOf({ pictures }: AvSync): number {
  const turn = TURN_SEC * SYNC_RATE;
  const numbers = pictures.slice(0, -HELD_BACK).map(({ number }) => number);
  return numbers.slice(1).reduce((sum, number, index) => {
    const step = (number - (numbers[index] ?? 0) + turn) % turn;
    return sum + Math.min(Math.abs(step - 1), turn - step + 1);
  }, 0);
}
