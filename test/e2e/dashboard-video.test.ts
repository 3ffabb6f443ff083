import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations } from '../support/axe-violations.ts';
import { openBrowser } from '../support/browser.ts';
import { keepPictures, openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { makePaddedClip } from '../support/media/padded-clip.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, getVideo, uploadFile } from '../support/videos.ts';

const FAILED = 5;

let service: Service;
let browser: Browser;
let page: Page;
let folder: string;
const faults: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-video-page-'));
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  page = await openDashboard(service, browser);
  page.on('pageerror', (error) => faults.push(error.message));
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const open = (guid: string, tab = '') => page.goto(`${service.apiUrl}/dashboard/library/1/videos/${guid}${tab}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const bar = () => page.getByRole('region', { name: 'Unsaved changes' });

test('saves title, description, tags and category together, and shows the description without its HTML', async () => {
  const guid = await createVideo(service, 'Harbour');
  const metaTags = [
    { property: 'keywords', value: 'sea, boats' },
    { property: 'series', value: 'one' },
  ];
  await call(service, 'POST', `/library/1/videos/${guid}`, { metaTags });
  await open(guid);
  await page.getByLabel('Title').fill('مرحبا 🎬 Harbour');
  await page
    .getByLabel('Description')
    .fill('**At dawn** <img src=x onerror=alert(1)>\n\n- [site](https://example.com)\n- [bad](javascript:alert(1))');
  await press('Remove tag sea');
  await page.getByLabel('Tags').fill('dawn');
  await page.getByLabel('Tags').press('Enter');
  await page.getByLabel('Category').fill('Documentary');
  await press('Preview');
  const preview = page.locator('.markdown');
  await preview.locator('strong', { hasText: 'At dawn' }).waitFor();
  expect(await preview.locator('img').count()).toBe(0);
  expect(await preview.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    'https://example.com',
  ]);
  expect(await preview.textContent()).toContain('<img src=x onerror=alert(1)>');
  expect(await axeViolations(page, 'main')).toEqual([]);
  await keepPictures(page, 'video-form');
  await page.keyboard.press('Control+s');
  await bar().waitFor({ state: 'detached' });
  expect(await getVideo(service, guid)).toMatchObject({
    title: 'مرحبا 🎬 Harbour',
    description: expect.stringMatching(/^\*\*At dawn\*\*/),
    category: 'Documentary',
    metaTags: [
      { property: 'keywords', value: 'boats' },
      { property: 'series', value: 'one' },
      { property: 'video:tag', value: 'dawn' },
    ],
  });
});

test('keeps edits while the service is unavailable, names a conflict, and saves only the changed fields', async () => {
  const guid = await createVideo(service, 'Tides');
  await open(guid);
  await page.getByLabel('Title').fill('Tides by night');
  await page.route(`**/videos/${guid}`, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await press('Save changes');
  await bar().getByText('Cannot reach the service.').waitFor();
  await page.unroute(`**/videos/${guid}`);
  // Another person changes the title and the category in the meantime.
  await call(service, 'POST', `/library/1/videos/${guid}`, { title: 'Tides by day', category: 'Nature' });
  await bar().getByText('Someone else has changed this in the meantime.').waitFor();
  expect(await page.getByLabel('Category').inputValue()).toBe('Nature');
  await press('Save changes');
  await bar().waitFor({ state: 'detached' });
  expect(await getVideo(service, guid)).toMatchObject({ title: 'Tides by night', category: 'Nature' });
});

test('creates, changes and deletes a share page with a password and an expiry date', async () => {
  const guid = await createVideo(service, 'Lighthouse');
  const shares = async () => Object(await call(service, 'GET', `/library/1/videos/${guid}/shares`)).items;
  await open(guid, '/share');
  await press('Create share page');
  const dialog = page.getByRole('dialog', { name: 'Create share page' });
  await dialog.getByLabel('Require a password').check();
  await dialog.getByLabel('Password for viewers').fill('short');
  await dialog.getByLabel('Expires').selectOption('168');
  await press('Save share page');
  await dialog.getByText('Expected a password of 8 to 200 visible characters').waitFor();
  await dialog.getByLabel('Password for viewers').fill('summer party');
  expect(await axeViolations(page, 'dialog')).toEqual([]);
  await keepPictures(page, 'share-page-form');
  await press('Save share page');
  await dialog.waitFor({ state: 'detached' });
  const [share] = await shares();
  expect(share).toMatchObject({ access: 'password', allowDownload: false, dateExpires: expect.any(String) });
  await page.locator('code', { hasText: share.url }).waitFor();
  expect(await axeViolations(page, { exclude: ['iframe'] })).toEqual([]);
  await keepPictures(page, 'share-page');
  await press('Edit');
  const editor = page.getByRole('dialog', { name: 'Edit share page' });
  await editor.getByLabel('Require a password').uncheck();
  await editor.getByLabel('Allow download', { exact: true }).check();
  await press('Save share page');
  await page.getByText('Anyone with the link').waitFor();
  expect(await shares()).toMatchObject([{ ...share, access: 'link', allowDownload: true }]);
  await press('Delete link');
  await page.getByText('The link stops working for everyone who has it.').waitFor();
  await press('Delete permanently');
  await page.locator('code', { hasText: share.url }).waitFor({ state: 'detached' });
  expect(await shares()).toEqual([]);
});

/** Changes the library with the account key. */
async function manage(place: string, body: object): Promise<void> {
  const headers = { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' };
  const url = `${service.apiUrl}/videolibrary/1${place}`;
  const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect([200, 204]).toContain(status);
}

test('every tab works in a library that requires tokens and the referrer of another site', async () => {
  const guid = await createVideo(service, 'Tower');
  await manage('', { PlayerTokenAuthenticationEnabled: true });
  await manage('/addAllowedReferrer', { Hostname: 'www.example.com' });
  const refused: string[] = [];
  const note = (response: { url(): string; status(): number }) => {
    if (response.url().startsWith(service.apiUrl) && response.status() >= 400) refused.push(response.url());
  };
  page.on('response', note);
  for (const tab of ['', '/share', '/captions', '/audio', '/chapters', '/thumbnail', '/clip', '/files', '/activity']) {
    await open(guid, tab);
    await page.getByRole('heading', { name: 'Tower' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(refused, tab).toEqual([]);
  }
  page.off('response', note);
  await manage('', { PlayerTokenAuthenticationEnabled: false });
  await manage('/removeAllowedReferrer', { Hostname: 'www.example.com' });
}, 120_000);

test('asks before a link, the back button or a sign-out discards unsaved changes', async () => {
  const guid = await createVideo(service, 'Gulls');
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos`);
  await page.getByRole('link', { name: 'Gulls' }).click();
  await page.getByLabel('Title').fill('Gulls at sea');
  await page.getByRole('link', { name: 'Captions', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  expect(await axeViolations(page, 'dialog')).toEqual([]);
  await dialog.getByRole('button', { name: 'Stay' }).click();
  expect(await page.getByLabel('Title').inputValue()).toBe('Gulls at sea');
  await page.goBack();
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  expect(new URL(page.url()).pathname).toContain(guid);
  expect(await page.getByLabel('Title').inputValue()).toBe('Gulls at sea');
  await press('Sign out');
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await page.goBack();
  await dialog.getByRole('button', { name: 'Save and leave' }).click();
  await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
  expect(await getVideo(service, guid)).toMatchObject({ title: 'Gulls at sea' });
});

test('the card and the page explain why a video failed, and accept a new file', async () => {
  const guid = await createVideo(service, 'Broken');
  const junk = path.join(folder, 'junk.mp4');
  // A text file would be refused before it is stored.
  await writeFile(junk, Buffer.alloc(12_000, 0xab));
  await uploadFile(service, guid, junk);
  await expect.poll(async () => (await getVideo(service, guid)).status, { timeout: WAIT_MS }).toBe(FAILED);
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos?search=Broken`);
  await page.locator('li.card').getByText('The file is not a video or audio file.').waitFor();
  await open(guid);
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText('The file is not a video or audio file.').waitFor();
  const clip = path.join(folder, 'good.mp4');
  await makePaddedClip(clip, 2 ** 20);
  await state.locator('input[type=file]').setInputFiles(clip);
  await expect.poll(async () => (await getVideo(service, guid)).status, { timeout: WAIT_MS }).toBe(FINISHED);
  await page.locator('.facts', { hasText: 'Ready' }).waitFor();
  await state.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('edits titles and tags of selected videos together, and moves a dragged video into a collection', async () => {
  const { guid: shelf } = Object(await call(service, 'POST', '/library/1/collections', { name: 'Shelf' }));
  const first = await createVideo(service, 'Otter one');
  const second = await createVideo(service, 'Otter two');
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos?search=Otter`);
  await page.getByLabel('Select Otter one').check();
  await page.getByLabel('Select Otter two').check();
  await press('Edit…');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title of Otter two').fill('Otter 2');
  await dialog.getByLabel('Add tags').fill('river, dusk');
  // Typed text survives a click outside.
  await page.mouse.click(5, 5);
  expect(await dialog.getByLabel('Title of Otter two').inputValue()).toBe('Otter 2');
  expect(await axeViolations(page, 'dialog')).toEqual([]);
  await keepPictures(page, 'bulk-edit');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.waitFor({ state: 'detached' });
  const tags = [
    { property: 'video:tag', value: 'river' },
    { property: 'video:tag', value: 'dusk' },
  ];
  expect(await getVideo(service, first)).toMatchObject({ title: 'Otter one', metaTags: tags });
  expect(await getVideo(service, second)).toMatchObject({ title: 'Otter 2', metaTags: tags });
  await page.locator('li.card', { hasText: 'Otter one' }).hover();
  await page.mouse.down();
  await page.mouse.move(20, 20, { steps: 4 });
  const target = page.locator('.collection-drop li', { hasText: 'Shelf' });
  await target.hover();
  await target.hover();
  await page.mouse.up();
  await expect.poll(async () => Object(await getVideo(service, first)).collectionId, { timeout: WAIT_MS }).toBe(shelf);
});

