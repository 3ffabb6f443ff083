import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let guid: string;
beforeAll(async () => {
  api = await startTestApi();
  guid = Object((await api.call('POST', '/library/1/videos', { body: { title: 'Played' } })).body).guid;
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const play = (query = '', headers = {}) =>
  api.call('GET', `/library/1/videos/${guid}/play${query}`, { key: null, headers });
const setSettings = (settings: object) =>
  api.database.db
    .updateTable('library')
    .set({ settings: JSON.stringify(settings) })
    .where('id', '=', 1)
    .execute();

/** Fields that clients decode without checking for null. */
const NEVER_NULL = [
  'thumbnailUrl',
  'videoPlaylistUrl',
  'controls',
  'playerKeyColor',
  'fontFamily',
  'captionsFontColor',
  'captionsBackground',
  'uiLanguage',
  'captionsPath',
  'seekPath',
];

test('play data contains every edge URL and needs no key', async () => {
  const { status, body } = await play();
  expect(status).toBe(200);
  const data = Object(body);
  const base = `http://edge.test/vz-1/${guid}`;
  expect(data).toMatchObject({
    video: { guid, title: 'Played', status: 0 },
    libraryName: 'default',
    captionsPath: `${base}/captions/`,
    seekPath: `${base}/seek`,
    videoPlaylistUrl: `${base}/playlist.m3u8`,
    fallbackUrl: null,
    originalUrl: null,
    isPlayable: false,
    preferredPlaybackSource: 'None',
    tokenAuthEnabled: false,
    pullZoneId: 1,
  });
  expect(NEVER_NULL.filter((field) => typeof data[field] !== 'string')).toEqual([]);
});

test('the video and its play data list the images that exist', async () => {
  const board = { durationMs: 30_000, everySec: 2, frames: 15, tileWidthPx: 300, tileHeightPx: 168 };
  const set = { timelineId: newGuid(), folder: 'x', board, posters: 5, previews: ['preview.webp', 'preview_hq.mp4'] };
  const change = (images: string | null, frames: number) =>
    api.database.db
      .updateTable('media')
      .set({ images, thumbnail_count: frames, thumbnail_blurhash: images && 'LBEyb[_3fQ_3~qt7fQt7fQfQfQfQ' })
      .where('id', '=', guid as Guid)
      .execute();
  expect((await play()).body).toMatchObject({ previewUrl: null, video: { hasHighQualityPreview: false } });
  await change(JSON.stringify(set), 15);
  expect((await play()).body).toMatchObject({
    previewUrl: `http://edge.test/vz-1/${guid}/preview.webp`,
    video: {
      hasHighQualityPreview: true,
      thumbnailCount: 15,
      thumbnailBlurhash: 'LBEyb[_3fQ_3~qt7fQt7fQfQfQfQ',
    },
  });
  await change(null, 0);
});

test('reports a video as playable when an active rendition has a segment', async () => {
  const [timeline, rendition] = [newGuid(), newGuid()];
  const { db } = api.database;
  const of = { library_id: 1, media_id: guid as Guid };
  await db
    .insertInto('timeline')
    .values({ ...of, id: timeline, grid: 'frames', timescale: 24, start_ticks: [0], end_ticks: 96, active: true })
    .execute();
  const video = { kind: 'video', origin: 'encode', codec: 'h264', rung: 720, key_group: 'hd', timescale: 24 } as const;
  await db
    .insertInto('rendition')
    .values({ ...of, ...video, id: rendition, timeline_id: timeline, state: 'building', active: true, plan: '{}' })
    .execute();
  expect((await play()).body).toMatchObject({ isPlayable: false });
  const bytes = Buffer.alloc(12);
  await db
    .insertInto('chunk')
    .values({
      ...of,
      rendition_id: rendition,
      first_segment: 0,
      segment_count: 1,
      attempt: 1,
      revision: 1,
      storage_key: 'k' as never,
      size_bytes: 1,
      idx_bytes: 1,
      sha256: bytes,
      start_tick: 0,
      duration_ticks: 96,
      fragment_table: bytes,
      samples: 1,
      cts_runs: 1,
      sync_count: 1,
      peak_segment_bps: 1,
    })
    .execute();
  expect((await play()).body).toMatchObject({
    isPlayable: true,
    preferredPlaybackSource: 'Playlist',
    fallbackUrl: null,
  });
  await db.updateTable('rendition').set({ state: 'finished' }).execute();
  await db.updateTable('media').set({ state: 'finished' }).execute();
  expect((await play()).body).toMatchObject({
    fallbackUrl: `http://edge.test/vz-1/${guid}/play_720p.mp4`,
    video: { status: 4, encodeProgress: 100, availableResolutions: '720p', outputCodecs: 'x264', hasMP4Fallback: true },
  });
});

test('play data of a library with token authentication requires a valid, unexpired token', async () => {
  await setSettings({ access: { playerTokenRequired: true } });
  await vi.waitFor(async () => expect((await play()).status).toBe(401), { timeout: 20_000, interval: 50 });
  const zone = await api.database.db.selectFrom('pull_zone').selectAll().where('library_id', '=', 1).execute();
  const key = api.secretBox.open(zone[0]?.security_key_sealed ?? Buffer.alloc(0));
  const expires = Math.floor(Date.now() / 1000) + 60;
  const token = (of: string, until: number) => createHash('sha256').update(`${of}${guid}${until}`).digest('hex');
  expect((await play(`?token=${token(key, expires)}&expires=${expires}`)).status).toBe(200);
  expect((await play(`?token=${token(api.first.libraryKey, expires)}&expires=${expires}`)).status).toBe(200);
  expect((await play(`?token=${token(key, 1)}&expires=1`)).status).toBe(401);
  expect((await play(`?token=${token(key, expires)}&expires=${expires + 1}`)).status).toBe(401);
});

test('applies referrer rules to play data, except for requests from our own player', async () => {
  await setSettings({ access: { allowedReferrers: ['good.test'], blockNoneReferrer: true } });
  const good = () => play('', { Referer: 'https://good.test/page' });
  await vi.waitFor(async () => expect((await good()).status).toBe(200), { timeout: 20_000, interval: 50 });
  expect((await play()).status).toBe(401);
  expect((await play('', { Referer: 'https://bad.test/page' })).status).toBe(401);
  expect((await play('', { Origin: 'https://bad.test' })).status).toBe(401);
  expect((await play('', { Referer: 'http://edge.test/embed/1/x' })).status).toBe(200);
  // A Referer that equals the Host header is not accepted, because the client chooses both.
  expect((await play('', { Referer: `${api.url}/page` })).status).toBe(401);
});

test('returns 404 for an unknown video or library', async () => {
  expect((await api.call('GET', '/library/1/videos/x/play', { key: null })).status).toBe(404);
  expect((await api.call('GET', `/library/999/videos/${guid}/play`, { key: null })).status).toBe(404);
});
