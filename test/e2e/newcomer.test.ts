import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations } from '../support/axe-violations.ts';
import { openBrowser } from '../support/browser.ts';
import { openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { makePaddedClip } from '../support/media/padded-clip.ts';
import { missedClicks } from '../support/missed-clicks.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

/** More files than the upload list has rows. */
const MANY_FILES = 34;
const PATIENCE = { timeout: WAIT_MS };
const ON_AIR = 4;

let service: Service;
let browser: Browser;
let page: Page;
let folder: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-newcomer-'));
  page = await openDashboard(service, browser, { key: ACCOUNT_KEY });
}, WAIT_MS);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
const open = (place: string) => page.goto(`${service.apiUrl}/dashboard/library/1/${place}`);
const choose = (files: readonly string[]) =>
  page
    .locator('input[type=file]:not(.folder)')
    .first()
    .setInputFiles([...files]);

test('a refused file can only be replaced by another one, and is not interrupted after a reload', async () => {
  const html = path.join(folder, 'page.mp4');
  const empty = path.join(folder, 'empty.mp4');
  await writeFile(html, '<!doctype html><title>Sign in</title>');
  await writeFile(empty, '');
  await open('videos');
  await choose([html, empty]);
  const rows = page.locator('.tray li[data-state=failed]');
  await rows.filter({ hasText: 'The file is an HTML page' }).waitFor();
  await rows.filter({ hasText: 'The file is empty.' }).waitFor();
  expect(
    await page
      .locator('.tray')
      .getByRole('button', { name: /Try again|Retry/ })
      .count(),
  ).toBe(0);
  await lookAtPage('refused-uploads', page);
  const clip = path.join(folder, 'good.mp4');
  await makePaddedClip(clip, 2 ** 20);
  await rows.filter({ hasText: 'page.mp4' }).getByLabel('Choose another file').setInputFiles(clip);
  await page.locator('.tray li[data-state=done]', { hasText: 'good.mp4' }).waitFor(PATIENCE);
  await choose([html]);
  await rows.filter({ hasText: 'page.mp4' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
  await expect.poll(() => page.locator('li.card', { hasText: 'page' }).count(), PATIENCE).toBeGreaterThan(0);
  expect(await page.locator('.tray').count()).toBe(0);
});

test(
  'files without a row do not count as uploaded if they are unusable',
  async () => {
    const files = Array.from({ length: MANY_FILES }, (_, index) => path.join(folder, `junk-${index}.mp4`));
    for (const file of files) await writeFile(file, Buffer.alloc(12_000, 0xab));
    await open('videos');
    await choose(files);
    const tray = page.locator('.tray');
    await tray.getByText('and 4 more files').waitFor(PATIENCE);
    await tray.getByRole('heading', { name: 'Uploads', exact: true }).waitFor(PATIENCE);
    await expect.poll(() => tray.getByRole('button', { name: /^Clear/ }).count(), PATIENCE).toBe(0);
  },
  WAIT_MS,
);

test('a double click creates only one stream, and does not end or delete it', async () => {
  await open('live');
  await page.getByPlaceholder('Stream title').fill('Market day');
  await page.getByRole('button', { name: 'Create stream' }).dblclick();
  await page.getByRole('link', { name: 'Market day' }).first().waitFor();
  const streams = Object(await call(service, 'GET', '/library/1/live'));
  expect(streams.totalItems).toBe(1);
  const [{ guid }] = streams.items;
  const statusOf = async () => Object(await call(service, 'GET', `/library/1/live/${guid}`)).status;
  await open(`live/${guid}`);
  await page.getByText('No encoder connected yet.').waitFor();
  await press('Start');
  const end = page.getByRole('button', { name: 'End…' });
  await end.waitFor();
  // No encoder was connected, so none is called disconnected.
  await page.getByText('No encoder connected yet.').waitFor();
  const code = page.locator('section', { hasText: 'The player waits for the stream' }).getByText('<iframe');
  expect(await code.textContent()).toContain(`/embed/1/${guid}`);
  await lookAtPage('stream-share', page, { exclude: ['iframe'] });
  await end.dblclick();
  await end.waitFor();
  expect(await statusOf()).toBe(ON_AIR);
  await end.click();
  await press('End stream');
  const remove = page.getByRole('button', { name: 'Delete…' });
  await remove.waitFor(PATIENCE);
  await remove.dblclick();
  await remove.waitFor();
  expect(await statusOf()).not.toBe(ON_AIR);
});

test('asks before captions are replaced or removed, and offers languages by name', async () => {
  const guid = await createVideo(service, 'Gulls');
  const captionsFile = Buffer.from('WEBVTT\n\n00:00.500 --> 00:02.000\nGulls\n').toString('base64');
  await call(service, 'POST', `/library/1/videos/${guid}/captions/de`, {
    srclang: 'de',
    label: 'German',
    captionsFile,
  });
  await open(`videos/${guid}/captions`);
  const language = page.getByRole('main').getByRole('combobox', { name: 'Language', exact: true });
  await language.selectOption({ label: 'German' });
  const buffer = Buffer.from('WEBVTT\n\n00:00.500 --> 00:02.000\nOthers\n');
  await page.getByLabel('Replace with file').setInputFiles({ name: 'de.vtt', mimeType: 'text/vtt', buffer });
  const asked = page.getByRole('dialog', { name: 'Replace the captions in German?' });
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await press('Remove German');
  await page.getByRole('dialog', { name: 'Remove the captions in German?' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  const { captions } = Object(await call(service, 'GET', `/library/1/videos/${guid}`));
  expect(captions).toMatchObject([{ srclang: 'de', version: 1 }]);
  await language.selectOption({ label: 'Other language…' });
  const code = page.getByLabel('Language code');
  await code.fill('not a language');
  // A fault is shown when the field was left.
  await code.blur();
  await page.getByText('Not a language code.').waitFor();
  expect(await page.getByRole('button', { name: 'Write captions' }).isDisabled()).toBe(true);
  await lookAtPage('captions-language', page, { exclude: ['iframe'] });
  await language.selectOption({ label: 'German' });
  await press('Remove German');
  await press('Remove captions');
  await page.getByText('No captions yet.').waitFor();
});

test('no clip can be created from a video that is not finished', async () => {
  const guid = await createVideo(service, 'Still empty');
  await open(`videos/${guid}/clip`);
  await page.getByText('You can create the clip when encoding is done.').waitFor();
  expect(await page.getByRole('button', { name: /^Create clip/ }).isDisabled()).toBe(true);
});

test(
  'the trash and the webhook deliveries fit a phone without scrolling sideways',
  async () => {
    const guid = await createVideo(service, 'A film with a rather long name that needs two lines on a phone');
    const clip = path.join(folder, 'trashed.mp4');
    await makePaddedClip(clip, 2 ** 20);
    await uploadFile(service, guid, clip);
    await untilVideo(service, guid, ({ status }) => status === FINISHED, WAIT_MS);
    await call(service, 'DELETE', `/library/1/videos/${guid}?trash=true`);
    const endpoint = { url: 'http://127.0.0.1:9/hook', name: 'A receiver that does not run' };
    const { guid: endpointId } = Object(await call(service, 'POST', '/library/1/webhook-endpoints', endpoint));
    await call(service, 'POST', `/library/1/webhooks/test?endpoint=${endpointId}`);
    for (const [place, button] of [
      ['trash', /^Restore/],
      ['settings/webhooks', /^Resend/],
    ] as const) {
      await open(place);
      await page.getByRole('button', { name: button }).first().waitFor();
      await lookAtPage(place.replace('/', '-'), page);
      await page.setViewportSize({ width: 390, height: 900 });
      const table = page.locator('.table').last();
      expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth), place).toBeLessThanOrEqual(
        0,
      );
      expect(await missedClicks(page), place).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  },
  WAIT_MS,
);

test('the notice that appears while files are dragged over the page passes axe', async () => {
  await open('videos');
  await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['x'], 'x.mp4', { type: 'video/mp4' }));
    document.body.dispatchEvent(new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true }));
  });
  await page.getByText('Drop files or folders to upload').waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

