import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { ended, readText, startLive, type TestStream, until } from './live-service.ts';
import { mediaPlaylistOf } from './read-recording.ts';

const LENGTH_SEC = 5;
const PATIENCE = { timeout: 90_000 };

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' });
});
afterAll(() => fixture.close());

/** Publishes for some seconds, with or without audio. */
async function publishFor({ ingest }: TestStream, hasAudio: boolean): Promise<void> {
  const picture = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25'];
  const sound = hasAudio ? ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000', '-c:a', 'aac'] : [];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '25'];
  const argv = ['-nostdin', '-v', 'error', ...picture, ...sound, ...coding, '-t', `${LENGTH_SEC}`, '-f', 'flv', ingest];
  const child = endWithTest(spawn('ffmpeg', argv, { stdio: ['ignore', 'ignore', 'inherit'] }));
  expect(await ended(child)).toBe(0);
}

test.each([
  ['audio comes with a later publisher', [false, true]],
  ['a later publisher has no audio', [true, false]],
  ['audio comes and goes', [false, true, false]],
])(
  'the page plays a whole recording if %s',
  async (_when, publishers) => {
    const stream = await startLive(fixture);
    for (const hasAudio of publishers) await publishFor(stream, hasAudio);
    await fixture.catalogue.streams.change(stream.key, stopStream);
    const media = await mediaPlaylistOf(stream.base);
    await until(async () => ((await readText(media))?.includes('#EXT-X-ENDLIST') ? true : null), 'the video');
    const page = await fixture.browser.newPage();
    await page.goto(
      `${fixture.service.edgeUrl}/embed/${stream.key.libraryId}/${stream.key.mediaId}?autoplay=true&muted=true`,
    );
    const video = page.locator('video');
    const length = publishers.length * LENGTH_SEC;
    await expect
      .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime), PATIENCE)
      .toBeGreaterThan(length - 1);
    const { buffered, durationSec } = await video.evaluate((element: HTMLVideoElement) => ({
      buffered: Array.from({ length: element.buffered.length }, (_, index) => [
        element.buffered.start(index),
        element.buffered.end(index),
      ]),
      durationSec: element.duration,
    }));
    expect(buffered).toHaveLength(1);
    expect(durationSec).toBeGreaterThan(length - 0.5);
    await page.close();
  },
  240_000,
);
