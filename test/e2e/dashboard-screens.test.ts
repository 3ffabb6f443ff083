import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { axeViolations } from '../support/axe-violations.ts';
import { openBrowser } from '../support/browser.ts';
import { missedClicks } from '../support/missed-clicks.ts';
import { ACCOUNT_KEY, discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

/** Timeout that only a hang exceeds, even on a busy machine. */
const WAIT_MS = 120_000;
const HANG_MS = 300_000;
const NOBODY = '0192f000-0000-7000-8000-00000000dead';

let service: Service;
let browser: Browser;
let page: Page;
let folder: string;
const faults: string[] = [];
const strangers: string[] = [];
/** Requests that the page waits for, except event streams, which do not end. */
const pending = new Set<Request>();

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-screens-'));
  const clip = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10:d=2', '-c:v', 'libx264', '-preset', 'ultrafast'];
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...clip, path.join(folder, 'film.mp4')]);
  await writeFile(path.join(folder, 'page.mp4'), '<!doctype html><title>Sign in</title>');
  page = await browser.newPage();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (line) => {
    if (line.type() === 'error' && !line.text().includes('401')) faults.push(line.text());
  });
  page.on('response', (response) => pending.delete(response.request()));
  page.on('requestfailed', (request) => pending.delete(request));
  page.on('request', (request) => {
    // Players load from the edge as long as they are open.
    const isOwn = request.url().startsWith(service.apiUrl);
    if (isOwn && !request.headers().accept?.includes('text/event-stream')) pending.add(request);
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && ![service.apiUrl, service.edgeUrl].includes(origin)) strangers.push(origin);
  });
  await page.goto(service.apiUrl, { timeout: WAIT_MS });
  await page.getByLabel('Key').fill(ACCOUNT_KEY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor({ timeout: WAIT_MS });
}, HANG_MS);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const ROLES = [
  { role: 'owner', key: ACCOUNT_KEY },
  { role: 'editor', key: LIBRARY_KEY },
  { role: 'reader', key: '' },
] as const;

/** Returns the refusal that a session of this role gets because of its role. Null if the role is allowed. */
function refusalOf(
  { auth, method, keyScope }: { auth: string; method: string; keyScope?: string },
  role: (typeof ROLES)[number]['role'],
): number | null {
  if (auth === 'account-key') return role === 'owner' ? null : 401;
  return role === 'reader' && (method !== 'GET' || keyScope === 'write') ? 403 : null;
}

/** Returns whether a status is neither a refusal by role nor a fault. */
const isLetIn = (status: number) => ![401, 403].includes(status) && status < 500;

test(
  'each operation accepts session cookies of exactly the permitted roles',
  async () => {
    const library = await fetch(`${service.apiUrl}/videolibrary/1`, { headers: { AccessKey: ACCOUNT_KEY } });
    const { ReadOnlyApiKey }: { ReadOnlyApiKey: string } = JSON.parse(await library.text());
    const own = { Origin: service.apiUrl, 'X-Millrace-Dashboard': '1' };
    const wrong: string[] = [];
    // Event logs are excluded, because they also return 401 for a day without a log.
    const guarded = operations.filter(({ auth, path: place }) => auth !== 'none' && !place.includes('event-logs'));
    for (const { role, key } of ROLES) {
      const signedIn = await fetch(`${service.apiUrl}/dashboard/session`, {
        method: 'POST',
        headers: own,
        body: JSON.stringify({ key: key || ReadOnlyApiKey }),
      });
      const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
      for (const operation of guarded) {
        // The ids do not exist, so an allowed caller finds nothing and changes nothing.
        const place = operation.path
          .replace('{libraryId}', '1')
          .replaceAll(/\{(\w+Id|id)\}/g, (_, name: string) =>
            name === 'id' || name === 'shieldZoneId' ? '999999999' : NOBODY,
          );
        const url = service.apiUrl + place.replaceAll(/\{\w+\}/g, 'x');
        const answer = await fetch(url, { method: operation.method, headers: { ...own, Cookie: cookie } });
        await answer.body?.cancel();
        const expected = refusalOf(operation, role);
        const isRight = expected === null ? isLetIn(answer.status) : answer.status === expected;
        if (!isRight) wrong.push(`${role} ${operation.name}: ${answer.status}, expected ${expected ?? 'to be let in'}`);
      }
    }
    expect(wrong).toEqual([]);
  },
  HANG_MS,
);

test(
  'every screen passes axe in both themes and fits 360 px, without errors or requests to other hosts',
  async () => {
    const places = await screens();
    const found: string[] = [];
    const shown = new Set<string>();
    const views = [
      ['light', 1024],
      ['dark', 360],
    ] as const;
    for (const place of places) {
      // The browser may never report the end of the previous screen's requests.
      pending.clear();
      await openPlace(place);
      await page.locator('main').waitFor({ timeout: WAIT_MS });
      await untilLoaded();
      shown.add(await page.locator('main').evaluate((main) => main.innerHTML));
      for (const [colorScheme, width] of views) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 800 });
        await untilStill();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > width) found.push(`${place} ${width}: ${wide} px wide`);
        const violations = await axeViolations(page, { exclude: ['iframe'] });
        await look(place, `${colorScheme}-${width}`);
        found.push(...violations.map((one) => `${place} ${colorScheme} ${width}: ${one}`));
      }
    }
    expect({ found, faults, strangers }).toEqual({ found: [], faults: [], strangers: [] });
    // Every screen was examined exactly once.
    expect(shown.size).toBe(places.length);
  },
  HANG_MS,
);

