import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStream, stopStream } from '../../src/catalog/live/live-stream.ts';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';
import { WebKit } from '../support/webkit.ts';
import { createLive, ended, type LivePlace, makeClip, NO_RUNGS, openLiveCatalogue, publish } from './live-service.ts';

/** Timeout that only a hang exceeds. Each poll costs the page CPU time. */
const PATIENCE = { timeout: 90_000, interval: 250 };

let place: LivePlace;
let webkit: WebKit;

beforeAll(async () => {
  const [service, opened] = await Promise.all([startService(null, {}), WebKit.launch()]);
  webkit = opened;
  place = { service, catalogue: await openLiveCatalogue(service) };
});
afterAll(async () => {
  await webkit.close();
  await place.catalogue.database.close();
  await discard(place.service);
});

const read = () =>
  webkit.evaluate(() => {
    const video = document.querySelector('video');
    if (video === null) return null;
    const last = video.seekable.length - 1;
    return {
      sec: video.currentTime,
      isPaused: video.paused,
      behindSec: last < 0 ? 0 : video.seekable.end(last) - video.currentTime,
      durationSec: video.duration,
      cues: [...video.textTracks].flatMap(({ activeCues }) =>
        [...(activeCues ?? [])].map((cue) => Reflect.get(cue, 'text')),
      ),
    };
  });

/** Returns the position. Resumes playback that WebKitGTK paused (see `WebKit`). */
async function playOn(): Promise<number> {
  const found = await read();
  if (found?.isPaused === true) await webkit.press('k');
  return found?.sec ?? 0;
}

async function addCaptions({ apiUrl }: Service, guid: string, text: string): Promise<void> {
  const body = { srclang: 'en', label: 'English', captionsFile: Buffer.from(text).toString('base64') };
  const response = await fetch(`${apiUrl}/library/1/videos/${guid}/captions/en`, {
    method: 'POST',
    headers: { AccessKey: LIBRARY_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

test('WebKit shows captions', async () => {
  const { service } = place;
  const guid = await createVideo(service, 'A film with captions');
  await addCaptions(service, guid, 'WEBVTT\n\n00:00.000 --> 01:00.000\nA caption of the film\n');
  await uploadFile(service, guid, await makeClip());
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  await webkit.goto(`${service.edgeUrl}/embed/1/${guid}?muted=true`);
  await expect.poll(playOn, PATIENCE).toBeGreaterThan(0.5);
  await webkit.press('c');
  await expect.poll(async () => (await read())?.cues, PATIENCE).toEqual(['A caption of the film']);
});
test('WebKit plays a live stream close to the live edge until it ends', async () => {
  const { key, ingest } = await createLive(place);
  await webkit.goto(`${place.service.edgeUrl}/embed/${key.libraryId}/${key.mediaId}?muted=true`);
  await place.catalogue.streams.change(key, startStream);
  const publisher = await publish(ingest, NO_RUNGS);
  await expect.poll(playOn, PATIENCE).toBeGreaterThan(4);
  expect((await read())?.behindSec).toBeLessThan(8);
  await place.catalogue.streams.change(key, stopStream);
  await ended(publisher);
  const hasEnded = async () => {
    await playOn();
    return Number.isFinite((await read())?.durationSec);
  };
  await expect.poll(hasEnded, PATIENCE).toBe(true);
});
