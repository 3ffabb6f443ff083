import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { makeClip } from '../support/media/run-clip.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

const HANG_MS = 300_000;
const TONE = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:d=4'];
const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10:d=4'];

let service: Service;
let browser: Browser;
let context: BrowserContext;
let folder = '';
const ids = { video: '', sound: '', empty: '', stream: '', collection: '' };

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-console-'));
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
  ids.video = await createVideo(service, 'A film');
  await uploadFile(service, ids.video, await makeClip(folder, 'film.mp4', [...PICTURE, ...TONE, ...codecs]));
  ids.sound = await createVideo(service, 'A podcast');
  await uploadFile(service, ids.sound, await makeClip(folder, 'sound.flac', TONE));
  ids.empty = await createVideo(service, 'A video without a file');
  ids.stream = Object(await call(service, 'POST', '/library/1/live', { title: 'Market day', recordVod: true })).guid;
  ids.collection = Object(await call(service, 'POST', '/library/1/collections', { name: 'Films' })).guid;
  await untilVideo(service, ids.sound, ({ status }) => status === FINISHED);
  await untilVideo(service, ids.video, ({ status }) => status === FINISHED);
  await call(service, 'POST', `/library/1/videos/${ids.video}`, { collectionId: ids.collection });
  context = (await openDashboard(service, browser, { key: ACCOUNT_KEY })).context();
}, HANG_MS);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  if (folder !== '') await rm(folder, { recursive: true, force: true });
});

async function shareOf(place: string, fields: object): Promise<string> {
  return Object(await call(service, 'POST', `/library/1/${place}/shares`, fields)).url;
}

const embed = (id: string) => `${service.edgeUrl}/embed/1/${id}`;
const screen = (place: string) => `${service.apiUrl}/dashboard/library/1/${place}`;
const allow = { allowDownload: true, allowComments: true };
const PAGES: readonly [name: string, address: () => string | Promise<string>][] = [
  ['an embed', () => embed(ids.video)],
  ['an embed of audio', () => embed(ids.sound)],
  ['an embed of a video without a file', () => embed(ids.empty)],
  ['an embed of a live stream that has not started', () => embed(ids.stream)],
  ['a share page', () => shareOf(`videos/${ids.video}`, allow)],
  ['a share page with a password', () => shareOf(`videos/${ids.video}`, { password: 'summer party' })],
  ['a share page of audio', () => shareOf(`videos/${ids.sound}`, allow)],
  ['a share page of a collection', () => shareOf(`collections/${ids.collection}`, {})],
  ['the page of a video', () => screen(`videos/${ids.video}`)],
  ['the page of a video without a file', () => screen(`videos/${ids.empty}`)],
  ['the share tab', () => screen(`videos/${ids.video}/share`)],
  ['the clip maker', () => screen(`videos/${ids.video}/clip`)],
  ['the captions tab', () => screen(`videos/${ids.video}/captions`)],
  ['the page of a live stream', () => screen(`live/${ids.stream}`)],
  ['the player settings', () => screen('settings/player')],
];

test.each(PAGES)(
  'Chromium reports no error, warning or blocked content on %s',
  async (_, address) => {
    const url = await address();
    const page = await context.newPage();
    const reported: string[] = [];
    page.on('pageerror', (error) => reported.push(error.message));
    page.on('console', (line) => {
      if (line.type() !== 'error' && line.type() !== 'warning') return;
      // The page that asks for a password has the status 403.
      const isOwnStatus = line.text().startsWith('Failed to load resource') && line.location().url === url;
      if (!isOwnStatus) reported.push(`${line.text()} (${line.location().url})`);
    });
    await page.goto(url, { timeout: WAIT_MS, waitUntil: 'networkidle' });
    await useFrames(page);
    await page.waitForLoadState('networkidle');
    expect(reported).toEqual([]);
    await page.close();
  },
  HANG_MS,
);

/** Moves the pointer over each player and opens its menu, because parts of it are loaded on first use. */
async function useFrames(page: Page): Promise<void> {
  for (const frame of page.frames()) {
    const player = frame.locator('media-controller[ready]');
    if ((await player.count()) === 0) continue;
    await player.hover();
    const settings = frame.getByRole('button', { name: 'Settings' });
    if (await settings.isVisible()) await settings.click();
  }
}
