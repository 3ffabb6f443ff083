import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { makePaddedClip } from '../support/media/padded-clip.ts';
import { ACCOUNT_KEY, discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { call, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 60_000 };

let service: Service;
let browser: Browser;
let folder: string;
/** A finished private video. */
let film: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-visibility-'));
  film = await create({ title: 'Board meeting', visibility: 'private' });
  const clip = path.join(folder, 'clip.mp4');
  await makePaddedClip(clip, 1_000_000);
  expect((await uploadFile(service, film, clip)).status).toBe(200);
  await untilVideo(service, film, ({ status }) => status === FINISHED);
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

type Video = { guid: string; title: string; visibility: string; isPublic: boolean; thumbnailUrl: string };

async function create(body: object): Promise<string> {
  return ((await call(service, 'POST', '/library/1/videos', body)) as Video).guid;
}

const read = async (guid: string) => (await call(service, 'GET', `/library/1/videos/${guid}`)) as Video;
const list = async (query: string) =>
  ((await call(service, 'GET', `/library/1/videos?${query}`)) as { items: Video[] }).items.map(({ title }) => title);
const statusOf = async (url: string) => (await fetch(url)).status;

function tokenOf(guid: string): string {
  const expires = Math.floor(Date.now() / 1000) + 600;
  const token = createHash('sha256').update(`${LIBRARY_KEY}${guid}${expires}`).digest('hex');
  return `token=${token}&expires=${expires}`;
}

test('play data and oEmbed of a private video need a token, and give signed URLs that play', async () => {
  const play = `${service.apiUrl}/library/1/videos/${film}/play`;
  const player = encodeURIComponent(`${service.edgeUrl}/embed/1/${film}`);
  const oembed = `${service.apiUrl}/OEmbed?url=${player}`;
  for (const url of [play, `${play}/heatmap`]) expect([url, await statusOf(url)]).toEqual([url, 401]);
  expect(await statusOf(oembed)).toBe(401);
  expect(await statusOf(`${oembed}&${tokenOf(film)}`)).toBe(200);
  const data = await (await fetch(`${play}?${tokenOf(film)}`)).json();
  expect(data).toMatchObject({ video: { visibility: 'private' }, tokenAuthEnabled: true });
  expect(await statusOf(data.videoPlaylistUrl)).toBe(200);
  expect(await statusOf(data.thumbnailUrl)).toBe(200);
  const { thumbnailUrl, isPublic } = await read(film);
  expect(isPublic).toBe(false);
  expect(await statusOf(thumbnailUrl)).toBe(200);
  const plain = thumbnailUrl.replace(/\?.*$/, '');
  expect(await statusOf(plain)).toBe(403);
  const explained = await fetch(`${service.apiUrl}/pullzone/1/explain`, {
    method: 'POST',
    headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ Url: plain }),
  });
  const { Verdict, Stages } = await explained.json();
  expect(Verdict).toBe('Blocked');
  expect(Stages.find(({ Verdict: one }: { Verdict: string }) => one === 'block')).toMatchObject({
    ...{ Stage: 'token', RuleId: '10100', Came: 'none' },
  });
});

test('a clip of a private video is private, and a new video of public ones is public', async () => {
  const parts = [{ videoId: film, startMs: 0, endMs: 1_000 }];
  const made = (await call(service, 'POST', '/library/1/videos/compose', { title: 'Clip', parts })) as Video;
  expect(made.visibility).toBe('private');
  expect((await read(await create({ title: 'Plain' }))).visibility).toBe('public');
});

