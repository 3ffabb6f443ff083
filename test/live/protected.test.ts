import { spawn } from 'node:child_process';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { signEmbedToken } from '../../src/catalog/libraries/embed-token.ts';
import { startStream, stopStream } from '../../src/catalog/live/live-stream.ts';
import { loadZonePolicy } from '../../src/catalog/pull-zones/zone-policy-store.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import {
  createLive,
  ended,
  FEW_PICTURES,
  publish,
  readText,
  startLive,
  type TestStream,
  until,
} from './live-service.ts';

let fixture: LiveFixture;
const refused: string[] = [];
beforeAll(async () => {
  fixture = await openLiveFixture();
});
afterAll(() => fixture.close());

test('encrypts each part with a key that was stored before, and keeps the keys for the recording', async () => {
  await setDrm('enterprise');
  const stream = await createLive(fixture);
  const { key, base } = stream;
  const player = await openPlayer(key, '');
  const publisher = await goLive(stream);
  const multivariant = await until(() => readText(`${base}/playlist.m3u8`), 'a playlist');
  const playlist = `${base}/${/^r\/.*m3u8$/m.exec(multivariant)?.[0]}`;
  const live = (await readText(playlist)) ?? '';
  const [keyLine] = live.match(/^#EXT-X-KEY:.*$/m) ?? [];
  expect(keyLine).toContain('METHOD=SAMPLE-AES');
  const part = /#EXT-X-PART:.*URI="(e1\/\d+\.\d+\.m4s)"/.exec(live)?.[1] ?? '';
  const bytes = Buffer.from(await (await fetch(new URL(part, playlist))).arrayBuffer());
  expect(bytes.includes('senc')).toBe(true);
  for (const name of ['init.mp4', '0.m4s', '0.0.m4s']) {
    expect((await fetch(new URL(name, playlist))).status).toBe(404);
  }
  await untilPlaying(player);
  await fixture.catalogue.streams.change(key, stopStream);
  await ended(publisher);
  const video = await until(async () => {
    const text = await readText(playlist);
    return text?.includes('#EXT-X-ENDLIST') ? text : null;
  }, 'the video');
  expect(video).toContain(keyLine);
  expect(video).toContain('e1/0.m4s');
  const { rows } = await sql`select from drm_package where media_id = ${key.mediaId}`.execute(
    fixture.catalogue.database.db,
  );
  expect(rows).toHaveLength(1);
  await player.close();
}, 120_000);

test('with basic protection, a play session gets whole segments, encrypted with its own key', async () => {
  await setDrm('basic', { playerTokenRequired: true });
  const stream = await createLive(fixture);
  const { key, base } = stream;
  const query = await signPage(key);
  const player = await openPlayer(key, query);
  const publisher = await goLive(stream);
  await untilPlaying(player);
  expect((await fetch(`${base}/playlist.m3u8`)).status).toBe(403);
  const multivariant = (await readText(`${base}/playlist.m3u8?${query}`)) ?? '';
  const playlist = `${base}/${/^r\/.*m3u8$/m.exec(multivariant)?.[0]}`;
  const live = (await readText(playlist)) ?? '';
  expect(live).toContain('METHOD=AES-128');
  expect(live).not.toContain('EXT-X-PART');
  const stored = await fetch(new URL('0.m4s', playlist));
  expect(Buffer.from(await stored.arrayBuffer()).includes('moof')).toBe(false);
  await fixture.catalogue.streams.change(key, stopStream);
  await ended(publisher);
  await player.close();
}, 120_000);

test('after a takeover by another process, media continues in a new rendition that reuses no IV', async () => {
  await setDrm('enterprise');
  const stream = await createLive(fixture);
  const { key, base, streamKey } = stream;
  const publisher = await goLive(stream);
  const multivariant = await until(() => readText(`${base}/playlist.m3u8`), 'a playlist');
  const playlist = `${base}/${/^r\/.*m3u8$/m.exec(multivariant)?.[0]}`;
  await until(async () => ((await readText(playlist))?.includes('#EXTINF') ? true : null), 'a segment');
  killAll(await findProcesses(fixture.service, 'role.ts ingest'));
  await ended(publisher);
  const { listeners } = await until(async () => {
    const health = await fixture.service.health();
    return health.status === 'ok' && health.listeners.rtmp !== undefined ? health : null;
  }, 'the next ingest process');
  const second = await publish(`rtmp://127.0.0.1:${listeners.rtmp}/live/${streamKey}`, FEW_PICTURES);
  const periods = await until(async () => {
    const { rows } = await sql<{ prefixes: number[] }>`
      select array_agg(r.iv_prefix) as prefixes from live_period p join rendition r on r.timeline_id = p.timeline_id
      where p.media_id = ${key.mediaId} and r.kind = 'video' and r.origin = 'pass-through' group by p.number`.execute(
      fixture.catalogue.database.db,
    );
    return rows.length > 1 ? rows : null;
  }, 'a period of the process that took over');
  expect(new Set(periods.flatMap(({ prefixes }) => prefixes)).size).toBe(periods.length);
  await fixture.catalogue.streams.change(key, stopStream);
  await ended(second);
}, 120_000);

test('rejects frames that cannot be encrypted, and stores none of them', async () => {
  await setDrm('enterprise');
  const { key, streamKey, listeners } = await startLive(fixture);
  const picture = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25', '-c:v', 'libx265'];
  const encoder = ['-preset', 'ultrafast', '-x265-params', 'keyint=25:log-level=error', '-f', 'mpegts'];
  const address = `srt://127.0.0.1:${listeners.srt}?streamid=${streamKey}`;
  const argv = ['-v', 'error', ...picture, ...encoder, address];
  const publisher = endWithTest(spawn('ffmpeg', argv, { stdio: ['ignore', 'ignore', 'pipe'] }));
  expect(await ended(publisher)).not.toBe(0);
  // The publisher had been admitted, so its key itself is not refused.
  const { rows: leases } = await sql`select session from live_lease where stream_id = ${key.mediaId}`.execute(
    fixture.catalogue.database.db,
  );
  expect(leases).toEqual([{ session: 1 }]);
  const { rows } = await sql`select from live_period where media_id = ${key.mediaId}`.execute(
    fixture.catalogue.database.db,
  );
  expect(rows).toEqual([]);
  await fixture.catalogue.streams.change(key, stopStream);
}, 120_000);

async function goLive({ key, ingest }: TestStream) {
  await fixture.catalogue.streams.change(key, startStream);
  return publish(ingest, FEW_PICTURES);
}

/** Opens the player page of a stream that has not begun. From then on, none of its requests may be refused. */
async function openPlayer({ libraryId, mediaId }: MediaKey, query: string): Promise<Page> {
  const player = await fixture.browser.newPage(SMALL_PAGE);
  player.on('response', (response) => {
    if ([401, 403, 500].includes(response.status())) refused.push(`${response.status()} ${response.url()}`);
  });
  await player.goto(`${fixture.service.edgeUrl}/embed/${libraryId}/${mediaId}?${query}&muted=true&autoplay=true`);
  await player.getByText('The live stream has not started yet').waitFor({ timeout: 60_000 });
  return player;
}

async function signPage({ libraryId, mediaId }: MediaKey): Promise<string> {
  const { database, secretBox } = fixture.catalogue;
  const zone = await loadZonePolicy({ db: database.db, secretBox }, { by: 'library', libraryId });
  const inOneHour = Math.floor(Date.now() / 1000) + 3_600;
  const { token, expiresSec } = signEmbedToken(zone?.keys.current ?? '', mediaId, { expiresSec: inOneHour });
  return `token=${token}&expires=${expiresSec}`;
}

async function untilPlaying(player: Page): Promise<void> {
  const read = (video: HTMLVideoElement) =>
    video.getVideoPlaybackQuality().totalVideoFrames > 10 ? video.currentTime : 0;
  await expect
    .poll(() => player.locator('video').evaluate(read), { timeout: 60_000, interval: 250 })
    .toBeGreaterThan(4);
  expect(refused).toEqual([]);
}

async function setDrm(version: 'basic' | 'enterprise', access = { playerTokenRequired: false }): Promise<void> {
  const settings = JSON.stringify({ drm: { enabled: true, version }, access });
  await sql`update library set settings = settings || ${settings}::jsonb where id = 1`.execute(
    fixture.catalogue.database.db,
  );
}
