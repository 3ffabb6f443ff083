import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLiveStore } from '../../src/catalog/live/streams/live-store.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { kidOfBytes } from '../../src/media/drm/keys/content-keys.ts';
import { LIVE_SETTINGS } from '../live/live-service.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import {
  askLicence,
  BASIC,
  bytesOf,
  type DrmFixture,
  ENTERPRISE,
  FRAMES,
  kidsOf,
  openDrmFixture,
  type Shown,
  statusOf,
  textOf,
} from './drm-fixture.ts';
import { HLS_JS, openScriptPage, playInHlsJs } from './in-page.ts';

let fixture: DrmFixture;

beforeAll(async () => {
  fixture = await openDrmFixture();
});
afterAll(() => fixture.close());

const inOneMinute = () => Math.floor(Date.now() / 1000) + 60;

describe('keys of a protected video', () => {
  test('keys are refused without a token, with a wrong token and for pages of other sites', async () => {
    const access = { playerTokenRequired: true, allowedReferrers: ['good.test'] };
    const shown = await fixture.protect('cbcs', { access });
    const kids = await kidsOf(shown);
    const good = await fixture.signToken(shown, inOneMinute());
    const cases = [
      { query: '', headers: {}, status: 403, code: 'token-denied' },
      { query: good.replace(/token=./, 'token=x'), headers: {}, status: 403, code: 'token-denied' },
      { query: await fixture.signToken(shown, inOneMinute() - 120), headers: {}, status: 403, code: 'token-denied' },
      {
        query: await fixture.signToken({ ...shown, mediaId: shown.timelineId }, inOneMinute()),
        headers: {},
        status: 403,
      },
      { query: good, headers: { referer: 'https://foreign.test/' }, status: 403, code: 'referrer-denied' },
      { query: good, headers: { origin: 'https://foreign.test' }, status: 403, code: 'referrer-denied' },
      { query: good, headers: { referer: 'https://good.test/page' }, status: 200 },
      { query: good, headers: { referer: `${fixture.edge.base}/embed/1/x` }, status: 200 },
      { query: good, headers: {}, status: 200 },
    ];
    for (const { query, headers, status, code } of cases) {
      const answer = await askLicence(shown.folder, kids, query, headers);
      expect([query, answer.status]).toEqual([query, status]);
      if (code !== undefined) expect(Object(await answer.json()).error).toBe(code);
      const kid = kidOfBytes(Buffer.from(kids[0] ?? '', 'base64url'));
      expect(await statusOf(`${shown.folder}/key/${kid}${query}`, { headers })).toBe(status);
      expect(
        await statusOf(`${fixture.edge.base}/embed/${shown.libraryId}/${shown.mediaId}${query}`, { headers }),
      ).toBe(status);
    }
  });

  test('a protected video does not play without keys', async () => {
    const shown = await fixture.protect('cbcs', { access: { blockedReferrers: ['*.localhost'] } });
    // Another hostname of this machine. Browsers treat `*.localhost` as a secure context, which EME requires.
    const origin = fixture.edge.base.replace('127.0.0.1', 'foreign.localhost');
    const page = await fixture.browser.newPage(SMALL_PAGE);
    await page.goto(`${origin}/assets/none`);
    await page.setContent('<!doctype html><video muted></video>');
    await page.addScriptTag({ path: HLS_JS });
    const seen = await playInHlsJs(page, `${shown.folder}/playlist.m3u8`, `${shown.folder}/license`);
    expect([seen.frames, seen.endedAtSec]).toEqual([0, 0]);
    expect(seen.errors.join()).toContain('403');
    await page.close();
  });

  test('keys are returned only for the requested ids and for a valid request', async () => {
    const shown = await fixture.protect('cenc');
    const kids = await kidsOf(shown);
    const { keys } = Object(await (await askLicence(shown.folder, kids.slice(0, 1))).json());
    expect(keys).toMatchObject([{ kid: kids[0], kty: 'oct' }]);
    const unknown = Buffer.alloc(16, 1).toString('base64url');
    expect((await askLicence(shown.folder, [unknown])).status).toBe(404);
    const post = (body: string) => statusOf(`${shown.folder}/license`, { method: 'POST', body });
    expect(await post('{"kids":[]}')).toBe(400);
    expect(await post('x'.repeat(100_000))).toBe(413);
    expect(await statusOf(`${shown.folder}/license`)).toBe(404);
    const preflight = await fetch(`${shown.folder}/license`, { method: 'OPTIONS' });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
  });
});

