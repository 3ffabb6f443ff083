import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { completeRecordings } from '../../src/jobs/planning/complete-recordings.ts';
import { type Away, makeSyncClip, publishWithGaps } from '../live/gap-publisher.ts';
import { type LiveFixture, openLiveFixture } from '../live/live-fixture.ts';
import { ended, readText, startLive, type TestStream, until } from '../live/live-service.ts';
import { WATCHERS } from '../live/live-watchers.ts';
import { playRecording } from '../live/play-recording.ts';
import { FINISHED, untilVideo } from '../support/videos.ts';

const PLAYERS = ['player page', 'hls.js'] as const;
const END = 1_000;

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' });
});
afterAll(() => fixture.close());

const PROTOCOLS = {
  RTMP: ({ ingest }: TestStream) => ingest,
  SRT: ({ listeners, streamKey }: TestStream) =>
    `srt://127.0.0.1:${listeners.srt}?streamid=publish:${streamKey}&latency=1000000`,
} as const;

type Late = { title: string; away: Away; lengthSec: number };

const LATE: readonly Late[] = [
  { title: 'video from 3 s', away: { video: [[0, 3]] }, lengthSec: 16 },
  { title: 'video from 10 s', away: { video: [[0, 10]] }, lengthSec: 24 },
  { title: 'video from 40 s', away: { video: [[0, 40]] }, lengthSec: 54 },
  { title: 'video until 8 s', away: { video: [[8, END]] }, lengthSec: 24 },
  {
    title: 'audio and video in turns',
    away: {
      audio: [
        [4, 8],
        [12, 16],
      ],
      video: [
        [8, 12],
        [16, 20],
      ],
    },
    lengthSec: 28,
  },
];

const CASES = LATE.flatMap((late) =>
  (Object.keys(PROTOCOLS) as (keyof typeof PROTOCOLS)[]).map((protocol) => ({ protocol, ...late })),
);

/** Seconds of playback that a player may lack at the end: its latency, and its start. */
const MAX_BEHIND_SEC = 9;

test.each(CASES)(
  'players continue, and the recording plays to its end: $protocol, $title',
  async ({ protocol, away, lengthSec }) => {
    const [stream, clip] = [await startLive(fixture), await makeSyncClip()];
    const publisher = publishWithGaps(PROTOCOLS[protocol](stream), clip, away);
    await until(() => readText(`${stream.base}/playlist.m3u8`), 'a playlist');
    const startedMs = performance.now();
    const place = { browser: fixture.browser, origin: fixture.service.edgeUrl, stream };
    const watchers = await Promise.all(PLAYERS.map((name) => WATCHERS[name](place)));
    await sleep(Math.max(0, lengthSec * 1_000 - (performance.now() - startedMs)));
    const found = await Promise.all(watchers.map(({ read }) => read()));
    await Promise.all(watchers.map(({ close }) => close()));
    publisher.kill('SIGKILL');
    await ended(publisher);
    await fixture.catalogue.streams.change(stream.key, stopStream);
    const { key } = stream;
    await until(async () => ((await fixture.catalogue.streams.load(key)).isVideo ? true : null), 'the recording');
    await completeRecordings(fixture.catalogue.database, new AbortController().signal);
    await untilVideo(fixture.service, key.mediaId, ({ status }) => status === FINISHED);
    const played = await playRecording(fixture, stream);
    process.stdout.write(`${protocol}: ${JSON.stringify({ away, found, played })}\n`);
    for (const [index, { playedSec, stalls, errors, holes }] of found.entries()) {
      expect({ stalls, errors, holes }).toEqual({ stalls: [], errors: [], holes: [] });
      // The page loads the stream again when its video begins (decision 406), and counts from there.
      const [late] = away.video === 'never' ? [] : (away.video ?? []);
      const reloadedSec = PLAYERS[index] === 'player page' && late?.[0] === 0 ? late[1] : 0;
      expect(playedSec).toBeGreaterThan(lengthSec - reloadedSec - MAX_BEHIND_SEC);
    }
    expect(played).toMatchObject({ leftSec: 0, ranges: 1, widthPx: 320 });
  },
  300_000,
);
