import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { completeRecordings } from '../../src/jobs/planning/complete-recordings.ts';
import { makeSyncClip, publishWithGaps } from '../live/gap-publisher.ts';
import { type LiveFixture, openLiveFixture } from '../live/live-fixture.ts';
import { BOUNDED, ended, readText, startLive, type TestStream, until } from '../live/live-service.ts';
import { readPeriods, videoAddressesOf } from '../live/read-recording.ts';
import { AAC, H264, makeTags, publishTags } from '../live/tag-publisher.ts';
import { type AvSync, measureAvSync } from '../support/av-sync.ts';
import { call, FINISHED, untilVideo } from '../support/videos.ts';

const MAX_OFFSET_MS = 20;
const LENGTH_SEC = 16;
/** Time at which the video begins, in seconds. */
const LATE_SEC = 6;
const PATIENCE = { timeout: 120_000 };

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' });
});
afterAll(() => fixture.close());

type Send = (stream: TestStream) => Promise<() => Promise<void>>;

/** Publishes audio, and video that begins later. `headMs`: time of its sequence header. */
function lateTags(headMs: number): Send {
  return async ({ ingest }) => {
    const all = await makeTags('late-video', { lengthSec: LENGTH_SEC, argv: [...H264, ...AAC] });
    const tags = all.flatMap((tag) => {
      if (tag.type !== 9) return [tag];
      if (tag.body.readUInt8(1) === 0) return [{ ...tag, timestampMs: headMs }];
      return tag.timestampMs < LATE_SEC * 1_000 ? [] : [tag];
    });
    return publishTags(ingest, tags);
  };
}

const lateOverSrt: Send = async ({ listeners, streamKey }) => {
  const address = `srt://127.0.0.1:${listeners.srt}?streamid=publish:${streamKey}&latency=1000000`;
  const child = publishWithGaps(address, await makeSyncClip(), { video: [[0, LATE_SEC - 0.5]] });
  return async () => {
    await sleep(LENGTH_SEC * 1_000);
    child.kill('SIGKILL');
    await ended(child);
  };
};

/** State of a video element: its position, its picture, and what it has buffered. */
function stateOf(video: SVGElement | HTMLElement) {
  const { currentTime, duration, videoWidth, buffered } = video as HTMLVideoElement;
  const ranges = Array.from(
    { length: buffered.length },
    (_, index) => [buffered.start(index), buffered.end(index)] as const,
  );
  return { timeSec: currentTime, lengthSec: duration, widthPx: videoWidth, ranges };
}

/** Measures the period with video. ffmpeg 5.1 does not decode a second period of HLS, whose parameters differ. */
async function measureLastPeriod(base: string, multivariant: string): Promise<AvSync> {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-late-video-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [video, audio, both] = [`${folder}/video.mp4`, `${folder}/audio.mp4`, `${folder}/both.mkv`];
  const audioPath = /TYPE=AUDIO.*URI="(.*?)"/.exec(multivariant)?.[1];
  const tracks = [
    [video, videoAddressesOf(multivariant)[0]],
    [audio, audioPath],
  ] as const;
  for (const [file, address] of tracks) {
    const periods = await readPeriods(`${base}/${address}`, (period) => readFile(period));
    expect(periods).toHaveLength(2);
    await writeFile(file, periods[1] ?? '');
  }
  const argv = ['-nostdin', '-v', 'error', '-copyts', '-i', video, '-i', audio, '-map', '0:v', '-map', '1:a'];
  await promisify(execFile)('ffmpeg', [...argv, '-c', 'copy', both], BOUNDED);
  return measureAvSync(both);
}

test.each<{ title: string; send: Send }>([
  { title: 'RTMP', send: lateTags(LATE_SEC * 1_000) },
  { title: 'RTMP, announced from the start', send: lateTags(0) },
  { title: 'SRT', send: lateOverSrt },
])(
  'a recording whose video begins after its audio plays from start to end: $title',
  async ({ send }) => {
    const { service, catalogue, browser } = fixture;
    const stream = await startLive(fixture);
    const { key, base } = stream;
    const sent = await send(stream);
    await sent();
    await catalogue.streams.change(key, stopStream);
    await until(async () => ((await catalogue.streams.load(key)).isVideo ? true : null), 'the recording');
    const audioOnly = (await readText(`${base}/playlist.m3u8`)) ?? '';
    await completeRecordings(catalogue.database, new AbortController().signal);
    await untilVideo(service, key.mediaId, ({ status }) => status === FINISHED);
    const multivariant = await until(async () => {
      const text = (await readText(`${base}/playlist.m3u8`)) ?? '';
      return text.includes('RESOLUTION=') ? text : null;
    }, 'a playlist with video');
    const page = await browser.newPage();
    await page.goto(`${service.edgeUrl}/embed/${key.libraryId}/${key.mediaId}?autoplay=true&muted=true`);
    const video = page.locator('video');
    const leftSec = async () => {
      const { lengthSec, timeSec } = await video.evaluate(stateOf);
      return lengthSec - timeSec;
    };
    await expect.poll(leftSec, PATIENCE).toBeLessThan(1);
    const { lengthSec, widthPx, ranges } = await video.evaluate(stateOf);
    await page.close();
    expect(audioOnly).not.toContain('RESOLUTION=');
    expect(multivariant.match(/RESOLUTION=/g)).toHaveLength(2);
    expect({ ranges: ranges.length, widthPx }).toEqual({ ranges: 1, widthPx: 320 });
    // An SRT publisher starts later than the test.
    expect(lengthSec).toBeGreaterThan(LENGTH_SEC - 4);
    const { largestMs, points, soundHoles } = await measureLastPeriod(base, multivariant);
    expect(points.length).toBeGreaterThan(4);
    expect(largestMs).toBeLessThan(MAX_OFFSET_MS);
    expect(soundHoles).toEqual([]);
    const address = `/library/${key.libraryId}/videos/${key.mediaId}`;
    const model = { length: Math.round(lengthSec), thumbnailCount: expect.any(Number), hasMP4Fallback: true };
    expect(await call(service, 'GET', address)).toMatchObject(model);
    expect(await call(service, 'GET', `${address}/resolutions`)).toMatchObject({
      data: { mp4Resolutions: [{ path: 'play_240p.mp4' }] },
    });
    const file = await measureAvSync(`${base}/play_240p.mp4`);
    expect(file.points.length).toBeGreaterThan(4);
    expect(file.largestMs).toBeLessThan(MAX_OFFSET_MS);
    const thumbnail = await fetch(`${base}/thumbnail.jpg`);
    expect([thumbnail.status, (await thumbnail.arrayBuffer()).byteLength > 1_000]).toEqual([200, true]);
  },
  300_000,
);