describe('repackaging', () => {
  test('repackaging adopts new keys and URLs, and keeps the previous version unless told otherwise', async () => {
    const shown = await fixture.protect('cbcs');
    const [first] = await kidsOf(shown);
    const segment = (number: number) => `${shown.folder}/r/${shown.videos[0]?.renditionId}/e${number}/0.m4s`;
    await fixture.repackage(shown, 'cenc');
    await expect.poll(async () => (await kidsOf(shown))[0]).not.toBe(first);
    expect([await statusOf(segment(1)), await statusOf(segment(2))]).toEqual([200, 200]);
    expect((await askLicence(shown.folder, [first ?? ''])).status).toBe(200);
    expect((await bytesOf(segment(1))).equals(await bytesOf(segment(2)))).toBe(false);
    await fixture.repackage(shown, 'cbcs', false);
    await expect.poll(() => statusOf(segment(2))).toBe(404);
    expect([await statusOf(segment(1)), await statusOf(segment(3))]).toEqual([404, 200]);
    expect((await askLicence(shown.folder, [first ?? ''])).status).toBe(404);
  });

  test('repackaging is skipped if the scheme is unchanged, and limited to a number of repetitions', async () => {
    const shown = await fixture.protect('cbcs');
    await fixture.repackage(shown, 'cbcs');
    expect(await numbersOf(shown)).toEqual([1]);
    for (let left = 9; left > 0; left -= 1) await fixture.repackage(shown, left % 2 === 1 ? 'cenc' : 'cbcs');
    expect(await numbersOf(shown)).toHaveLength(10);
    await expect(fixture.repackage(shown, 'cbcs')).rejects.toThrow('packaged 10 times within a day');
    await fixture.repackage(shown, 'cbcs', false);
    expect(await numbersOf(shown)).toEqual([11]);
  });

  test('repackaging without the previous version also deletes retired renditions immediately', async () => {
    const shown = await fixture.publish(ENTERPRISE);
    const [, low] = shown.videos;
    const { db } = fixture.database;
    await db
      .updateTable('rendition')
      .set({ active: false, retired_at: new Date() })
      .where('id', '=', low?.renditionId ?? shown.mediaId)
      .execute();
    await fixture.repackage(shown);
    const playlist = `${shown.folder}/r/${low?.renditionId}/video.m3u8`;
    await expect.poll(() => textOf(playlist)).toContain('e1/0.m4s');
    await fixture.repackage(shown, 'cbcs', false);
    await expect.poll(() => statusOf(playlist)).toBe(404);
  });
});

async function numbersOf({ mediaId }: Shown): Promise<number[]> {
  const rows = await fixture.database.db
    .selectFrom('drm_package')
    .select('number')
    .where('media_id', '=', mediaId)
    .orderBy('number')
    .execute();
  return rows.map(({ number }) => number);
}

test('the database contains keys only in encrypted form', async () => {
  const shown = await fixture.protect('cbcs');
  const { keys } = Object(await (await askLicence(shown.folder, await kidsOf(shown))).json());
  const row = await fixture.database.db
    .selectFrom('drm_package')
    .selectAll()
    .where('media_id', '=', shown.mediaId)
    .executeTakeFirstOrThrow();
  for (const { k } of keys) {
    const key = Buffer.from(String(k), 'base64url');
    expect(row.keys_sealed.indexOf(key)).toBe(-1);
    expect(row.keys_sealed.toString('latin1')).not.toContain(key.toString('hex'));
  }
});

describe('turning Enterprise DRM on and off', () => {
  test('an unpackaged video plays in the clear, and so does a packaged video once DRM is disabled', async () => {
    const shown = await fixture.publish(ENTERPRISE);
    const clear = `${shown.folder}/r/${shown.videos[0]?.renditionId}/0.m4s`;
    expect(await statusOf(clear)).toBe(200);
    await fixture.repackage(shown);
    await expect.poll(() => statusOf(clear)).toBe(404);
    const set = (settings: object) =>
      fixture.database.db
        .updateTable('library')
        .set({ settings: JSON.stringify(settings) })
        .where('id', '=', shown.libraryId)
        .execute();
    await set({});
    await expect.poll(() => statusOf(clear), { timeout: 20_000 }).toBe(200);
    expect(await textOf(`${shown.folder}/playlist.m3u8`)).not.toContain('/e1/');
    await set(ENTERPRISE);
    await expect.poll(() => statusOf(clear), { timeout: 20_000 }).toBe(404);
  });
});

