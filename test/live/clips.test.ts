import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { startStream, stopStream } from '../../src/catalog/live/live-stream.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { call, FINISHED, playlistUrl, untilVideo, type VideoAnswer } from '../support/videos.ts';
import { ended, framesOf, LIVE_SETTINGS, openLiveCatalogue, readText, until } from './live-service.ts';
import { publishNumbered, readNumbers, run } from './numbered-frames.ts';

let service: Service;
let catalogue: Awaited<ReturnType<typeof openLiveCatalogue>>;
let key: MediaKey;
let base: string;
let publisher: ChildProcess;
beforeAll(async () => {
  service = await startService(null);
  catalogue = await openLiveCatalogue(service);
  const settings = { ...LIVE_SETTINGS, dvrEnabled: true, dvrWindowSec: 600, libraryId: 1 };
  const { stream, streamKey } = await catalogue.streams.create(settings);
  key = { libraryId: 1, mediaId: stream.id };
  base = `${service.edgeUrl}/vz-1/${stream.id}`;
  await catalogue.streams.change(key, startStream);
  const { listeners } = await service.health();
  publisher = publishNumbered(`rtmp://127.0.0.1:${listeners.rtmp}/live/${streamKey}`);
  await until(() => readText(`${base}/playlist.m3u8`), 'a playlist');
});
afterAll(async () => {
  await catalogue.database.close();
  await discard(service);
});

async function compose(...parts: { startMs?: number; endMs?: number }[]): Promise<string> {
  const wanted = { title: 'Clip', parts: parts.map((part) => ({ videoId: key.mediaId, ...part })) };
  return ((await call(service, 'POST', '/library/1/videos/compose', wanted)) as VideoAnswer).guid;
}

/** Numbers of its pictures; the sound must last as long as they do, and nothing may be damaged. */
async function readClip(guid: string): Promise<number[]> {
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  const { errors, audio, videoFrames, audioFrames } = await framesOf(playlistUrl(service, guid));
  expect({ errors, audio }).toEqual({ errors: '', audio: 'aac' });
  expect(Math.abs((audioFrames * 1024) / 48_000 - videoFrames / 25)).toBeLessThan(0.05);
  return readNumbers(playlistUrl(service, guid));
}

test('a clip of a running stream has its newest whole segments, picture for picture, and is not encoded', async () => {
  // Until something of the stream is stored there is nothing to take.
  const guid = await until(() => compose({ startMs: -5_000 }).catch(() => null), 'a clip');
  await readClip(guid);
  const clip = await until(async () => {
    const longer = await compose({ startMs: -6_000 });
    const numbers = await readClip(longer);
    return numbers.length >= 150 ? { longer, numbers } : null;
  }, 'six seconds of the stream');
  const first = clip.numbers[0] ?? -1;
  expect(first % 50).toBe(0);
  expect(clip.numbers).toEqual(run(first, clip.numbers.length));
  expect(clip.numbers.length).toBeLessThanOrEqual(200);
  const { rows } = await catalogue.database.pool.query<{ kind: string; isCopied: boolean }>(
    `select kind, plan ? 'composedOf' as "isCopied" from rendition where media_id = $1 order by kind, rung desc`,
    [clip.longer],
  );
  expect(rows.length).toBeGreaterThanOrEqual(2);
  expect(rows.filter(({ isCopied }) => !isCopied)).toEqual([]);
  await expect(compose({ startMs: 3_600_000 })).rejects.toThrow('answered 400');
}, 120_000);

test('parts of one stream are joined at segment borders', async () => {
  const numbers = await readClip(await compose({ startMs: 0, endMs: 1_900 }, { startMs: 4_000, endMs: 4_100 }));
  expect(numbers).toEqual([...run(0, 50), ...run(100, 50)]);
}, 120_000);

test('the recording of an ended stream gives clips too', async () => {
  await catalogue.streams.change(key, stopStream);
  await ended(publisher);
  await until(async () => ((await readText(`${base}/playlist.m3u8`)) === null ? null : true), 'the video');
  await until(async () => ((await catalogue.streams.load(key)).isVideo ? true : null), 'the recording');
  expect(await readClip(await compose({ startMs: 2_000, endMs: 6_000 }))).toEqual(run(50, 100));
}, 120_000);