test('uploads a file from a menu, and the upload tray shows its progress and copies its embed code', async () => {
  await page.goto(`${service.apiUrl}/dashboard/library/1/videos`);
  await press('Upload');
  await page.getByRole('menuitem', { name: 'Files' }).waitFor();
  await page.keyboard.press('ArrowDown');
  expect(await page.getByRole('menuitem', { name: 'Folder' }).evaluate((item) => item.matches(':focus'))).toBe(true);
  expect(await axeViolations(page, '.menu-place')).toEqual([]);
  await page.keyboard.press('Escape');
  const name = `${'a very long name '.repeat(11)}.mp4`;
  const clip = path.join(folder, name);
  await makePaddedClip(clip, 2 ** 20);
  await page.locator('input[type=file]:not(.folder)').first().setInputFiles(clip);
  const row = page.locator('.tray li');
  await row.getByText('Ready').waitFor();
  await row.getByRole('button', { name: 'Copy embed code' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    `<iframe src="${service.edgeUrl}/embed/1/`,
  );
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  expect(await axeViolations(page, '.tray')).toEqual([]);
  await keepPictures(page, 'tray');
  expect(faults).toEqual([]);
});

test('shares a video as code in several forms and sizes, as a QR code, and as files with their sizes', async () => {
  const guid = await createVideo(service, 'Lighthouse');
  const clip = path.join(folder, 'lighthouse.mp4');
  await makePaddedClip(clip, 2 ** 20);
  await uploadFile(service, guid, clip);
  await expect.poll(async () => (await getVideo(service, guid)).status, { timeout: WAIT_MS }).toBe(FINISHED);
  await open(guid, '/share');
  const code = page.locator('.copy-field', { hasText: /^Code for/ }).locator('code');
  const wait = (text: string | RegExp) => code.getByText(text).waitFor();
  await wait(/width:100%;aspect-ratio:/);
  await page.getByLabel('Start at').fill('1:30');
  await wait(/t=1%3A30/);
  await page.getByLabel('Frame size').selectOption('fixed');
  await page.getByLabel('Width in pixels').fill('200');
  await wait(/width="200" height="\d+"/);
  await press('React');
  await wait(/allowFullScreen/);
  await press('Video element');
  await wait(/playlist\.m3u8#t=90/);
  await press('oEmbed');
  await wait(/maxWidth=200/);
  const answer = await fetch((await code.textContent()) ?? '');
  expect(await answer.json()).toMatchObject({ title: 'Lighthouse', width: 200 });
  await press('Web component');
  await wait(/<millrace-player src="[^"]+" library="1" .*start="1:30".* style="width:200px">/);
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
  const download = page.getByRole('link', { name: /^MP4 .* (kB|MB)$/ }).first();
  const file = await fetch((await download.getAttribute('href')) ?? '');
  expect(file.headers.get('content-disposition')).toContain('Lighthouse');
  await file.body?.cancel();
  expect(await axeViolations(page, 'main')).toEqual([]);
  await keepPictures(page, 'share');
  await call(service, 'POST', `/library/1/videos/${guid}`, { visibility: 'private' });
  await open(guid, '/share');
  await page.locator('.hint', { hasText: 'Plays only with a signed URL' }).waitFor();
  expect(faults).toEqual([]);
});
