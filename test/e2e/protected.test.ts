import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { encode } from '../support/media/read-test-media.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, getVideo, untilVideo } from '../support/videos.ts';

const PLAY_LIMIT_MS = 60_000;

let service: Service;
let browser: Browser;
let clip: Buffer;

beforeAll(async () => {
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=24:d=4', '-f', 'lavfi', '-i', 'sine=440:d=4'];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '48', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  [service, browser, clip] = await Promise.all([
    startService(null),
    openBrowser(),
    encode([...source, ...codecs, '-f', 'mp4', '-movflags', 'frag_keyframe+empty_moov']),
  ]);
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
});

async function account(method: string, path: string, change?: object) {
  const headers = { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' };
  const response = await fetch(`${service.apiUrl}${path}`, {
    method,
    headers,
    ...(change && { body: JSON.stringify(change) }),
  });
  expect(response.status).toBe(200);
  return Object(await response.json());
}
const setLibrary = (change: object) => account('POST', '/videolibrary/1', change);

async function upload(): Promise<string> {
  const guid = await createVideo(service, 'A film');
  const headers = { AccessKey: 'test-library-key-0123456789abcdef' };
  await fetch(`${service.apiUrl}/library/1/videos/${guid}`, { method: 'PUT', headers, body: new Uint8Array(clip) });
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  return guid;
}

const folderOf = (guid: string) => `${service.edgeUrl}/vz-1/${guid}`;
const textOf = async (address: string) => (await fetch(address)).text();

/** Returns the media playlist of the first variant. */
async function mediaOf(guid: string): Promise<string> {
  const [address = ''] = /^r\/.*video\.m3u8.*$/m.exec(await textOf(`${folderOf(guid)}/playlist.m3u8`)) ?? [];
  return textOf(`${folderOf(guid)}/${address}`);
}

async function expectPlays(guid: string): Promise<void> {
  const page = await browser.newPage(SMALL_PAGE);
  await page.goto(`${service.edgeUrl}/embed/1/${guid}?muted=true`);
  const frames = () =>
    page.locator('video').evaluate((video: HTMLVideoElement) => video.getVideoPlaybackQuality().totalVideoFrames);
  await expect.poll(frames, { timeout: PLAY_LIMIT_MS }).toBeGreaterThan(24);
  await page.close();
}

test('Enterprise DRM protects new uploads, others once repackaged, and re-encodes stay protected', async () => {
  const before = await upload();
  expect(await mediaOf(before)).not.toContain('EXT-X-KEY');
  await expect(call(service, 'POST', `/library/1/videos/${before}/repackage`)).rejects.toThrow('400');

  await setLibrary({ EnableDRM: true, DrmVersion: 1 });
  const guid = await upload();
  expect(await mediaOf(guid)).toContain('KEYFORMAT="org.w3.clearkey"');
  await expectPlays(guid);
  expect(await getVideo(service, guid)).toMatchObject({ hasMP4Fallback: false });
  expect((await fetch(`${folderOf(guid)}/play_240p.mp4`)).status).toBe(404);

  // Files from before the change play in the clear until they are requested again.
  await vi.waitFor(async () => expect((await fetch(`${folderOf(before)}/play_240p.mp4`)).status).toBe(404), 30_000);
  expect(await mediaOf(before)).not.toContain('EXT-X-KEY');
  const repackaged = await call(service, 'POST', `/library/1/videos/${before}/repackage?keepOriginalFiles=true`);
  expect(repackaged).toMatchObject({ guid: before, status: FINISHED, encodeProgress: 100 });
  await vi.waitFor(async () => expect(await mediaOf(before)).toContain('EXT-X-KEY'), 30_000);
  await expectPlays(before);

  const multivariant = () => textOf(`${folderOf(guid)}/playlist.m3u8`);
  const old = await multivariant();
  await call(service, 'POST', `/library/1/videos/${guid}/reencode`);
  await untilVideo(service, guid, ({ status }) => status !== FINISHED).catch(() => null);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  await vi.waitFor(async () => expect(await multivariant()).not.toBe(old), 30_000);
  expect(await mediaOf(guid)).toContain('KEYFORMAT="org.w3.clearkey"');
  await expectPlays(guid);

  await setLibrary({ DrmVersion: 0 });
  await vi.waitFor(async () => expect(await mediaOf(guid)).toContain('METHOD=AES-128'), 30_000);
  await expectPlays(guid);
  await setLibrary({ EnableDRM: false });
  await vi.waitFor(async () => expect(await mediaOf(guid)).not.toContain('EXT-X-KEY'), 30_000);
});

test('API responses for a zone with tokens contain valid URLs, with image tokens only for images', async () => {
  const guid = await upload();
  const { guid: collection } = Object(await call(service, 'POST', '/library/1/collections', { name: 'Shown' }));
  await call(service, 'POST', `/library/1/videos/${guid}`, { collectionId: collection });
  const { PullZoneId } = await account('GET', '/videolibrary/1');
  const setZone = (change: object) => account('POST', `/pullzone/${PullZoneId}`, change);
  await setZone({ ZoneSecurityEnabled: true, ZoneSecurityIncludeHashRemoteIP: true });
  const read = async (path: string) => Object(await call(service, 'GET', path));
  const statusOf = async (address: string) => (await fetch(address)).status;
  await vi.waitFor(async () => expect(await statusOf(`${folderOf(guid)}/thumbnail.jpg`)).toBe(403), 30_000);

  const video = await read(`/library/1/videos/${guid}`);
  const { items } = await read('/library/1/videos');
  const collections = `/library/1/collections`;
  const one = await read(`${collections}/${collection}?includeThumbnails=true`);
  const all = await read(`${collections}?includeThumbnails=true`);
  const play = await read(`/library/1/videos/${guid}/play`);
  const heat = await read(`/library/1/videos/${guid}/play/heatmap`);
  const embed = `${service.edgeUrl}/embed/1/${guid}`;
  const oembed = await read(`/OEmbed?url=${encodeURIComponent(embed)}`);
  const images = [
    video.thumbnailUrl,
    items.find((item: { guid: string }) => item.guid === guid).thumbnailUrl,
    ...one.previewImageUrls,
    ...all.items[0].previewImageUrls,
    play.video.thumbnailUrl,
    oembed.thumbnail_url,
  ];
  expect(images.length).toBe(6);
  const files = [play, heat].flatMap(({ thumbnailUrl, fallbackUrl, videoPlaylistUrl, previewUrl, seekPath }) => [
    ...[thumbnailUrl, fallbackUrl, videoPlaylistUrl, previewUrl, `${seekPath}/_0.jpg`],
  ]);
  const given = files.filter((address) => address !== null);
  expect(given.length).toBeGreaterThanOrEqual(8);
  for (const address of [...images, ...given]) expect([address, await statusOf(address)]).toEqual([address, 200]);
  for (const image of images) {
    const file = new URL(image).pathname.split('/').at(-1) ?? '';
    expect(await statusOf(image.replace(file, 'playlist.m3u8'))).toBe(403);
  }
  const candidate = encodeURIComponent(play.thumbnailUrl.replace('thumbnail.jpg', 'thumbnail_1.jpg'));
  await call(service, 'POST', `/library/1/videos/${guid}/thumbnail?thumbnailUrl=${candidate}`);
  expect(await statusOf((await read(`/library/1/videos/${guid}`)).thumbnailUrl)).toBe(200);
  await setZone({ ZoneSecurityEnabled: false, ZoneSecurityIncludeHashRemoteIP: false });
});
