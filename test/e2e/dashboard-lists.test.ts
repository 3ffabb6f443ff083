import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { openCatalogue } from '../support/leftovers.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { makePaddedClip } from '../support/media/padded-clip.ts';
import { ACCOUNT_KEY, discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

const MANY = 1_000;
const FAILING = 10;
/** Timeout that only a hang exceeds. A thousand transactions are slow on a busy machine. */
const MANY_MS = 300_000;
const HANG_MS = 900_000;

let service: Service;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-lists-'));
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

type Trash = { totalItems: number; items: { guid: string; title: string }[] };
// The response has the published model, which conformance tests check.
const trash = async (query = '') => (await call(service, 'GET', `/library/1/trash?itemsPerPage=1000${query}`)) as Trash;
const trashedTitles = async () => new Set((await trash()).items.map(({ title }) => title));

/** Shows the matching cards, and waits until there are `count`. */
async function search(page: Page, text: string, count: number): Promise<void> {
  await page.getByLabel('Search titles').fill(text);
  await page.getByText(`${count.toLocaleString()} video`, { exact: false }).first().waitFor();
  await page.locator('li', { hasText: text }).first().waitFor();
}

test(
  'undo over 1,000 videos, ten of which no longer exist, restores 990 and lists the ten',
  async () => {
    await addVideos(MANY);
    await createVideo(service, 'not meant');
    const page = await openDashboard(service, browser);
    await page.locator('li.card').first().waitFor();
    // Only new libraries have the checklist.
    expect(await page.getByRole('region', { name: /^First steps/ }).count()).toBe(0);
    await search(page, 'reel', MANY);
    await page.getByLabel('Search titles').blur();
    await page.keyboard.press('Control+a');
    await page.getByText('1,000 selected').waitFor();
    await page.keyboard.press('Delete');
    // A message stays while the pointer is over it.
    await page.getByText('Moving 1,000 videos to the trash.').hover();
    await expect.poll(async () => (await trash()).totalItems, { timeout: MANY_MS }).toBe(MANY);
    for (const { guid } of (await trash()).items.slice(0, FAILING)) {
      await call(service, 'DELETE', `/library/1/trash/${guid}`);
    }
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(`1,000 of 1,000 · ${FAILING} failed`).waitFor({ timeout: MANY_MS });
    await page.getByRole('button', { name: 'Show failures' }).click();
    const reasons = page.getByRole('dialog').locator('li .hint');
    expect(await reasons.allTextContents()).toHaveLength(FAILING);
    for (const reason of await reasons.allTextContents()) expect(reason).not.toBe('');
    await page.keyboard.press('Escape');
    await search(page, 'reel', MANY - FAILING);
    await page.context().close();
  },
  HANG_MS,
);

test('copy buttons work without access to the clipboard, or show the text selected', async () => {
  const guid = await createVideo(service, 'copied');
  const page = await openDashboard(service, browser, {
    // As in a page over plain HTTP.
    prepare: (context) =>
      context.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined })),
  });
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${guid}`);
  await page.getByText('Technical details').click();
  const copy = page.getByRole('button', { name: 'Copy Video ID' });
  const copied = page.evaluate(
    () =>
      new Promise((done) => {
        const keep = ({ target }: Event) => done(target instanceof HTMLTextAreaElement && target.value);
        document.addEventListener('copy', keep, { once: true });
      }),
  );
  await copy.click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await copied).toBe(guid);
  await copy.waitFor();
  await page.evaluate(() => {
    document.execCommand = () => false;
  });
  await copy.click();
  const text = page.getByRole('dialog').getByRole('textbox');
  await page.getByText('The browser refused to copy the text.').waitFor();
  await lookAtPage('copy-by-hand', page, { views: FOUR_VIEWS });
  const selected = (area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd);
  expect(await text.evaluate(selected)).toBe(guid);
  await page.keyboard.press('Escape');
  await text.waitFor({ state: 'detached' });
  await page.context().close();
});

test('each screen has its title, and an unknown URL links to the start page', async () => {
  const page = await openDashboard(service, browser);
  await expect.poll(() => page.title()).toMatch(/^Videos – .+ – Millrace$/);
  await page.goto(`${service.apiUrl}/dashboard/library/1/nowhere`);
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  expect(await page.title()).toBe('This page does not exist – Millrace');
  await lookAtPage('missing-page', page, { views: FOUR_VIEWS });
  await page.getByRole('link', { name: 'Open the start page' }).click();
  await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
  await page.context().close();
});

test('shortcuts work from search fields, text fields keep their own keys, and Ctrl-C copies', async () => {
  for (const title of ['herring one', 'herring two']) await createVideo(service, title);
  const page = await openDashboard(service, browser);
  await search(page, 'herring', 2);
  const field = page.getByLabel('Search titles');
  await field.press('Control+a');
  await field.press('Control+c');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('herring');
  expect(await page.locator('.bulk-bar').count()).toBe(0);
  await page.locator('li.card a').first().focus();
  await page.keyboard.press('x');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('x');
  await page.getByText('2 selected').waitFor();
  await page.evaluate(() => {
    const heading = document.querySelector('li.card h2');
    if (heading !== null) getSelection()?.selectAllChildren(heading);
  });
  await page.keyboard.press('Control+c');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^herring (one|two)$/);
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.bulk-bar').waitFor({ state: 'detached' });
  await page.locator('li.card a').first().focus();
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('Space');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.locator('li.video-row').first().waitFor();
  await page.keyboard.press('g');
  await page.locator('.video-rows.dense').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await page.keyboard.press('Escape');
  // Shows the page's last request as a call of the SDK.
  await page.getByRole('button', { name: 'Show API calls' }).click();
  await page.getByText('millrace.call(\'listVideos\', { libraryId: 1, search: "herring"').waitFor();
  await page.context().close();
});

test('each language can be chosen, is kept, and fits the screens', { timeout: HANG_MS }, async () => {
  const page = await openDashboard(service, browser);
  const words = {
    de: 'Dokumentation',
    es: 'Documentación',
    fr: 'Documentation',
    pt: 'Documentação',
    ja: 'ドキュメント',
  };
  for (const [code, text] of Object.entries({ ...words, en: 'Documentation' })) {
    await page.locator('.preferences select').first().selectOption(code);
    const link = page.locator('.service a', { hasText: text });
    await link.waitFor();
    await page.reload();
    await link.waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(code);
    await lookAtPage(`language-${code}`, page);
  }
  await page.context().close();
});

test('Delete moves to the trash from every screen', async () => {
  const titles = ['salmon in the grid', 'salmon in the list', 'salmon on its page'];
  for (const title of titles) await createVideo(service, title);
  const page = await openDashboard(service, browser);
  await search(page, 'salmon', 3);
  await page.getByLabel('Select salmon in the grid').click();
  await page.keyboard.press('Delete');
  await page.locator('li.card', { hasText: titles[0] ?? '' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'List', exact: true }).click();
  await page.getByLabel('Select salmon in the list').click();
  await page.keyboard.press('Delete');
  await page.locator('li.video-row', { hasText: titles[1] ?? '' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: titles[2] ?? '' }).click();
  await page.getByRole('heading', { name: titles[2] ?? '' }).waitFor({ state: 'attached' });
  await page.keyboard.press('Delete');
  await page.getByText(`“${titles[2]}” moved to the trash.`).waitFor();
  await expect.poll(trashedTitles, { timeout: WAIT_MS }).toEqual(new Set(titles));
  await page.context().close();
});

test('hostile head HTML in the player cannot use the session', async () => {
  const guid = await createVideo(service, 'bait');
  const clip = path.join(folder, 'bait.mp4');
  await makePaddedClip(clip, 2 ** 20);
  await uploadFile(service, guid, clip);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  const script = `<script>
    const url = '${service.apiUrl}/library/1/videos';
    const body = '{"title":"forged"}';
    const own = { 'X-Millrace-Dashboard': '1', 'Content-Type': 'application/json' };
    const tries = {
      blind: () => fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body }),
      asOurs: () => fetch(url, { method: 'POST', credentials: 'include', headers: own, body }),
      read: () => fetch(url, { credentials: 'include' }).then((answer) => answer.text()),
      session: () => fetch('${service.apiUrl}/dashboard/session', { credentials: 'include' })
        .then((answer) => answer.text()),
      parent: async () => parent.document.body.innerHTML,
      cookie: async () => { if (!document.cookie) throw new Error('none'); return document.cookie; },
    };
    addEventListener('load', async () => {
      const reached = [];
      for (const [name, attack] of Object.entries(tries)) {
        await attack().then(() => reached.push(name), () => undefined);
      }
      document.documentElement.dataset.reached = reached.join(' ');
    });
  </script>`;
  await callAsOwner('POST', '/videolibrary/1', { CustomHTML: script });
  const page = await openDashboard(service, browser);
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${guid}`);
  const inside = page.frameLocator('iframe.player').locator('html[data-reached]');
  await inside.waitFor({ state: 'attached' });
  // A blind request may leave the browser. The test checks how the service handled it.
  expect(['', 'blind']).toContain(await inside.getAttribute('data-reached'));
  const { totalItems } = (await call(service, 'GET', '/library/1/videos?search=forged')) as { totalItems: number };
  expect(totalItems).toBe(0);
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await callAsOwner('POST', '/videolibrary/1', { CustomHTML: '' });
  await page.context().close();
});

