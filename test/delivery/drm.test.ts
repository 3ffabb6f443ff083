import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bumpPublication } from '../../src/catalog/db.ts';
import { readFragment } from '../../src/media/cmaf/fragment.ts';
import { kidBytes, kidOfBytes } from '../../src/media/drm/keys/content-keys.ts';
import { peakOfWindows } from '../../src/media/presentation/peak-of-windows.ts';
import type { SchemeName } from '../../src/ports/drm-key-source.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import {
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
import { HLS_JS, openScriptPage, type Playback, playInHlsJs, playInShaka, SHAKA } from './in-page.ts';

const SCHEMES = ['cbcs', 'cenc'] as const;

let fixture: DrmFixture;
let films: Record<SchemeName, Shown>;
let context: BrowserContext;

beforeAll(async () => {
  fixture = await openDrmFixture();
  context = await fixture.browser.newContext(SMALL_PAGE);
  films = { cbcs: await fixture.protect('cbcs'), cenc: await fixture.protect('cenc') };
});
afterAll(() => fixture.close());

const inTenMinutes = () => Math.floor(Date.now() / 1000) + 600;

function expectWhole(seen: Playback): void {
  expect(seen.errors).toEqual([]);
  // A player that paused to buffer may decode some frames twice.
  expect(seen.frames).toBeGreaterThanOrEqual(FRAMES);
  expect(seen.endedAtSec).toBeCloseTo((FRAMES * 1001) / 24_000, 0);
}

test.each(SCHEMES)('a video protected with %s plays to the end in hls.js with ClearKey', async (scheme) => {
  const shown = films[scheme];
  const page = await openScriptPage(context, fixture.edge.base, HLS_JS);
  expectWhole(await playInHlsJs(page, `${shown.folder}/playlist.m3u8`, `${shown.folder}/license`));
  await page.close();
});

test.each(SCHEMES)('a video protected with %s plays to the end in Shaka over DASH', async (scheme) => {
  const shown = films[scheme];
  const page = await openScriptPage(context, fixture.edge.base, SHAKA);
  expectWhole(await playInShaka(page, `${shown.folder}/manifest.mpd`));
  await page.close();
});

test('the player page plays a protected video with Shaka where hls.js gets no key system', async () => {
  const shown = films.cbcs;
  const page = await fixture.browser.newPage(SMALL_PAGE);
  // The page's own script records them, because the browser's key systems suit only Shaka.
  await page.addInitScript(() => {
    const request = navigator.requestMediaKeySystemAccess.bind(navigator);
    navigator.requestMediaKeySystemAccess = (name, configurations) => {
      const isOfShaka = new Error().stack?.includes('shaka-engine') === true;
      return isOfShaka ? request(name, configurations) : Promise.reject(new DOMException('None.', 'NotSupportedError'));
    };
  });
  const addresses: string[] = [];
  page.on('request', (sent) => addresses.push(new URL(sent.url()).pathname));
  await page.goto(`${fixture.edge.base}/embed/${shown.libraryId}/${shown.mediaId}?muted=true`);
  const read = () =>
    page.locator('video').evaluate((video: HTMLVideoElement) => ({
      isEnded: video.ended,
      frames: video.getVideoPlaybackQuality().totalVideoFrames,
    }));
  await expect.poll(async () => (await read()).isEnded, { timeout: 60_000 }).toBe(true);
  expect((await read()).frames).toBeGreaterThan(FRAMES / 2);
  expect(addresses).toContain(new URL(`${shown.folder}/manifest.mpd`).pathname);
  await page.mouse.move(200, 200);
  await page.locator('bunny-settings-menu-button').click();
  await page.getByRole('menuitem', { name: 'Quality' }).click();
  expect(await page.getByRole('menuitemradio').allTextContents()).toEqual([
    expect.stringMatching(/^Auto/),
    '180p',
    '90p',
  ]);
  await page.close();
});

