import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { openScriptPage, SHAKA } from '../delivery/in-page.ts';
import { type Away, makeSyncClip, publishWithGaps } from '../live/gap-publisher.ts';
import { faultsOf, playLive, readPlayback } from '../live/live-player.ts';
import { type LiveRoom, openLiveRoom } from '../live/live-room.ts';
import { ended, readText, startLive, type TestStream, until } from '../live/live-service.ts';
import { mediaPlaylistOf } from '../live/read-recording.ts';
import { measureAvSync } from '../support/av-sync.ts';

/** Result of one row, as recorded in `docs/measured.md`. */
type Measured = {
  row: string;
  /** Maximum distance between audio and video, in ms. */
  largestMs: number;
  points: number;
  /** Seconds without audio in the output. */
  soundHolesSec: number;
  /** Gaps that players had in `buffered`, and their errors. */
  faults: string[];
};

/** A source and the measurement made of it. Add rows to `ROWS`. */
type SyncRow = { row: string; measure(): Promise<Omit<Measured, 'row'>> };

const MAX_OFFSET_MS = 20;
const SHORT_SEC = 30;
const LONG_SEC = 600;

let room: LiveRoom;
beforeAll(async () => {
  room = await openLiveRoom();
});
afterAll(() => room.close());

const rtmpOf = ({ ingest }: TestStream) => ingest;
const srtOf = ({ listeners, streamKey }: TestStream) =>
  `srt://127.0.0.1:${listeners.srt}?streamid=publish:${streamKey}`;

/** Returns repeated gaps of each kind: audio, video, both. */
function gapsUpTo(sec: number): Required<Away> {
  const starts = Array.from({ length: Math.floor(sec / 60) }, (_, minute) => minute * 60);
  return {
    audio: starts.flatMap((at) => [[at + 8, at + 13] as const, [at + 41, at + 43] as const]),
    video: starts.flatMap((at) => [[at + 24, at + 28] as const, [at + 41, at + 43] as const]),
  };
}

type LiveCase = {
  row: string;
  address: (stream: TestStream) => string;
  away?: Away;
  size?: string;
  /** Seconds after each of which the publisher is killed. It reconnects 4 s later. */
  returnsAfterSec?: readonly number[];
  playSec?: number;
};

const LIVE: readonly LiveCase[] = [
  { row: 'live, RTMP', address: rtmpOf },
  { row: 'live, SRT', address: srtOf },
  { row: 'live, RTMP, sound away for 5 s', address: rtmpOf, away: { audio: [[6, 11]] } },
  { row: 'live, SRT, sound away for 5 s', address: srtOf, away: { audio: [[6, 11]] } },
  { row: 'live, RTMP, sound away for 12 s', address: rtmpOf, away: { audio: [[6, 18]] } },
  { row: 'live, RTMP, pictures away for 12 s', address: rtmpOf, away: { video: [[6, 18]] } },
  { row: 'live, SRT, pictures away for 5 s', address: srtOf, away: { video: [[6, 11]] } },
  { row: 'live, RTMP, sound begins after 15 s', address: rtmpOf, away: { audio: [[0, 15]] } },
  { row: 'live, RTMP, sound ends after 15 s', address: rtmpOf, away: { audio: [[15, 1_000]] } },
  {
    row: 'live, RTMP, sound muted again and again',
    address: rtmpOf,
    away: { audio: [5, 8, 11, 14, 17].map((sec) => [sec, sec + 1.5] as const) },
  },
  { row: 'live, RTMP with a ladder, sound away for 5 s', address: rtmpOf, away: { audio: [[6, 11]] }, size: '640x360' },
  {
    row: 'live, RTMP with a ladder, pictures away for 5 s',
    address: rtmpOf,
    away: { video: [[6, 11]] },
    size: '640x360',
  },
  { row: 'live, RTMP, an encoder that comes back', address: rtmpOf, returnsAfterSec: [10, 10] },
  {
    row: 'live, RTMP, ten minutes over gaps and returns',
    address: rtmpOf,
    away: gapsUpTo(LONG_SEC),
    returnsAfterSec: [130, 170],
    playSec: LONG_SEC,
  },
];

const ROWS: readonly SyncRow[] = LIVE.map((one) => ({ row: one.row, measure: () => measureLive(one) }));

const measured: Measured[] = [];

test.each(ROWS)(
  '$row',
  async ({ row, measure }) => {
    const found = { row, ...(await measure()) };
    measured.push(found);
    expect(found.faults).toEqual([]);
    expect(found.soundHolesSec).toBe(0);
    expect(found.points).toBeGreaterThan(3);
    expect(found.largestMs).toBeLessThan(MAX_OFFSET_MS);
  },
  1_200_000,
);

afterAll(() => {
  const lines = measured.map(
    ({ row, largestMs, points, faults }) => `| ${row} | ${largestMs.toFixed(1)} ms | ${points} | ${faults.length} |`,
  );
  process.stdout.write(
    ['', '| Source | Largest A-V error | Points | Faults of players |', '|---|---|---|---|', ...lines, ''].join('\n'),
  );
});