test('a misspelt visibility changes nothing, and the list filters by it', async () => {
  const post = (body: object) =>
    fetch(`${service.apiUrl}/library/1/videos/${film}`, {
      method: 'POST',
      headers: { AccessKey: LIBRARY_KEY, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  for (const body of [{ visibilty: 'public' }, { visibility: 'Publik' }]) expect((await post(body)).status).toBe(400);
  expect((await read(film)).visibility).toBe('private');
  await create({ title: 'Draft', visibility: 'unlisted' });
  expect(await list('visibility=unlisted')).toEqual(['Draft']);
  expect(await list('visibility=private')).toContain('Board meeting');
  expect(await list('visibility=public')).not.toContain('Board meeting');
});

test('the audit log has both values of a changed visibility', async () => {
  const guid = await create({ title: 'Audited' });
  await call(service, 'POST', `/library/1/videos/${guid}`, { visibility: 'private' });
  const response = await fetch(`${service.apiUrl}/videolibrary/1/audit`, { headers: { AccessKey: ACCOUNT_KEY } });
  expect(JSON.stringify(await response.json())).toMatch(/visibility[^}]*public[^}]*private/);
});

test('the list marks videos that are not public, and filters by visibility', { timeout: WAIT_MS }, async () => {
  await create({ title: 'Leaflet', visibility: 'unlisted' });
  const page = await openDashboard(service, browser);
  const card = page.locator('li.card', { hasText: 'Board meeting' });
  await card.getByText('Private').waitFor();
  await lookAtPage('visibility-cards', page);
  await page.getByLabel('Visibility').selectOption('unlisted');
  await page.locator('li.card', { hasText: 'Leaflet' }).waitFor();
  await card.waitFor({ state: 'detached' });
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos?view=list`);
  await page.locator('li.video-row', { hasText: 'Board meeting' }).getByRole('img', { name: 'Private' }).waitFor();
  await lookAtPage('visibility-rows', page);
  await page.context().close();
});

test('the page of a private video plays it, and changes its visibility', { timeout: WAIT_MS }, async () => {
  const page = await openDashboard(service, browser);
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${film}`);
  page.setDefaultTimeout(30_000);
  const shown = page.frameLocator('.stage-player iframe').locator('video');
  await shown.evaluate((video: HTMLVideoElement) => {
    video.muted = true;
    return video.play();
  });
  const readSec = () => shown.evaluate((video: HTMLVideoElement) => video.currentTime);
  await expect.poll(readSec, PATIENCE).toBeGreaterThan(0.2);
  await page.locator('.stage-facts').getByText('Plays only with a signed URL').waitFor();
  await lookAtPage('visibility-page', page, { exclude: ['iframe'] });
  await page.getByLabel('Visibility').selectOption('unlisted');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect.poll(async () => (await read(film)).visibility, PATIENCE).toBe('unlisted');
  await page.locator('.video-header').getByText('Unlisted').waitFor();
  await page.context().close();
});

test('a batch edit and an upload set the visibility', { timeout: WAIT_MS }, async () => {
  const other = await create({ title: 'Minutes' });
  const page = await openDashboard(service, browser);
  // Cards below the window are not drawn.
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos?view=list`);
  await page.getByLabel('Select Minutes').check();
  await page.getByLabel('Select Board meeting').check();
  await page.getByRole('button', { name: 'Edit…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title of Minutes').waitFor();
  await dialog.getByLabel('Visibility').selectOption('private');
  await lookAtPage('visibility-bulk', page);
  await dialog.getByRole('button', { name: 'Apply' }).click();
  const visibilities = () => Promise.all([film, other].map(async (guid) => (await read(guid)).visibility));
  await expect.poll(visibilities, PATIENCE).toEqual(['private', 'private']);
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Upload' }).first().click();
  await page.getByText('With settings…').click();
  await page.getByRole('dialog').getByLabel('Visibility').selectOption('private');
  await lookAtPage('visibility-upload', page);
  await page.context().close();
});

test('the list of live streams marks those that are not public', async () => {
  for (const [title, isPublic] of [
    ['Board call', false],
    ['Open day', true],
  ] as const) {
    await call(service, 'POST', '/library/1/live', { title, public: isPublic });
  }
  const page = await openDashboard(service, browser);
  await page.goto(`${service.apiUrl}/dashboard/library/1/live`);
  const marks = async (title: string) => {
    const entry = page.locator('section.panel', { has: page.getByRole('link', { name: title }) });
    await entry.waitFor(PATIENCE);
    return entry.getByRole('img', { name: 'Private' }).count();
  };
  expect([await marks('Board call'), await marks('Open day')]).toEqual([1, 0]);
  await lookAtPage('visibility-streams', page);
});