test('a stolen session ends with its key or when its owner signs out', async () => {
  const read = async (cookie: string) =>
    (await fetch(`${service.apiUrl}/library/1/videos`, { headers: { Cookie: cookie } })).status;
  const { Id, Key } = await callAsOwner<{ Id: string; Key: string }>('POST', '/videolibrary/1/keys', {
    Scope: 'write',
  });
  for (const end of ['revoke', 'sign out'] as const) {
    const page = await openDashboard(service, browser, { key: end === 'revoke' ? Key : LIBRARY_KEY });
    const [stolen] = await page.context().cookies();
    const cookie = `${stolen?.name}=${stolen?.value}`;
    expect(await read(cookie)).toBe(200);
    if (end === 'revoke') await callAsOwner('DELETE', `/videolibrary/1/keys/${Id}`);
    else await page.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => read(cookie), { timeout: WAIT_MS }).toBe(401);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.context().close();
  }
});

/** Adds videos that wait for their files, like a thousand API calls would. */
async function addVideos(count: number): Promise<void> {
  const { db, close } = openCatalogue(service);
  try {
    await sql`
      insert into media (library_id, id, type, title, state)
      select 1, uuidv7(), 'video', 'reel ' || n, 'created' from generate_series(1, ${count}::int) n`.execute(db);
    await sql`
      update library_video_count set videos = videos + ${count}
      where library_id = 1 and slot = (select min(slot) from library_video_count where library_id = 1)`.execute(db);
  } finally {
    await close();
  }
}

async function callAsOwner<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(service.apiUrl + path, {
    method,
    headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  // The response has the published model, which conformance tests check.
  return (text === '' ? null : JSON.parse(text)) as T;
}
