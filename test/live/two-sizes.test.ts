import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { completeRecordings } from '../../src/jobs/planning/complete-recordings.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { discard, startService } from '../support/service.ts';
import { call, FINISHED, untilVideo } from '../support/videos.ts';
import { BOUNDED, ended, type LivePlace, openLiveCatalogue, readText, startLive, until } from './live-service.ts';
import { publishNumbered, readNumbers } from './numbered-frames.ts';
import { readMedia, readPeriods, segmentsOf, videoAddressesOf } from './read-recording.ts';

const run = promisify(execFile);

let place: LivePlace;
beforeAll(async () => {
  const service = await startService(null, { MILLRACE_LIVE_CORES: '0' });
  place = { service, catalogue: await openLiveCatalogue(service) };
});
afterAll(async () => {
  await place.catalogue.database.close();
  await discard(place.service);
});

test('a recording with two resolutions has the rungs below each of them, with every frame', async () => {
  const { base, key, ingest } = await startLive(place);
  // Waits for some parts of the next segment, because hls.js does not finish if the last segment of a period is a
  // single frame.
  const isUnderWay = async (period: number) => {
    const text = (await readMedia(base)) ?? '#EXTM3U\n';
    const whole = [...Map.groupBy(segmentsOf(text), ({ map }) => map).values()][period]?.length ?? 0;
    const parts = text.slice(text.lastIndexOf('#EXTINF:')).match(/^#EXT-X-PART:/gm)?.length ?? 0;
    return whole >= 2 && parts >= 3 ? true : null;
  };
  const larger = endWithTest(publishNumbered(ingest, '854x480'));
  await until(() => isUnderWay(0), 'two segments and parts');
  larger.kill('SIGKILL');
  await ended(larger);
  const smaller = endWithTest(publishNumbered(ingest, '640x360'));
  await until(() => isUnderWay(1), 'two segments and parts of another size');
  await place.catalogue.streams.change(key, stopStream);
  await until(async () => ((await place.catalogue.streams.load(key)).isVideo ? true : null), 'the recording');
  await ended(smaller);
  await completeRecordings(place.catalogue.database, new AbortController().signal);
  await untilVideo(place.service, key.mediaId, ({ status }) => status === FINISHED);
  // An edge is notified within seconds. Until a period has a rung, its source is listed instead.
  const sizesOf = (text: string) =>
    [...text.matchAll(/^#EXT-X-STREAM-INF:.*RESOLUTION=(\S+?),/gm)].map(([, size]) => size);
  const multivariant = await until(async () => {
    const text = (await readText(`${base}/playlist.m3u8`)) ?? '';
    return sizesOf(text).join() === '854x480,640x360,426x240' ? text : null;
  }, 'the rungs');
  const addresses = videoAddressesOf(multivariant);
  const listed = await Promise.all(addresses.map((one) => readPeriods(`${base}/${one}`, readPictures)));
  const [source = []] = listed;
  expect(source.map(({ size }) => size)).toEqual(['854,480', '640,360']);
  expect(source.every(({ numbers }) => numbers.length >= 50)).toBe(true);
  // 360p is the size of the second period's source.
  expect(listed[1]?.map(({ size }) => size)).toEqual(['640,360', '640,360']);
  expect(listed[2]?.map(({ size }) => size)).toEqual(['426,240', '426,240']);
  for (const periods of listed)
    expect(periods.map(({ numbers }) => numbers)).toEqual(source.map(({ numbers }) => numbers));
  // The MP4 file has the highest resolution, and every frame.
  const ask = async (file: string) =>
    Object(await call(place.service, 'GET', `/library/${key.libraryId}/videos/${key.mediaId}${file}`));
  expect(await ask('')).toMatchObject({ hasMP4Fallback: true, availableResolutions: '240p,360p,480p' });
  const files = [{ resolution: '480p', path: 'play_480p.mp4' }];
  expect(await ask('/resolutions')).toMatchObject({ data: { mp4Resolutions: files } });
  const { size, numbers } = await readPictures(`${base}/play_480p.mp4`);
  expect(size).toBe('854,480');
  expect(numbers).toEqual(source.flatMap((period) => period.numbers));
}, 240_000);

/** Returns the frame size of a file, and the numbers that its frames show. */
async function readPictures(file: string): Promise<{ size: string; numbers: number[] }> {
  const asked = ['-v', 'error', '-select_streams', 'v', '-show_entries', 'stream=width,height', '-of', 'csv=p=0', file];
  const { stdout } = await run('ffprobe', asked, BOUNDED);
  return { size: stdout.trim(), numbers: await readNumbers(file) };
}
