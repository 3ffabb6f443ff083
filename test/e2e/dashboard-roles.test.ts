import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { WAIT_MS } from '../support/dashboard.ts';
import { makePaddedClip } from '../support/media/padded-clip.ts';
import { PASSWORD } from '../support/people.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

const PARTS = ['', 'review', 'share', 'captions', 'audio', 'chapters', 'thumbnail', 'clip', 'statistics', 'files'];
const SCREENS = ['videos', 'collections', 'live', 'statistics', 'trash', 'settings', 'imports', 'events'];

let service: Service;
let browser: Browser;
let folder: string;
let guid: string;
let streamId: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-roles-'));
  const clip = path.join(folder, 'clip.mp4');
  [service, browser] = await Promise.all([startService(null), openBrowser(), makePaddedClip(clip, 2 ** 18)]);
  guid = await createVideo(service, 'Film');
  await uploadFile(service, guid, clip);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  streamId = Object(await call(service, 'POST', '/library/1/live', { title: 'Market day' })).guid;
}, WAIT_MS);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

/** Creates a person with a role in the library, and returns the link of the invitation. */
async function invite(role: string): Promise<string> {
  const answer = await fetch(`${service.apiUrl}/people`, {
    method: 'POST',
    headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ Email: `${role}@example.com`, LibraryRoles: [{ LibraryId: 1, Role: role }] }),
  });
  return String(Object(await answer.json()).Link);
}

test.each(['editor', 'uploader', 'analyst', 'viewer'])(
  'no screen sends a request that is refused: %s',
  async (role) => {
    const link = new URL(await invite(role), service.apiUrl);
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    const refused: string[] = [];
    /** Requests without a response, except event streams, which do not end. */
    const pending = new Set<Request>();
    page.on('request', (request) => {
      // Players load from the edge as long as they are open.
      const isOwn = request.url().startsWith(service.apiUrl);
      if (isOwn && !request.headers().accept?.includes('text/event-stream')) pending.add(request);
    });
    page.on('requestfailed', (request) => pending.delete(request));
    page.on('response', (answer) => {
      pending.delete(answer.request());
      if ([401, 403].includes(answer.status())) refused.push(`${answer.request().method()} ${answer.url()}`);
    });
    await page.goto(`${service.apiUrl}${link.pathname}${link.hash}`);
    await page.getByLabel('Name').fill('Eva');
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
    // Requests of the sign-in screen, before there is a session.
    refused.length = 0;
    const library = `${service.apiUrl}/dashboard/library/1`;
    const addresses = [
      ...SCREENS.map((screen) => `${library}/${screen}`),
      ...PARTS.map((part) => `${library}/videos/${guid}/${part}`),
      `${library}/live/${streamId}`,
      `${service.apiUrl}/dashboard/account`,
    ];
    for (const address of addresses) {
      await page.goto(address);
      await page.locator('main :is(h1, h2)').first().waitFor();
      await expect.poll(() => pending.size, { timeout: WAIT_MS }).toBe(0);
    }
    expect(refused).toEqual([]);
    await context.close();
  },
);
