import path from 'node:path';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { relativePathOf } from '../../src/adapters/storage/file-place.ts';
import type { MediaKey } from '../../src/catalog/db.ts';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { completeRecordings } from '../../src/jobs/planning/complete-recordings.ts';
import { objectOf } from '../../src/ports/packed-key.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { objectsOf } from '../support/leftovers.ts';
import { listFiles } from '../support/list-files.ts';
import { LIBRARY_KEY } from '../support/service.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';
import { FINISHED, untilVideo } from '../support/videos.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { playLive, readPlayback } from './live-player.ts';
import { ended, FEW_PICTURES, publish, readText, startLive, until } from './live-service.ts';
import { publishNumbered, readNumbers } from './numbered-frames.ts';
import { videoAddressesOf } from './read-recording.ts';

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0.1' });
});
afterAll(() => fixture.close());

test("lower rungs share the source's segments, a player can switch, and a dead encoder leaves a gap", async () => {
  const { base, key, ingest } = await startLive(fixture);
  await publish(ingest, { size: '854x480', ...FEW_PICTURES });
  // On a busy machine the rungs appear later than the source.
  const sizes = await until(async () => {
    const multivariant = (await readText(`${base}/playlist.m3u8`)) ?? '';
    const found = [...multivariant.matchAll(/^#EXT-X-STREAM-INF:.*RESOLUTION=(\S+?),/gm)].map(([, size]) => size);
    return found.length < 3 ? null : found;
  }, 'a playlist of rungs');
  expect(sizes).toEqual(['854x480', '640x360', '426x240']);
  expect(await transcodingOf(key)).toEqual({ state: 'running', reason: null, resolutions: '360p,240p' });
  const page = await playLive(fixture.browser, fixture.service.edgeUrl, `${base}/playlist.m3u8`);
  await until(async () => ((await readPlayback(page)).timeSec > 2 ? true : null), 'playback');
  for (const heightPx of [240, 480, 360]) {
    await choose(page, heightPx);
    await until(async () => ((await heightOf(page)) === heightPx ? true : null), `pictures of ${heightPx}p`, 60_000);
  }
  killAll(await findProcesses(fixture.service, 'webm'));
  const gapped = await until(async () => {
    const text = (await mediaPlaylists(base))[2] ?? '';
    const after = text.split('#EXT-X-GAP\n')[1] ?? '';
    return (after.match(/#EXTINF/g) ?? []).length > 2 ? text : null;
  }, 'segments after a gap');
  expect(gapped).not.toContain('#EXT-X-DISCONTINUITY\n');
  const at = await readPlayback(page);
  await until(async () => ((await readPlayback(page)).timeSec > at.timeSec + 2 ? true : null), 'playback that goes on');
  const [source = new Map(), ...rungs] = (await mediaPlaylists(base)).map(durationsBySequence);
  for (const rung of rungs) {
    const both = [...rung].filter(([sequence]) => source.has(sequence));
    expect(both.length).toBeGreaterThan(3);
    for (const [sequence, sec] of both) expect(Math.abs(sec - source.get(sequence))).toBeLessThan(0.002);
  }
  await expectFewWrites(key);
  await stop(key);
}, 300_000);

test('without free cores a stream is only passed through, and its video gets the rungs later', async () => {
  const other = await startLive(fixture);
  const holder = await publish(other.ingest, { size: '854x480', ...FEW_PICTURES });
  expect(await transcodingOf(other.key)).toMatchObject({ state: 'running' });
  const { base, key, ingest } = await startLive(fixture);
  const publisher = endWithTest(publishNumbered(ingest, '854x480'));
  const multivariant = await until(() => readText(`${base}/playlist.m3u8`), 'a playlist');
  expect(multivariant.match(/#EXT-X-STREAM-INF:.*RESOLUTION/g)).toHaveLength(1);
  expect(await transcodingOf(key)).toMatchObject({
    state: 'copy-only',
    reason: expect.stringContaining('cannot encode smaller ones'),
  });
  await until(async () => ((await mediaPlaylists(base))[0]?.includes('\n2.m4s') ? true : null), 'three segments');
  holder.kill('SIGKILL');
  await stop(key);
  await ended(publisher);
  // Workers do this once a minute.
  await completeRecordings(fixture.catalogue.database, new AbortController().signal);
  const { availableResolutions } = await untilVideo(
    fixture.service,
    key.mediaId,
    ({ status, availableResolutions: shown }) => {
      return status === FINISHED && shown.split(',').length === 3;
    },
  );
  expect(availableResolutions).toBe('240p,360p,480p');
  const addresses = await until(async () => {
    const found = videoAddressesOf((await readText(`${base}/playlist.m3u8`)) ?? '');
    return found.length === 3 ? found : null;
  }, 'three rungs');
  const [first = [], ...others] = await Promise.all(addresses.map((one) => readNumbers(`${base}/${one}`)));
  expect(first.length).toBeGreaterThan(100);
  expect(others).toHaveLength(2);
  for (const numbers of others) expect(numbers).toEqual(first);
}, 200_000);

/** Checks the number of stored objects: at most one per second of the stream, with segments of all its renditions. */
async function expectFewWrites({ libraryId, mediaId }: MediaKey): Promise<void> {
  const { rows } = await sql<{ storageKey: StorageKey; renditionId: string; sec: number }>`
    select c.storage_key as "storageKey", c.rendition_id as "renditionId",
      c.duration_ticks::float8 / r.timescale as sec from chunk c join rendition r on r.id = c.rendition_id
    where c.library_id = ${libraryId} and c.media_id = ${mediaId} order by r.kind, r.origin`.execute(
    fixture.catalogue.database.db,
  );
  const folder = path.join(objectsOf(fixture.service), relativePathOf(`${libraryId}/${mediaId}`));
  const files = (await listFiles(folder)).filter((file) => !file.endsWith('.jpg'));
  const named = Map.groupBy(rows, ({ storageKey }) => path.basename(objectOf(storageKey)));
  expect(files.map((file) => path.basename(file))).toEqual(expect.arrayContaining([...named.keys()]));
  expect(Math.max(...[...named.values()].map((chunks) => new Set(chunks.map((one) => one.renditionId)).size))).toBe(4);
  const streamSec = rows
    .filter(({ renditionId }) => renditionId === rows[0]?.renditionId)
    .reduce((sum, { sec }) => sum + sec, 0);
  expect(streamSec).toBeGreaterThan(8);
  expect(files.length).toBeLessThanOrEqual(streamSec);
}

/** Stops a stream and waits for its video, after which its rungs use no more cores. */
async function stop(key: MediaKey): Promise<void> {
  await fixture.catalogue.streams.change(key, stopStream);
  await until(async () => ((await fixture.catalogue.streams.load(key)).isVideo ? true : null), 'the recording');
}

/** Returns the state of the rungs. The state is `idle` or `starting` until the owner reports a decision. */
async function transcodingOf({ libraryId, mediaId }: MediaKey) {
  return until(async () => {
    const address = `${fixture.service.apiUrl}/library/${libraryId}/live/${mediaId}/status`;
    const response = await fetch(address, { headers: { AccessKey: LIBRARY_KEY } });
    const { transcoding } = (await response.json()) as { transcoding: { state: string } | null };
    return transcoding === null || ['idle', 'starting'].includes(transcoding.state) ? null : transcoding;
  }, 'a state of the rungs');
}

/** Returns the media playlists of the video renditions, the largest first. */
async function mediaPlaylists(base: string): Promise<string[]> {
  const multivariant = (await readText(`${base}/playlist.m3u8`)) ?? '';
  const variants = [...multivariant.matchAll(/^#EXT-X-STREAM-INF:.*RESOLUTION=.*\n(r\/.*)$/gm)];
  return Promise.all(variants.map(async ([, address]) => (await readText(`${base}/${address}`)) ?? ''));
}

/** Returns the duration of each whole segment in seconds, by its number, without gaps. */
function durationsBySequence(text: string): Map<number, number> {
  const first = Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1]);
  const found = new Map<number, number>();
  let isGap = false;
  let sequence = first;
  for (const line of text.split('\n')) {
    if (line === '#EXT-X-GAP') isGap = true;
    const sec = /^#EXTINF:([\d.]+)/.exec(line)?.[1];
    if (sec === undefined) continue;
    if (!isGap) found.set(sequence, Number(sec));
    isGap = false;
    sequence += 1;
  }
  return found;
}

function choose(page: Page, heightPx: number): Promise<void> {
  return page.evaluate((wanted) => {
    // `playLive` set this variable.
    const { hls } = (window as unknown as { live: { hls: { levels: { height: number }[]; currentLevel: number } } })
      .live;
    hls.currentLevel = hls.levels.findIndex(({ height }) => height === wanted);
  }, heightPx);
}

function heightOf(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelector('video')?.videoHeight ?? 0);
}