describe('basic DRM', () => {
  test('basic DRM plays to the end in hls.js, with a different key in each session', async () => {
    const shown = await fixture.publish(BASIC);
    const page = await openScriptPage(fixture.browser, fixture.edge.base, HLS_JS);
    const seen = await playInHlsJs(page, `${shown.folder}/playlist.m3u8`, null);
    expect(seen.errors).toEqual([]);
    expect(seen.frames).toBeGreaterThanOrEqual(FRAMES);
    await page.close();
    const keys = await Promise.all([beginSession(shown), beginSession(shown)]);
    expect(keys[0]?.key.length).toBe(16);
    expect(keys[0]?.key.equals(keys[1]?.key ?? Buffer.alloc(0))).toBe(false);
    expect(await statusOf(`${shown.folder}/manifest.mpd`)).toBe(404);
  });

  test('basic DRM playlists are valid and list no clear segments', async () => {
    const shown = await fixture.publish(BASIC);
    const { media, text } = await beginSession(shown);
    expect(checkPlaylist(await textOf(`${shown.folder}/playlist.m3u8`))).toEqual([]);
    expect(checkPlaylist(text)).toEqual([]);
    expect(text).toMatch(/#EXT-X-KEY:METHOD=AES-128,URI="\.\.\/\.\.\/\.\.\/key\/[\w-]{43}"/);
    const [rung] = shown.videos;
    for (const name of ['0.m4s', 'init.mp4', 'i-frames.m3u8', 'i/0.m4s', 'e1/0.m4s', `${'A'.repeat(43)}/0.m4s`]) {
      expect([403, 404]).toContain(await statusOf(`${shown.folder}/r/${rung?.renditionId}/${name}`));
    }
    expect(await statusOf(`${shown.folder}/play_180p.mp4`)).toBe(404);
    const segment = new URL('0.m4s', media).href;
    const whole = await bytesOf(segment);
    expect((await bytesOf(segment, { range: 'bytes=5-99' })).equals(whole.subarray(5, 100))).toBe(true);
    const alias = await textOf(`${shown.folder}/180p/video.m3u8`);
    expect(checkPlaylist(alias)).toEqual([]);
    const [, folder] = /(\.\.\/r\/[\w-]{36}\/[\w-]{43}\/)0\.m4s/.exec(alias) ?? [];
    const first = new URL(`${folder}0.m4s`, `${shown.folder}/180p/`).href;
    expect(await statusOf(first)).toBe(200);
    expect(await textOf(`${shown.folder}/180p/video.m3u8`), 'a player that reads it again').toBe(alias);
    const other = await (await fetch(`${shown.folder}/180p/video.m3u8`, { headers: { 'user-agent': 'TV' } })).text();
    expect(other).not.toBe(alias);
    const head = await fetch(first, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(`${(await bytesOf(first)).length}`);
    expect(await statusOf(first, { headers: { 'if-none-match': head.headers.get('etag') ?? '' } })).toBe(304);
  });

  test('basic DRM starts sessions only for permitted viewers, with keys of one video only', async () => {
    const shown = await fixture.publish({
      ...BASIC,
      access: { playerTokenRequired: true, allowedReferrers: ['good.test'] },
    });
    const good = await fixture.signToken(shown, inOneMinute());
    expect(await statusOf(`${shown.folder}/playlist.m3u8`)).toBe(403);
    expect(await statusOf(`${shown.folder}/r/${shown.audio.renditionId}/video.m3u8`)).toBe(403);
    const headers = { referer: 'https://foreign.test/' };
    expect(await statusOf(`${shown.folder}/playlist.m3u8${good}`, { headers })).toBe(403);
    const { keyUrl } = await beginSession(shown, good);
    expect(await statusOf(keyUrl)).toBe(200);
    expect(await statusOf(keyUrl, { headers })).toBe(403);
    const other = await fixture.publish(BASIC);
    expect(await statusOf(keyUrl.replace(shown.folder, other.folder))).toBe(403);
  });
});

test("a stream's page opens its trailer with the trailer's token, and accepts no stream as a trailer", async () => {
  const trailer = await fixture.publish({ ...BASIC, access: { playerTokenRequired: true } });
  const streams = createLiveStore({ db: fixture.database.db, secretBox: createSecretBox(TEST_SECRET) });
  const { libraryId } = trailer;
  const showWith = async (trailerVideoId: string) => {
    const { stream } = await streams.create({ ...LIVE_SETTINGS, libraryId, trailerVideoId });
    const token = await fixture.signToken({ libraryId, mediaId: stream.id }, inOneMinute());
    const state = await fetch(`${fixture.edge.base}/embed/${libraryId}/${stream.id}/state${token}`);
    return { id: stream.id, source: Object(await state.json()).source };
  };
  const shown = await showWith(trailer.mediaId);
  expect(shown.source.playlistUrl).toContain(trailer.mediaId);
  expect(await statusOf(`${fixture.edge.base}${shown.source.playlistUrl}`)).toBe(200);
  expect((await showWith(shown.id)).source).toBe(null);
});

/** Reads the playlists of a new session, down to its key. */
async function beginSession({ folder }: Shown, query = '') {
  const text = await textOf(`${folder}/playlist.m3u8${query}`);
  const media = `${folder}/${/^r\/.*video\.m3u8$/m.exec(text)?.[0]}`;
  const playlist = await textOf(media);
  const keyUrl = new URL(/METHOD=AES-128,URI="([^"]+)"/.exec(playlist)?.[1] ?? '', media).href;
  return { media, text: playlist, keyUrl, key: await bytesOf(keyUrl) };
}
