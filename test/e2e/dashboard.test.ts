import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { type PathProxy, startPathProxy } from '../support/path-proxy.ts';
import { discard, LIBRARY_KEY, newDataDir, type Service, startService } from '../support/service.ts';
import { readSignInLink } from '../support/sign-in-link.ts';
import { REAL_CLIP } from '../support/videos.ts';

const run = promisify(execFile);
/** Timeout that only a hang exceeds, even on a busy machine. */
const WAIT_MS = 120_000;
const HANG_MS = 300_000;
/** Just wide enough for the wide layout, because the CPU draws each pixel. */
const WIDE = { width: 1024, height: 600 };

let service: Service;
let proxy: PathProxy;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let folder: string;
const faults: string[] = [];
const strangers: string[] = [];

beforeAll(async () => {
  proxy = await startPathProxy('/video');
  [service, browser] = await Promise.all([
    newDataDir().then((dataDir) => startService(dataDir, { MILLRACE_PUBLIC_URL: proxy.url })),
    openBrowser(),
  ]);
  proxy.forwardTo(service.apiUrl);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-dashboard-'));
  const picture = TOUR_FOLDER === undefined ? ['-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=10:d=6'] : FILM;
  const sound = ['-f', 'lavfi', '-i', 'sine=d=6'];
  const codecs = [
    '-t',
    '6',
    '-map',
    '0:v',
    '-map',
    '1:a',
    ...(TOUR_FOLDER === undefined ? [] : ['-s', '1280x720']),
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-c:a',
    'aac',
  ];
  await run('ffmpeg', [
    '-nostdin',
    '-v',
    'error',
    ...picture,
    ...sound,
    ...codecs,
    path.join(folder, 'mill_stream.mp4'),
  ]);
  context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], viewport: WIDE });
  page = await context.newPage();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (line) => {
    if (line.type() === 'error' && !line.text().includes('401')) faults.push(`${line.text()} ${line.location().url}`);
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && ![proxy.origin, service.edgeUrl].includes(origin)) strangers.push(origin);
  });
});
afterAll(async () => {
  await browser?.close();
  await proxy?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const TOUR_FOLDER = process.env.TOUR_PICTURES;
/** Source of the tour's screenshots: a film rather than a test pattern. */
const FILM = ['-ss', '20', '-i', REAL_CLIP];

/**
 * Steps whose screenshots are in the README. `TOUR_PICTURES=docs/pictures npm test -- test/e2e/dashboard.test.ts` takes
 * them again.
 */
const TOUR: Readonly<Record<string, string>> = {
  empty: 'tour-drop',
  videos: 'tour-encode',
  video: 'tour-video',
  live: 'tour-live',
};

async function keepForTour(name: string): Promise<void> {
  const step = TOUR[name];
  if (TOUR_FOLDER === undefined || step === undefined) return;
  if (name === 'videos') await page.locator('li.card img').first().waitFor({ timeout: WAIT_MS });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.screenshot({ path: path.join(TOUR_FOLDER, `${step}.jpg`), type: 'jpeg', quality: 72 });
}

async function look(name: string): Promise<void> {
  await keepForTour(name);
  const place = process.env.MILLRACE_TEST_PICTURES;
  if (place === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: path.join(place, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
  await page.setViewportSize(WIDE);
}

async function signIn(key: string): Promise<void> {
  await page.getByLabel('Key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Creates a live stream and opens its page, with the code for a phone. */
async function makeStream(): Promise<void> {
  await page.getByRole('link', { name: 'Live', exact: true }).click();
  await page.getByLabel('Stream title').fill('Market day');
  await page.getByRole('button', { name: 'Create stream' }).click();
  await page.getByRole('heading', { name: 'Market day' }).waitFor({ timeout: WAIT_MS });
  await page.getByRole('link', { name: 'Market day' }).click();
  await page.getByRole('heading', { name: 'Connect an encoder' }).waitFor({ timeout: WAIT_MS });
  await page.getByRole('button', { name: 'Show QR code' }).click();
  await page.getByRole('img', { name: 'Server URL and stream key as a QR code' }).waitFor({ timeout: WAIT_MS });
  await look('live');
}

test(
  'a new user signs in, drops a file, watches it and copies the embed code',
  async () => {
    const opened = await page.goto(`${proxy.url}/`, { timeout: WAIT_MS });
    expect(opened?.headers()['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(opened?.headers()['content-security-policy']).not.toContain('unsafe');
    await signIn('no key at all');
    await page.getByRole('alert').waitFor({ timeout: WAIT_MS });
    await look('sign-in');
    const link = await readSignInLink(service);
    expect(link).toContain(proxy.url);
    await page.goto(link, { timeout: WAIT_MS });
    await page.getByRole('button', { name: 'Continue with keys only' }).click({ timeout: WAIT_MS });
    await page.getByText('Drop your first video here').waitFor({ timeout: WAIT_MS });
    expect(page.url()).toBe(`${proxy.url}/`);
    await look('empty');
    const again = await fetch(`${service.apiUrl}/dashboard/session`, {
      method: 'POST',
      headers: { Origin: service.apiUrl, 'X-Millrace-Dashboard': '1' },
      body: JSON.stringify({ link: link.split('#')[1] }),
    });
    expect(again.status).toBe(401);
    await page.locator('input[type=file]:not(.folder)').first().setInputFiles(path.join(folder, 'mill_stream.mp4'));
    await page.locator('.tray li[data-state=done]').waitFor({ timeout: WAIT_MS });
    const card = page.locator('li.card', { hasText: 'mill stream' });
    await card.getByText(/playable|Ready/).waitFor({ timeout: WAIT_MS });
    await look('videos');
    await page.getByRole('button', { name: 'Dismiss mill_stream.mp4' }).click();
    await card.getByRole('link').click();
    const player = page.frameLocator('iframe.player');
    const video = player.locator('video');
    await video.waitFor({ state: 'attached', timeout: WAIT_MS });
    await video.evaluate(async (element: HTMLVideoElement) => {
      element.muted = true;
      await element.play();
    });
    await expect
      .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime), { timeout: WAIT_MS })
      .toBeGreaterThan(0.5);
    await look('video');
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await page.setViewportSize(WIDE);
    await page.getByRole('button', { name: 'Copy Embed code' }).click();
    const code = await page.evaluate(() => navigator.clipboard.readText());
    expect(code).toContain(`src="${service.edgeUrl}/embed/1/`);
    await page.getByLabel('Title').fill('The mill');
    const saved = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.ok());
    await page.getByRole('button', { name: 'Save changes' }).click();
    await saved;
    await page.reload();
    expect(await page.getByLabel('Title').inputValue({ timeout: WAIT_MS })).toBe('The mill');
    await look('again');
    await makeStream();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Name').fill('Mill films');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor({ timeout: WAIT_MS });
    await look('settings');
    expect({ faults, strangers }).toEqual({ faults: [], strangers: [] });
  },
  HANG_MS,
);

test(
  'rejects a write with a session cookie unless a dashboard page sent it',
  async () => {
    const found = await fetch(`${service.apiUrl}/dashboard/session`, {
      method: 'POST',
      headers: { Origin: service.apiUrl, 'X-Millrace-Dashboard': '1' },
      body: JSON.stringify({ key: LIBRARY_KEY }),
    });
    const keptDays = { trash: 7, events: 3, visits: 90 };
    const session = { role: 'editor', libraryId: 1, edgeUrl: service.edgeUrl, keptDays, person: null };
    const permissions = { account: [], libraries: { 1: expect.arrayContaining(['videos.edit']) } };
    const engines = { speech: false, translation: false };
    expect(await found.json()).toEqual({ ...session, permissions, engines });
    const cookie = found.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict/);
    const write = (headers: Record<string, string>) =>
      fetch(`${service.apiUrl}/library/1/videos`, {
        method: 'POST',
        headers: { Cookie: cookie.split(';')[0] ?? '', ...headers },
        body: '{"title":"forged"}',
      });
    const own = { Origin: service.apiUrl, 'X-Millrace-Dashboard': '1' };
    expect((await write({ ...own, Origin: service.edgeUrl })).status).toBe(403);
    expect((await write({ Origin: service.apiUrl })).status).toBe(403);
    expect((await write({ 'X-Millrace-Dashboard': '1' })).status).toBe(403);
    expect((await write(own)).status).toBe(200);
    const leave = { method: 'DELETE', headers: { ...own, Cookie: cookie.split(';')[0] ?? '' } };
    expect((await fetch(`${service.apiUrl}/dashboard/session`, leave)).status).toBe(204);
    expect((await write(own)).status).toBe(401);
  },
  HANG_MS,
);

type Report = { guid: string; total: number; done: number; failed: number; dateEnded: string | null };

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${service.apiUrl}/library/1${path}`, {
    method,
    headers: { AccessKey: LIBRARY_KEY },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

async function bulk(body: object): Promise<Report> {
  const { guid } = await call<Report>('POST', '/bulk', body);
  const load = () => call<Report>('GET', `/bulk/${guid}`);
  await expect.poll(async () => (await load()).dateEnded, { timeout: WAIT_MS }).not.toBe(null);
  return load();
}

test(
  'a bulk operation on all matches runs in the background, reports each failure, and can be undone',
  async () => {
    const titles = async (query: string) =>
      (await call<{ items: { title: string }[] }>('GET', `/videos?${query}`)).items.map(({ title }) => title);
    const made: string[] = [];
    for (const title of ['bulk a', 'bulk b', 'bulk c']) {
      made.push((await call<{ guid: string }>('POST', '/videos', { title })).guid);
    }
    await call('POST', `/videos/${made[1]}`, { metaTags: [{ property: 'series', value: 'one' }] });
    const { guid: shelf } = await call<{ guid: string }>('POST', '/collections', { name: 'Shelf' });
    expect(await titles('search=bulk&orderBy=title&direction=desc')).toEqual(['bulk c', 'bulk b', 'bulk a']);
    expect(await titles('tag=series%3Done')).toEqual(['bulk b']);
    expect(await titles('tag=one&status=0')).toEqual(['bulk b']);
    expect(await titles('search=bulk&status=4,5')).toEqual([]);
    const filter = { search: 'bulk', status: '0' };
    const moved = await bulk({ action: 'move', collectionId: shelf, filter });
    expect(moved).toMatchObject({ total: 3, done: 3, failed: 0 });
    const encoded = await bulk({ action: 'reencode', videoIds: made });
    expect(encoded).toMatchObject({ total: 3, done: 0, failed: 3 });
    const trashed = await bulk({ action: 'trash', filter });
    expect(trashed).toMatchObject({ total: 3, done: 3 });
    expect(await titles('search=bulk')).toEqual([]);
    await expect(call('GET', `/videos/${made[0]}`)).rejects.toThrow('404');
    expect(await call('GET', '/trash')).toMatchObject({ totalItems: 3 });
    await call('DELETE', `/trash/${made[0]}`);
    expect(await bulk({ action: 'restore', undoOf: trashed.guid })).toMatchObject({ total: 3, done: 2, failed: 1 });
    expect(await titles(`collection=${shelf}&orderBy=title`)).toEqual(['bulk b', 'bulk c']);
    await call('DELETE', `/videos/${made[1]}?trash=true`);
    expect(await titles(`collection=${shelf}`)).toEqual(['bulk c']);
    expect(await call('GET', `/videos/${made[2]}/why`)).toMatchObject({
      findings: [{ kind: 'no-file', remedy: 'upload' }],
    });
  },
  HANG_MS,
);
