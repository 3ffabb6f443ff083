import { expect } from 'vitest';
import type { LiveFixture } from './live-fixture.ts';
import type { TestStream } from './live-service.ts';

const PATIENCE = { timeout: 150_000 };
/** Seconds before the end at which a recording counts as played. */
const END_SEC = 1;

/** Playback of a recording. `ranges`: number of buffered ranges. `leftSec`: 0 if it played to its end. */
export type PlayedRecording = { lengthSec: number; leftSec: number; ranges: number; widthPx: number };

/** Plays the recording of a stream in the player page, from its start to its end. */
export async function playRecording(
  { browser, service }: Pick<LiveFixture, 'browser' | 'service'>,
  { key }: TestStream,
): Promise<PlayedRecording> {
  const page = await browser.newPage();
  await page.goto(`${service.edgeUrl}/embed/${key.libraryId}/${key.mediaId}?autoplay=true&muted=true`);
  const video = page.locator('video');
  const read = () =>
    video.evaluate((element: HTMLVideoElement) => {
      const { currentTime, duration, videoWidth, buffered } = element;
      return { timeSec: currentTime, lengthSec: duration, widthPx: videoWidth, ranges: buffered.length };
    });
  const leftSec = async () => {
    const { lengthSec, timeSec } = await read();
    return lengthSec - timeSec;
  };
  await expect
    .poll(leftSec, PATIENCE)
    .toBeLessThan(END_SEC)
    .catch(() => undefined);
  const { timeSec, lengthSec, widthPx, ranges } = await read();
  await page.close();
  return { lengthSec, leftSec: lengthSec - timeSec < END_SEC ? 0 : lengthSec - timeSec, ranges, widthPx };
}