test.each(['playlist.m3u8', 'manifest.mpd'])(
  'Shaka plays across an encoder that reconnects: %s',
  async (name) => {
    const stream = await startLive(room);
    const clip = await makeSyncClip();
    const first = publishWithGaps(rtmpOf(stream), clip);
    await until(() => readText(`${stream.base}/${name}`), 'a manifest');
    const page = await openScriptPage(room.browser, room.service.edgeUrl, SHAKA);
    await startShaka(page, `${stream.base}/${name}`);
    await untilShaka(page, 5);
    first.kill('SIGKILL');
    await ended(first);
    await sleep(4_000);
    const { timeSec } = await readShaka(page);
    const second = publishWithGaps(rtmpOf(stream), clip);
    await untilShaka(page, timeSec + 15);
    const { holes, errors } = await readShaka(page);
    await page.close();
    second.kill('SIGKILL');
    expect({ holes, errors }).toEqual({ holes: [], errors: [] });
  },
  240_000,
);

/** The part of Shaka's interface that a live stream needs. */
type LiveShaka = {
  Player: new () => {
    addEventListener(type: 'error', listener: (event: { detail: { code: number } }) => void): void;
    attach(video: HTMLVideoElement): Promise<void>;
    load(address: string): Promise<void>;
  };
};
type ShakaState = { holes: Set<string>; errors: string[]; fromSec: number };

async function startShaka(page: Page, address: string): Promise<void> {
  await page.evaluate(async (source) => {
    const video = document.querySelector('video') as HTMLVideoElement;
    // The script tag defined the single export of Shaka.
    const { shaka } = window as unknown as { shaka: LiveShaka };
    const player = new shaka.Player();
    const state: ShakaState = { holes: new Set(), errors: [], fromSec: Number.POSITIVE_INFINITY };
    Object.assign(window, { state });
    player.addEventListener('error', ({ detail }) => void state.errors.push(String(detail.code)));
    await player.attach(video);
    await player.load(source);
    await video.play();
    state.fromSec = video.currentTime;
    setInterval(() => {
      for (let at = 1; at < video.buffered.length; at += 1) {
        const end = video.buffered.end(at - 1);
        if (end > state.fromSec + 1) state.holes.add(`after ${(end - state.fromSec).toFixed(1)} s`);
      }
    }, 500);
  }, address);
}

function readShaka(page: Page): Promise<{ timeSec: number; holes: string[]; errors: string[] }> {
  return page.evaluate(() => {
    const video = document.querySelector('video') as HTMLVideoElement;
    // `startShaka` set this variable.
    const { state } = window as unknown as { state: ShakaState };
    return { timeSec: video.currentTime - state.fromSec, holes: [...state.holes], errors: state.errors };
  });
}

async function untilShaka(page: Page, sec: number): Promise<void> {
  await until(async () => ((await readShaka(page)).timeSec >= sec ? true : null), `${sec} s of playback`, 90_000);
}

async function measureLive({
  address,
  away,
  size,
  returnsAfterSec = [],
  playSec = SHORT_SEC,
}: LiveCase): Promise<Omit<Measured, 'row'>> {
  const stream = await startLive(room);
  const clip = await makeSyncClip(size);
  let publisher = publishWithGaps(address(stream), clip, away);
  const multivariant = `${stream.base}/playlist.m3u8`;
  await until(() => readText(multivariant), 'a playlist');
  const page = await playLive(room.browser, room.service.edgeUrl, multivariant);
  for (const sec of returnsAfterSec) {
    await playFor(page, sec);
    publisher.kill('SIGKILL');
    await ended(publisher);
    await sleep(4_000);
    publisher = publishWithGaps(address(stream), clip, away);
  }
  await playFor(page, Math.max(20, playSec - returnsAfterSec.reduce((sum, sec) => sum + sec, 0)));
  const { errors, holes } = await readPlayback(page);
  await page.close();
  publisher.kill('SIGKILL');
  await ended(publisher);
  const { largestMs, points, soundHoles } = await recordingOf(stream);
  // Players run out of media where neither track is published.
  const bothAway = away?.video?.filter(([from]) => away.audio?.some(([start]) => start === from)).length ?? 0;
  const soundHolesSec = soundHoles.reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0);
  const faults = [...faultsOf(errors, returnsAfterSec.length + bothAway), ...holes.map((hole) => `hole ${hole}`)];
  return { largestMs, points: points.length, soundHolesSec, faults };
}

async function playFor(page: Page, sec: number): Promise<void> {
  const { timeSec } = await readPlayback(page);
  const isThere = async () => ((await readPlayback(page)).timeSec >= timeSec + sec ? true : null);
  await until(isThere, `${sec} s of playback`, (sec + 90) * 1_000);
}

async function recordingOf(stream: TestStream) {
  await room.catalogue.streams.change(stream.key, stopStream);
  await until(async () => {
    const text = await readText(await mediaPlaylistOf(stream.base));
    return text?.includes('#EXT-X-ENDLIST') ? true : null;
  }, 'the video');
  return measureAvSync(`${stream.base}/playlist.m3u8`);
}
