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

async function setLibrary(change: object): Promise<void> {
  const response = await fetch(`${service.apiUrl}/videolibrary/1`, {
    method: 'POST',
    headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(change),
  });
  expect(response.status).toBe(200);
}

async function upload(): Promise<string> {
  const guid = await createVideo(service, 'A film');
  const headers = { AccessKey: 'test-library-key-0123456789abcdef' };
  await fetch(`${service.apiUrl}/library/1/videos/${guid}`, { method: 'PUT', headers, body: new Uint8Array(clip) });
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  return guid;
}

const folderOf = (guid: string) => `${service.edgeUrl}/vz-1/${guid}`;
const textOf = async (address: string) => (await fetch(address)).text();

/** The media playlist of the first variant. */
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

test('Enterprise DRM protects uploads at once, others when repackaged, and re-encodes stay protected', async () => {
  const before = await upload();
  expect(await mediaOf(before)).not.toContain('EXT-X-KEY');
  await expect(call(service, 'POST', `/library/1/videos/${before}/repackage`)).rejects.toThrow('400');

  await setLibrary({ EnableDRM: true, DrmVersion: 1 });
  const guid = await upload();
  expect(await mediaOf(guid)).toContain('KEYFORMAT="org.w3.clearkey"');
  await expectPlays(guid);
  expect(await getVideo(service, guid)).toMatchObject({ hasMP4Fallback: false });
  expect((await fetch(`${folderOf(guid)}/play_240p.mp4`)).status).toBe(404);

  // What was there before plays in the clear until it is requested.
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
