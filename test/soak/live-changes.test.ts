import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startStream } from '../../src/catalog/live/live-stream.ts';
import { collectPlaylists } from '../live/collect-playlists.ts';
import { faultsOf, nameOf, playLive, readPlayback } from '../live/live-player.ts';
import { ended, LIVE_SETTINGS, openLiveCatalogue, readText, until } from '../live/live-service.ts';
import { makeNumberedClips, type NumberedClips, publishClip } from '../live/numbered-publisher.ts';
import { countSegments, mediaPlaylistOf, missingOf, readRuns } from '../live/read-recording.ts';
import { openBrowser } from '../support/browser.ts';
import { checkReloads, checkVariants } from '../support/rfc8216/live/check-reloads.ts';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';

let service: Service;
let browser: Browser;
let clips: NumberedClips;
let catalogue: Awaited<ReturnType<typeof openLiveCatalogue>>;
beforeAll(async () => {
  [service, browser, clips] = await Promise.all([startService(null), openBrowser(), makeNumberedClips()]);
  catalogue = await openLiveCatalogue(service);
});
afterAll(async () => {
  await browser.close();
  await catalogue.database.close();
  await discard(service);
});

type Stream = Awaited<ReturnType<typeof goLive>>;

/** Starts a stream. `publish` sends a numbered clip to the current ingest process. */
async function goLive() {
  const { stream, streamKey } = await catalogue.streams.create({ ...LIVE_SETTINGS, libraryId: 1 });
  const key = { libraryId: 1, mediaId: stream.id };
  await catalogue.streams.change(key, startStream);
  const publish = async (clip: string) => {
    const port = await until(async () => {
      const health = await service.health().catch(() => null);
      return health?.status === 'ok' ? (health.listeners.rtmp ?? null) : null;
    }, 'an ingest process');
    return publishClip(`rtmp://127.0.0.1:${port}/live/${streamKey}`, clip);
  };
  return { key, publish, base: `${service.edgeUrl}/vz-1/${stream.id}` };
}

/** Publishes until `segments` more segments are listed, then kills the publisher. */
async function publishFor({ publish, base }: Stream, clip: string, segments: number): Promise<void> {
  const before = await countSegments(base);
  const publisher = await publish(clip);
  const isThere = async () => ((await countSegments(base)) >= before + segments ? true : null);
  await until(isThere, `${segments} more segments`, 60_000);
  publisher.kill('SIGKILL');
  await ended(publisher);
}

const stop = ({ key }: Stream) =>
  fetch(`${service.apiUrl}/library/1/live/${key.mediaId}/stop`, { method: 'PUT', headers: { AccessKey: LIBRARY_KEY } });

/** Returns the whole playlist at the URL of a former stream. Until it is a video, only its end is listed. */
async function recordingOf(address: string): Promise<string> {
  let seen: string | null = null;
  return until(
    async () => {
      seen = await readText(address);
      return seen?.includes('#EXT-X-ENDLIST') && seen.includes('#EXT-X-MEDIA-SEQUENCE:0\n') ? seen : null;
    },
    () => `the video in place of ${seen}`,
    60_000,
  );
}

test('with changing frame sizes, playlists follow RFC 8216bis and each frame plays once', async () => {
  const stream = await goLive();
  await publishFor(stream, clips.small, 2);
  const address = await mediaPlaylistOf(stream.base);
  const collected = await collectPlaylists(stream.base);
  onTestFinished(() => collected.stop());
  const page = await playLive(browser, service.edgeUrl, `${stream.base}/playlist.m3u8`);
  await sleep(3_000);
  const second = await stream.publish(clips.small);
  await until(async () => ((await readPlayback(page)).timeSec > 6 ? true : null), 'playback', 60_000);
  killAll(await findProcesses(service, 'role.ts ingest'));
  await ended(second);
  await publishFor(stream, clips.small, 2);
  await publishFor(stream, clips.other, 2);
  let seen: unknown = null;
  const played = await until(
    async () => {
      const now = await readPlayback(page);
      const size = await page.evaluate(() => document.querySelector('video')?.videoHeight);
      seen = { ...now, size, listed: (await readText(address))?.match(/^#EXT(INF|-X-DISC).*/gm) };
      return size === 144 ? now : null;
    },
    () => `pictures of the other size in the same page, which shows ${JSON.stringify(seen)},`,
    60_000,
  );
  // On a busy machine a reload may be too late for the engine, which repeats it. A publisher killed after a keyframe
  // and before its audio leaves a segment without audio.
  const faults = faultsOf(played.errors).map(nameOf);
  expect(faults.filter((name) => !name.endsWith('TimeOut') && name !== 'fragGap')).toEqual([]);
  const together = await collected.readTogether();
  await collected.stop();
  const live = (await readText(address)) ?? '';
  expect((await stop(stream)).status).toBe(200);
  const recording = await recordingOf(address);
  // I-frame playlists follow other rules.
  const whole = [...collected.byPlaylist.values()].filter(
    (texts) => !JSON.stringify(texts).includes('EXT-X-I-FRAMES-ONLY'),
  );
  expect(whole).toHaveLength(2);
  for (const texts of whole) expect(checkReloads(texts)).toEqual([]);
  expect(checkVariants(together.filter((text) => !text.includes('EXT-X-I-FRAMES-ONLY')))).toEqual([]);
  expect(missingOf(address, live, recording), `${live}\n${recording}`).toEqual([]);
  expect((live.match(/^#EXT-X-DISCONTINUITY$/gm) ?? []).length).toBe(1);
  expect(live).not.toContain('#EXT-X-GAP');
  const runs = await readRuns(address);
  expect(runs.map(({ from }) => from)).toEqual([0, 0, 0, 0]);
  // Segments last two seconds. At least one is whole: the open segment of the previous publisher is counted when it
  // ends.
  for (const { to } of runs) expect(to).toBeGreaterThanOrEqual(49);
  await page.close();
}, 240_000);
