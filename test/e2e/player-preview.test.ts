import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { keepPictures, openDashboard } from '../support/dashboard.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';

const HANG_MS = 300_000;
const PATIENCE = { timeout: 60_000 };

let service: Service;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  page = await openDashboard(service, browser, { key: ACCOUNT_KEY });
}, HANG_MS);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
});

const open = () => page.goto(`${service.apiUrl}/dashboard/library/1/settings/player`);

test(
  'each setting of the player reaches the preview before it is saved',
  async () => {
    const guid = crypto.randomUUID();
    await page.route(/\/videos\?status=4&/, (route) => route.fulfill({ json: { totalItems: 1, items: [{ guid }] } }));
    const address = `${service.edgeUrl}/embed/1/${guid}`;
    await page.route('**/embed-address', (route) => route.fulfill({ json: { address } }));
    await open();
    const main = page.locator('main');
    await main.getByLabel('Colour, hexadecimal', { exact: true }).fill('#00aa88');
    await main.getByLabel('Font').selectOption('serif');
    await main.getByLabel('Language').selectOption('de');
    await main.getByLabel('Size (px)').fill('31');
    await main.getByLabel('Text colour, hexadecimal').fill('#eeeeee');
    await main.getByLabel('Background, hexadecimal').fill('#112233');
    const shown = async () => {
      const source = await page.getByTitle('Player preview').getAttribute('src');
      return Object.fromEntries(new URL(source ?? '').searchParams);
    };
    const text = { font: 'serif', language: 'de', captionsSize: '31' };
    const colours = { color: '#00aa88', captionsColor: '#eeeeee', captionsBackground: '#112233' };
    await expect.poll(shown, PATIENCE).toMatchObject({ count: 'false', ...text, ...colours });
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Discard' }).click();
  },
  HANG_MS,
);

test(
  'the stored logo and watermark are shown, and can then be removed',
  async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    const buffer = Buffer.from(png, 'base64');
    for (const [part, name, choose, remove] of [
      ['player', 'Logo', 'Upload logo', 'Remove logo'],
      ['watermark', 'Watermark', 'Upload image', 'Remove image'],
    ] as const) {
      const image = page.getByRole('img', { name, exact: true });
      await page.goto(`${service.apiUrl}/dashboard/library/1/settings/${part}`);
      await page.getByLabel(choose).setInputFiles({ name: 'image.png', mimeType: 'image/png', buffer });
      await image.waitFor();
      await page.reload();
      await image.waitFor();
      expect(await image.evaluate((shown: HTMLImageElement) => shown.decode().then(() => shown.naturalWidth))).toBe(1);
      await keepPictures(page, `settings-${part}`);
      await page.getByRole('button', { name: remove }).click();
      await image.waitFor({ state: 'detached' });
      expect(await page.getByRole('button', { name: remove }).count()).toBe(0);
    }
  },
  HANG_MS,
);

test(
  'the player preview shows why it cannot load its video',
  async () => {
    const items = [{ guid: crypto.randomUUID() }];
    const finished = /\/videos\?status=4&/;
    await page.route(finished, (route) => route.fulfill({ json: { totalItems: 1, items } }));
    await page.route('**/embed-address', (route) => route.fulfill({ status: 404, json: { Message: 'It is gone.' } }));
    await open();
    const preview = page.locator('.player-preview');
    await preview.getByRole('alert').filter({ hasText: 'It is gone.' }).waitFor(PATIENCE);
    await keepPictures(page, 'player-preview-error');
    expect(await preview.locator('.waiting').count()).toBe(0);
    await page.unrouteAll();
  },
  HANG_MS,
);
