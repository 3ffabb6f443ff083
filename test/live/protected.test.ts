import { spawn } from 'node:child_process';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';
import { faultsOf, playLive, readPlayback } from './live-player.ts';
import { type LiveRoom, openLiveRoom } from './live-room.ts';
import { ended, publish, readText, startLive, until } from './live-service.ts';

let room: LiveRoom;
beforeAll(async () => {
  room = await openLiveRoom();
});
afterAll(() => room.close());

test('parts are encrypted under keys that were there before them, and the video keeps these keys', async () => {
  await setDrm('enterprise');
  const { key, base, publisher } = await goLive();
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
  const page = await playLive(room.browser, room.service.edgeUrl, `${base}/playlist.m3u8`, `${base}/license`);
  const played = await until(async () => {
    const now = await readPlayback(page);
    return now.timeSec > 4 ? now : null;
  }, 'playback');
  expect(faultsOf(played.errors)).toEqual([]);
  expect(played.frames).toBeGreaterThan(10);
  await room.catalogue.streams.change(key, stopStream);
  await ended(publisher);
  const video = await until(async () => {
    const text = await readText(playlist);
    return text?.includes('#EXT-X-ENDLIST') ? text : null;
  }, 'the video');
  expect(video).toContain(keyLine);
  expect(video).toContain('e1/0.m4s');
  const { rows } = await sql`select from drm_package where media_id = ${key.mediaId}`.execute(
    room.catalogue.database.db,
  );
  expect(rows).toHaveLength(1);
  await page.close();
}, 120_000);

test('under basic protection a play session gets whole segments, encrypted under its own key', async () => {
  await setDrm('basic');
  const { key, base, publisher } = await goLive();
  await until(() => readText(`${base}/playlist.m3u8`), 'a playlist');
  const page = await playLive(room.browser, room.service.edgeUrl, `${base}/playlist.m3u8`);
  const played = await until(async () => {
    const now = await readPlayback(page);
    return now.timeSec > 3 ? now : null;
  }, 'playback');
  expect(faultsOf(played.errors)).toEqual([]);
  const multivariant = (await readText(`${base}/playlist.m3u8`)) ?? '';
  const playlist = `${base}/${/^r\/.*m3u8$/m.exec(multivariant)?.[0]}`;
  const live = (await readText(playlist)) ?? '';
  expect(live).toContain('METHOD=AES-128');
  expect(live).not.toContain('EXT-X-PART');
  const stored = await fetch(new URL('0.m4s', playlist));
  expect(Buffer.from(await stored.arrayBuffer()).includes('moof')).toBe(false);
  await room.catalogue.streams.change(key, stopStream);
  await ended(publisher);
  await page.close();
}, 120_000);

test('after another process has sent parts, media goes on under a rendition of its own, which repeats no IV', async () => {
  await setDrm('enterprise');
  const { key, base, publisher, streamKey } = await goLive();
  const multivariant = await until(() => readText(`${base}/playlist.m3u8`), 'a playlist');
  const playlist = `${base}/${/^r\/.*m3u8$/m.exec(multivariant)?.[0]}`;
  await until(async () => ((await readText(playlist))?.includes('#EXTINF') ? true : null), 'a segment');
  killAll(await findProcesses(room.service, 'role.ts ingest'));
  await ended(publisher);
  const { listeners } = await until(async () => {
    const health = await room.service.health();
    return health.status === 'ok' && health.listeners.rtmp !== undefined ? health : null;
  }, 'the next ingest process');
  const second = publish(`rtmp://127.0.0.1:${listeners.rtmp}/live/${streamKey}`);
  const periods = await until(async () => {
    const { rows } = await sql<{ prefixes: number[] }>`
      select array_agg(r.iv_prefix) as prefixes from live_period p join rendition r on r.timeline_id = p.timeline_id
      where p.media_id = ${key.mediaId} and r.kind = 'video' and r.origin = 'pass-through' group by p.number`.execute(
      room.catalogue.database.db,
    );
    return rows.length > 1 ? rows : null;
  }, 'a period of the process that took over');
  expect(new Set(periods.flatMap(({ prefixes }) => prefixes)).size).toBe(periods.length);
  await room.catalogue.streams.change(key, stopStream);
  await ended(second);
}, 120_000);

test('pictures that cannot be encrypted are refused, and nothing of them is kept', async () => {
  await setDrm('enterprise');
  const { key, streamKey, listeners } = await startLive(room);
  const picture = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25', '-c:v', 'libx265'];
  const encoder = ['-preset', 'ultrafast', '-x265-params', 'keyint=25:log-level=error', '-f', 'mpegts'];
  const address = `srt://127.0.0.1:${listeners.srt}?streamid=${streamKey}`;
  const argv = ['-v', 'error', ...picture, ...encoder, address];
  const publisher = endWithTest(spawn('ffmpeg', argv, { stdio: ['ignore', 'ignore', 'pipe'] }));
  expect(await ended(publisher)).not.toBe(0);
  // It had been let in: by its key alone it is not refused.
  const { rows: leases } = await sql`select session from live_lease where stream_id = ${key.mediaId}`.execute(
    room.catalogue.database.db,
  );
  expect(leases).toEqual([{ session: 1 }]);
  const { rows } = await sql`select from live_period where media_id = ${key.mediaId}`.execute(
    room.catalogue.database.db,
  );
  expect(rows).toEqual([]);
  await room.catalogue.streams.change(key, stopStream);
}, 120_000);

async function goLive() {
  const stream = await startLive(room);
  return { ...stream, publisher: publish(stream.ingest) };
}

async function setDrm(version: 'basic' | 'enterprise'): Promise<void> {
  const drm = JSON.stringify({ drm: { enabled: true, version } });
  await sql`update library set settings = settings || ${drm}::jsonb where id = 1`.execute(room.catalogue.database.db);
}