test.each(SCHEMES)('a video protected with %s plays to the end in Shaka over HLS with raw keys', async (scheme) => {
  const shown = films[scheme];
  const page = await openScriptPage(context, fixture.edge.base, SHAKA);
  expectWhole(await playInShaka(page, `${shown.folder}/playlist.m3u8?drm=identity`));
  await page.close();
});

test.each(SCHEMES)('a video protected with %s has valid playlists and one key for each group', async (scheme) => {
  const shown = films[scheme];
  expect(checkPlaylist(await textOf(`${shown.folder}/playlist.m3u8`))).toEqual([]);
  expect(checkPlaylist(await textOf(`${shown.folder}/r/${shown.audio.renditionId}/video.m3u8`))).toEqual([]);
  expect(new Set(await kidsOf(shown)).size).toBe(3);
  const init = await bytesOf(`${shown.folder}/r/${shown.audio.renditionId}/e1/init.mp4`);
  for (const kid of await kidsOf(shown)) {
    const bytes = kidBytes(kidOfBytes(Buffer.from(kid, 'base64url')));
    expect(init.indexOf(bytes), 'every init segment names all key ids').toBeGreaterThan(0);
  }
});

test.each(SCHEMES)(
  'a video protected with %s returns the same encrypted bytes each time, whole and in every range',
  async (scheme) => {
    const shown = films[scheme];
    const address = `${shown.folder}/r/${shown.videos[0]?.renditionId}/e1/0.m4s`;
    const whole = await bytesOf(address);
    expect(whole.equals(await bytesOf(address))).toBe(true);
    const other = await fixture.edgeFixture.start({ limits: { protectedCacheBytes: 0 } });
    expect(whole.equals(await bytesOf(address.replace(fixture.edge.base, other.base)))).toBe(true);
    await other.close();
    for (const [start, end] of [
      [0, 10],
      [7, 5_000],
      [whole.length - 3, whole.length],
    ] as const) {
      const part = await bytesOf(address, { range: `bytes=${start}-${end - 1}` });
      expect(part.equals(whole.subarray(start, end))).toBe(true);
    }
    const past = await fetch(address, { headers: { range: `bytes=${whole.length}-` } });
    expect([past.status, past.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`]);
    const head = await fetch(address, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(`${whole.length}`);
    const etag = head.headers.get('etag') ?? '';
    expect(await statusOf(address, { headers: { 'if-none-match': etag } })).toBe(304);
  },
);

test('a player that has cached encrypted bytes gets 304 without a read from the store', async () => {
  const shown = await fixture.protect('cenc');
  const address = `${shown.folder}/r/${shown.videos[0]?.renditionId}/e1/0.m4s`;
  const etag = (await fetch(address, { method: 'HEAD' })).headers.get('etag') ?? '';
  const rows = await fixture.database.db
    .selectFrom('chunk')
    .select('storage_key')
    .where('media_id', '=', shown.mediaId)
    .execute();
  for (const { storage_key: key } of rows) await fixture.edgeFixture.storage.remove(key);
  const other = await fixture.edgeFixture.start();
  const there = address.replace(fixture.edge.base, other.base);
  expect(await statusOf(there, { headers: { 'if-none-match': etag } })).toBe(304);
  const before = fixture.edge.lines.length;
  expect(await statusOf(there)).toBeGreaterThanOrEqual(500);
  // All edges of this process share one log, whose other errors fail this file.
  const failed = { event: 'delivery.failed', path: new URL(there).pathname };
  expect(fixture.edge.lines.splice(before)).toMatchObject([{ level: 'error', fields: failed }]);
  await other.close();
});

test.each(SCHEMES)(
  'a video protected with %s is listed with bitrates that its segments do not exceed',
  async (scheme) => {
    const { folder } = films[scheme];
    const text = await textOf(`${folder}/playlist.m3u8`);
    const sound = await peakOf(`${folder}/${/TYPE=AUDIO.*URI="([^"]+)"/.exec(text)?.[1]}`);
    for (const [, listed, address] of text.matchAll(/#EXT-X-STREAM-INF:BANDWIDTH=(\d+).*RESOLUTION.*\n(.+)/g)) {
      const peak = sound + (await peakOf(`${folder}/${address}`));
      expect(Number(listed)).toBeGreaterThanOrEqual(peak);
      expect(Number(listed)).toBeLessThan(peak * 1.2);
    }
  },
);

/** Returns the peak bitrate of a media playlist in bits per second, over the windows of RFC 8216 section 4.1. */
async function peakOf(address: string): Promise<number> {
  const text = await textOf(address);
  const entries = [...text.matchAll(/#EXTINF:([\d.]+),\n(.+)/g)];
  const segments = entries.map(async ([, sec, name]) => {
    const { length } = await bytesOf(new URL(name ?? '', address).href);
    return { bytes: length, sec: Number(sec) };
  });
  return peakOfWindows(await Promise.all(segments), Number(/#EXT-X-TARGETDURATION:(\d+)/.exec(text)?.[1]));
}

test.each(SCHEMES)(
  'a video protected with %s lists I-frames that are encrypted as in their segments',
  async (scheme) => {
    const shown = films[scheme];
    await expect.poll(() => textOf(`${shown.folder}/playlist.m3u8`)).toContain('I-FRAME-STREAM-INF');
    const folder = `${shown.folder}/r/${shown.videos[0]?.renditionId}/e1`;
    const list = await textOf(`${folder}/i-frames.m3u8`);
    expect(checkPlaylist(list)).toEqual([]);
    expect(list).toContain('KEYFORMAT="org.w3.clearkey"');
    const first = /^i\/\d+\.m4s$/m.exec(list)?.[0] ?? '';
    const picture = readFragment(await bytesOf(`${folder}/${first}`)).payload;
    const segment = readFragment(firstFragment(await bytesOf(`${folder}/0.m4s`)));
    expect(picture.equals(segment.payload.subarray(0, segment.samples[0]?.sizeBytes))).toBe(true);
  },
);

test.each(SCHEMES)('a video protected with %s returns no clear bytes at any URL', async (scheme) => {
  const shown = films[scheme];
  const { db } = fixture.database;
  const source = await fixture.edgeFixture.storage.write(
    `${shown.libraryId}/${shown.mediaId}/source/x`,
    Buffer.from('the original'),
  );
  const open = { originals: { keep: true, expose: true, allowEarlyPlay: true }, mp4: { enabled: true } };
  const settings = JSON.stringify({ ...ENTERPRISE, ...open });
  await db.updateTable('library').set({ settings }).where('id', '=', shown.libraryId).execute();
  await db
    .updateTable('media')
    .set({ source_key: source as StorageKey })
    .where('id', '=', shown.mediaId)
    .execute();
  await db.transaction().execute((tx) => bumpPublication(tx, shown));
  const session = 'A'.repeat(43);
  const names = ['init.mp4', '0.m4s', '1.m4s', 'i-frames.m3u8', 'i/0.m4s'];
  const files = [...shown.videos, shown.audio].flatMap(({ renditionId }) =>
    ['', 'e2/', 'e999999999/', `${session}/`].flatMap((cover) =>
      names.map((name) => `r/${renditionId}/${cover}${name}`),
    ),
  );
  const tops = ['original', 'play_180p.mp4', 'play_90p.mp4', `key/${session}`, `key/${shown.mediaId}`];
  for (const file of [...files, ...tops]) {
    for (const prefix of foldersOf(shown.folder)) {
      const status = await statusOf(`${prefix}/${file}`);
      expect([403, 404], `${prefix}/${file}`).toContain(status);
    }
    expect([403, 404]).toContain(await statusOf(`${shown.folder}/${file}`, { headers: { range: 'bytes=0-99' } }));
  }
});

test('an unprotected video returns clear bytes at the same URLs', async () => {
  const shown = await fixture.publish({ mp4: { enabled: true } });
  const files = [...shown.videos, shown.audio].flatMap(({ renditionId }) =>
    ['init.mp4', '0.m4s', '1.m4s'].map((name) => `r/${renditionId}/${name}`),
  );
  const addresses = [...files, 'play_180p.mp4'].flatMap((file) => foldersOf(shown.folder).map((at) => `${at}/${file}`));
  for (const address of addresses) expect([address, await statusOf(address)]).toEqual([address, 200]);
});

/** Returns the folder without and with a token in the path, after the pull zone. */
function foldersOf(folder: string): string[] {
  return [folder, folder.replace(/\/vz-[^/]+/, (zone) => `${zone}/bcdn_token=x&expires=1`)];
}

function firstFragment(segment: Buffer): Buffer {
  const moofBytes = segment.readUInt32BE(0);
  return segment.subarray(0, moofBytes + segment.readUInt32BE(moofBytes));
}

describe('the player page', () => {
  test.each([
    { what: 'Enterprise DRM', settings: ENTERPRISE },
    { what: 'basic DRM', settings: BASIC },
  ])('the player page plays a video under $what with the token of its own URL', async ({ settings }) => {
    const shown = await fixture.publish({ ...settings, access: { playerTokenRequired: true } });
    if (settings === ENTERPRISE) await fixture.repackage(shown);
    const page = await fixture.browser.newPage(SMALL_PAGE);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('response', (response) => void (response.status() >= 400 && faults.push(response.url())));
    const token = await fixture.signToken(shown, inTenMinutes());
    await page.goto(`${fixture.edge.base}/embed/${shown.libraryId}/${shown.mediaId}${token}&muted=true`);
    const frames = () =>
      page.locator('video').evaluate((video: HTMLVideoElement) => video.getVideoPlaybackQuality().totalVideoFrames);
    await expect.poll(frames, { timeout: 60_000 }).toBeGreaterThan(24);
    expect(faults).toEqual([]);
    await page.close();
  });

  test('the player reports that playback is not allowed if keys are refused', async () => {
    const shown = await fixture.protect('cbcs');
    const page = await fixture.browser.newPage(SMALL_PAGE);
    await page.route('**/license*', (route) => route.fulfill({ status: 403, body: '{}' }));
    await page.goto(`${fixture.edge.base}/embed/${shown.libraryId}/${shown.mediaId}?muted=true`);
    await page.getByText('You are not allowed to play this video here.').waitFor({ timeout: 60_000 });
    await page.close();
  });
});

test('limits concurrent encrypted responses per client without affecting other clients', async () => {
  const { libraryId, mediaId, audio } = films.cbcs;
  const zone = fixture.database.db.updateTable('pull_zone').where('library_id', '=', libraryId);
  // At this rate, a segment takes seconds after the first kilobyte.
  await zone.set({ settings: JSON.stringify({ rateKBps: 20, rateAfterKB: 1 }) }).execute();
  const edge = await fixture.edgeFixture.start({ trustedProxies: ['127.0.0.1'], limits: { encryptionsPerClient: 1 } });
  const address = `${edge.base}/vz-${libraryId}/${mediaId}/r/${audio.renditionId}/e1/0.m4s`;
  const ask = (client: number) => fetch(address, { headers: { 'x-forwarded-for': `192.0.2.${client}` } });
  const held = [await ask(1), await ask(2)];
  expect(held.map(({ status }) => status)).toEqual([200, 200]);
  expect((await ask(1)).status).toBe(503);
  await Promise.all(held.map((response) => response.arrayBuffer()));
  await expect.poll(async () => (await ask(1)).status).toBe(200);
  await edge.close();
  await zone.set({ settings: '{}' }).execute();
});