test(
  'every visible control receives the click at its own centre, next to an open upload tray, at 1440 and 390 px',
  async () => {
    const places = await screens();
    // A narrow page begins with a closed upload tray.
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${service.apiUrl}/dashboard/library/1/videos`, { timeout: WAIT_MS });
    await page.locator('input[type=file]:not(.folder)').first().setInputFiles(path.join(folder, 'page.mp4'));
    await page.locator('.tray [role=alert]').waitFor({ state: 'attached', timeout: WAIT_MS });
    const missed: string[] = [];
    for (const place of places.filter((one) => one.startsWith('/dashboard/'))) {
      pending.clear();
      await openPlace(place);
      await untilLoaded();
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await untilStill();
        missed.push(...(await missedClicks(page)).map((one) => `${place} ${width}: ${one}`));
      }
    }
    expect(missed).toEqual([]);
  },
  HANG_MS,
);

/** URLs of all screens. Created once, with a video, a live stream and an import to show. */
let made: Promise<string[]> | null = null;

function screens(): Promise<string[]> {
  made ??= makeScreens();
  return made;
}

async function makeScreens(): Promise<string[]> {
  const guid = await createVideo(service, 'A film');
  await uploadFile(service, guid, path.join(folder, 'film.mp4'));
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  const stream = Object(await call(service, 'POST', '/library/1/live', { title: 'Market day', recordVod: true }));
  const importId = await planImport();
  const video = `/dashboard/library/1/videos/${guid}`;
  return [
    ...['videos', 'videos?view=list', 'collections', 'trash', 'live', 'statistics', 'events', 'imports'].map(
      (name) => `/dashboard/library/1/${name}`,
    ),
    ...['', '/share', '/captions', '/audio', '/chapters', '/thumbnail', '/clip'].map((tab) => video + tab),
    ...['/review', '/statistics', '/files', '/activity'].map((tab) => video + tab),
    ...['general', 'encoding', 'player', 'access', 'webhooks', 'chat', 'keys', 'audit'].map(
      (part) => `/dashboard/library/1/settings/${part}`,
    ),
    `/dashboard/library/1/live/${stream.guid}`,
    `/dashboard/library/1/imports/${importId}`,
    '/dashboard/libraries',
    '/dashboard/people',
    '/dashboard/account',
    '/dashboard/system',
    '/dashboard/reference',
    '/docs',
    '/docs/search?q=backup',
  ];
}

/** Plans an import of a video that is uploaded, and returns its id. */
async function planImport(): Promise<string> {
  const title = 'A film with a long name that was never uploaded';
  const items = [{ kind: 'video', sourceId: 'a', guid: newGuid(), title }];
  const response = await fetch(`${service.apiUrl}/library/1/imports`, {
    method: 'POST',
    headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ source: 'upload', dryRun: true, items }),
  });
  const { guid } = Object(await response.json());
  expect(guid).toEqual(expect.any(String));
  return guid;
}

/**
 * Opens a screen of the dashboard within its page, like a link. Loading each screen would compile all scripts again.
 */
async function openPlace(place: string): Promise<void> {
  if (!place.startsWith('/dashboard/')) {
    await page.goto(service.apiUrl + place, { timeout: WAIT_MS });
    return;
  }
  await page.evaluate((address) => {
    history.pushState(null, '', address);
    dispatchEvent(new PopStateEvent('popstate'));
  }, place);
}

/** Waits until a screen has had no pending requests for a moment. */
async function untilLoaded(): Promise<void> {
  let idle = 0;
  const isLoaded = () => {
    idle = pending.size === 0 ? idle + 1 : 0;
    return idle > 4 ? [] : [...pending].map((request) => request.url()).concat('not idle yet');
  };
  await expect.poll(isLoaded, { timeout: WAIT_MS, interval: 50 }).toEqual([]);
}

/** Waits for colour transitions to finish. */
async function untilStill(): Promise<void> {
  await page.evaluate(async () => {
    const changes = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(changes.map(({ finished }) => finished));
  });
}

/** Keeps a screenshot of a screen if review is enabled. */
async function look(place: string, view: string): Promise<void> {
  const folder = process.env.MILLRACE_TEST_PICTURES;
  if (folder === undefined) return;
  const name = place.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id').replaceAll(/[^a-z0-9]+/g, '-');
  await page.screenshot({ path: path.join(folder, `screen${name}-${view}.png`), fullPage: true });
}

test(
  'the dashboard uses the language of the browser, and a different choice applies immediately and is kept',
  async () => {
    const context = await browser.newContext({ locale: 'de-DE' });
    context.setDefaultTimeout(WAIT_MS);
    const german = await context.newPage();
    await german.goto(service.apiUrl);
    await german.getByLabel('Schlüssel').fill(ACCOUNT_KEY);
    await german.getByRole('button', { name: 'Anmelden' }).click();
    await german.getByRole('link', { name: 'Einstellungen' }).click();
    await german.getByRole('heading', { name: 'Einstellungen' }).waitFor();
    expect(await german.evaluate(() => document.documentElement.lang)).toBe('de');
    const folder = process.env.MILLRACE_TEST_PICTURES;
    if (folder !== undefined) await german.screenshot({ path: path.join(folder, 'german.png') });
    await german.getByLabel('Sprache', { exact: true }).first().selectOption('en');
    await german.getByRole('heading', { name: 'Settings' }).waitFor();
    await german.reload();
    await german.getByRole('heading', { name: 'Settings' }).waitFor();
    await context.close();
  },
  HANG_MS,
);