test('a screen that was opened without a connection shows its content when the connection is back', async () => {
  await open('videos');
  await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Collections' }).click();
  await page.getByRole('heading', { name: 'Collections' }).waitFor();
  await page.route('**/library/1/trash*', (route) => route.abort());
  await page.getByRole('link', { name: 'Trash' }).click();
  await page.getByText('Cannot reach the service.').waitFor();
  await page.unroute('**/library/1/trash*');
  await page.getByText('Cannot reach the service.').waitFor({ state: 'detached', ...PATIENCE });
  await page.getByRole('button', { name: /^Restore/ }).waitFor();
});

test('dates in the wrong order are reported, and a comparison states that it leaves out today', async () => {
  await open('statistics');
  await page.getByLabel('Compare with').selectOption('previous');
  await page.getByText('Today is left out, because it is incomplete.').waitFor();
  await page.getByLabel('Range').selectOption('own');
  await page.getByLabel('Last day').fill('2020-01-01');
  await page.getByText('The last day is before the first day.').waitFor();
  await page.getByLabel('First day').fill('2190-01-01');
  await page.getByText('The first day is in the future.').waitFor();
});

test('a viewer does not see tabs and screens that the role cannot use', async () => {
  const { ReadOnlyApiKey: key } = Object(
    await (await fetch(`${service.apiUrl}/videolibrary/1`, { headers: { AccessKey: ACCOUNT_KEY } })).json(),
  );
  const guid = await createVideo(service, 'For viewers');
  const viewer = await openDashboard(service, browser, { key });
  await viewer.goto(`${service.apiUrl}/dashboard/library/1/videos/${guid}/chapters`);
  await viewer.getByText('No chapters yet.', { exact: true }).waitFor();
  const tabs = viewer.getByRole('navigation', { name: 'Video sections' });
  expect(await tabs.getByRole('link', { name: 'Clip' }).count()).toBe(0);
  await viewer.goto(`${service.apiUrl}/dashboard/library/1/trash`);
  await viewer.getByRole('heading', { name: 'Your role cannot open this page' }).waitFor();
  await viewer.context().close();
});

test('the bar with unsaved changes does not cover the field that is being edited', async () => {
  const guid = await createVideo(service, 'Low field');
  await open(`videos/${guid}`);
  await page.setViewportSize({ width: 1280, height: 700 });
  const field = page.getByLabel('Category');
  // At the bottom edge of the window, where the bar appears.
  await field.evaluate((element) => element.scrollIntoView({ block: 'end' }));
  await field.click();
  await page.keyboard.type('b');
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor();
  const isCovered = () =>
    field.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return !element.contains(document.elementFromPoint(x + width / 2, y + height - 2));
    });
  await expect.poll(isCovered).toBe(false);
  await press('Discard');
});
