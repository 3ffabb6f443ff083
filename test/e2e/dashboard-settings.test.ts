import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SETTINGS } from '../../web/dashboard/library/settings-index.ts';
import { axeViolations } from '../support/axe-violations.ts';
import { openBrowser } from '../support/browser.ts';
import { keepPictures, openDashboard } from '../support/dashboard.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { ACCOUNT_KEY, discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { createVideo } from '../support/videos.ts';
import { type Receiver, startReceiver, status } from '../webhooks/receiver.ts';

const HANG_MS = 300_000;
const PATIENCE = { timeout: 60_000 };

let service: Service;
let browser: Browser;
let page: Page;
let receiver: Receiver;
const faults: string[] = [];

beforeAll(async () => {
  [service, browser, receiver] = await Promise.all([
    startService(null, { MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8' }),
    openBrowser(),
    startReceiver(),
  ]);
  page = await openDashboard(service, browser, { key: ACCOUNT_KEY });
  page.on('pageerror', (error) => faults.push(error.message));
}, HANG_MS);
afterEach(() => expect(faults.splice(0)).toEqual([]));
afterAll(async () => {
  await browser?.close();
  await receiver?.stop();
  if (service !== undefined) await discard(service);
});

const open = (place: string) => page.goto(`${service.apiUrl}/dashboard/library/1/${place}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const options = () => page.getByRole('listbox', { name: 'Settings found' }).getByRole('option');
const find = () => page.getByRole('combobox', { name: 'Find a setting' });
const stored = async () => {
  const answer = await fetch(`${service.apiUrl}/videolibrary/1`, { headers: { AccessKey: ACCOUNT_KEY } });
  return Object(await answer.json());
};

test(
  'the search opens the block of a setting and highlights the setting, for each block',
  async () => {
    // The audit log has a table once something has changed.
    const body = JSON.stringify({ name: 'Talks' });
    const headers = { AccessKey: ACCOUNT_KEY, 'content-type': 'application/json' };
    await fetch(`${service.apiUrl}/library/1/collections`, { method: 'POST', headers, body });
    await open('settings');
    const missed: string[] = [];
    for (const [block, label] of new Map(SETTINGS.toReversed().map((one) => [one[0], one])).values()) {
      await find().fill(label);
      const option = options().filter({ hasText: label }).first();
      await option.waitFor({ timeout: 15_000 });
      const wanted = await page
        .locator('#settings-found')
        .getByRole('option')
        .evaluateAll((all, text) => all.findIndex((one) => one.firstElementChild?.textContent === text), label);
      if (wanted < 0) missed.push(`${label}: not listed`);
      for (let step = 0; step < wanted; step += 1) await find().press('ArrowDown');
      await find().press('Enter');
      // The table of the audit log has no visible name.
      const mark = page.locator('.found', block === 'audit' ? {} : { hasText: label }).first();
      await mark.waitFor({ timeout: 15_000 }).catch(() => missed.push(`${label}: not marked in ${block}`));
      await page.evaluate(() => document.querySelector('.found')?.classList.remove('found'));
    }
    expect(missed).toEqual([]);
  },
  HANG_MS,
);

test(
  'former tabs open their block in one of five sections',
  async () => {
    const sections = page.getByRole('navigation', { name: 'Settings sections' });
    for (const [part, section, heading] of [
      ['drm', 'Access', 'Encryption'],
      ['watermark', 'Video and sound', 'Watermark'],
      ['rules', 'Access', 'Blocked domains'],
      ['storage', 'General', 'Stored'],
      ['webhooks', 'Developers', 'Endpoints'],
    ] as const) {
      await open(`settings/${part}`);
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
      expect(await sections.getByRole('link').count()).toBe(5);
      expect(await sections.locator('[aria-current]').textContent()).toBe(section);
      await expect
        .poll(() => page.locator(`#block-${part}`).evaluate((block) => block.getBoundingClientRect().top), PATIENCE)
        .toBeLessThan(800);
    }
  },
  HANG_MS,
);

test(
  'player settings change the preview before they are saved, and leaving without saving asks first',
  async () => {
    await open('settings/player');
    await press('10 s back');
    await press('Mute');
    await press('3×');
    const hex = page.getByLabel('Colour, hexadecimal', { exact: true });
    await hex.fill('#12');
    await hex.blur();
    await page.getByText('Not a colour.').waitFor();
    await hex.fill('#00aa88');
    await keepPictures(page, 'settings-player');
    expect(await axeViolations(page, 'main')).toEqual([]);
    await page.getByRole('link', { name: 'General' }).click();
    await page.getByRole('dialog').getByText('Leave without saving?').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    await press('Save changes');
    await page.getByText('Saved.').waitFor();
    const { PlayerKeyColor, Controls, PlaybackSpeeds } = await stored();
    expect(PlayerKeyColor).toBe('#00aa88');
    expect(Controls.split(',')).toContain('rewind');
    expect(Controls.split(',')).not.toContain('mute');
    expect(PlaybackSpeeds).toBe('0.5,0.75,1,1.25,1.5,2,3');
    await open('settings/transcription');
    await page.getByLabel('Add to: Caption languages').selectOption('pt-BR');
    await page.getByLabel('Add to: Caption languages').selectOption('de');
    await press('Remove Brazilian Portuguese');
    await press('Save changes');
    await page.getByText('Saved.').waitFor();
    expect((await stored()).TranscribingCaptionLanguages).toEqual(['de']);
  },
  HANG_MS,
);

test(
  'an endpoint is added with chosen events, tested, and shows a failed delivery that is sent again',
  async () => {
    await open('settings/webhooks');
    await press('Add endpoint');
    const dialog = page.getByRole('dialog');
    const warning = dialog.getByText('Events to private addresses are sent only if');
    await dialog.getByLabel('URL').fill('https://example.com/hook');
    expect(await warning.count()).toBe(0);
    // The receiver listens on a loopback address.
    await dialog.getByLabel('URL').fill(`${receiver.url}/hook`);
    await warning.waitFor();
    await dialog.getByLabel('Name (optional)').fill('Newsroom');
    await dialog.getByLabel('Only these').check();
    expect(await dialog.getByLabel('Video ready').isChecked()).toBe(true);
    await dialog.getByLabel('Video ready').uncheck();
    await dialog.getByLabel('All events').check();
    await dialog.getByLabel('Only these').check();
    expect(await dialog.getByLabel('Video ready').isChecked()).toBe(false);
    await dialog.getByLabel('Video ready').check();
    expect(await axeViolations(page, 'dialog')).toEqual([]);
    await keepPictures(page, 'endpoint-dialog');
    await dialog.getByRole('button', { name: 'Add endpoint' }).click();
    receiver.script(status(500));
    await press('Send test to Newsroom');
    await page.getByText('Test failed: HTTP 500').waitFor(PATIENCE);
    receiver.script(status(204));
    await page.getByRole('button', { name: /^Resend Test event, / }).click();
    await expect.poll(() => receiver.arrivals.length, PATIENCE).toBe(2);
    await press('Send test to Newsroom');
    await page.getByText('Test delivered: HTTP 204').waitFor(PATIENCE);
    await keepPictures(page, 'webhooks');
    await press('Edit Newsroom');
    await press('Delete endpoint');
    await page.getByText('Its signing secret and its deliveries are deleted too.').waitFor();
    await keepPictures(page, 'endpoint-delete');
    await press('Cancel');
    await press('Delete endpoint');
    await press('Delete endpoint');
    await page.getByText('No endpoint yet.', { exact: false }).waitFor();
  },
  HANG_MS,
);

test(
  'the audit log names people, actions and objects, and filters by them',
  async () => {
    const guid = await createVideo(service, 'The weir');
    const share = { method: 'POST', headers: { AccessKey: LIBRARY_KEY }, body: '{}' };
    await fetch(`${service.apiUrl}/library/1/videos/${guid}/shares`, share);
    const headers = { AccessKey: LIBRARY_KEY, 'Content-Type': 'application/json' };
    const edit = { title: 'The old weir', description: 'Water', category: 'Mills', metaTags: [{ property: 'a' }] };
    const video = `${service.apiUrl}/library/1/videos/${guid}`;
    await fetch(video, { method: 'POST', headers, body: JSON.stringify(edit) });
    await open('settings/audit');
    const change = page.getByRole('row', { name: /Changed a video/ });
    await change.getByText('Title: The weir → The old weir').waitFor();
    await change.getByText('Description: nothing → Water').waitFor();
    await change.getByText('1 more', { exact: true }).waitFor();
    await lookAtPage('audit', page);
    const row = page.getByRole('row', { name: /Created a share page/ });
    await row.getByText('API key of the library').waitFor();
    expect(await row.getByRole('link', { name: 'The old weir' }).getAttribute('href')).toContain(guid);
    const seen = await page.locator('main').evaluate((main) => {
      for (const fold of main.querySelectorAll('details')) fold.remove();
      return main.textContent ?? '';
    });
    expect(seen).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
    await page.getByLabel('Changes of').selectOption('Webhooks');
    await page.getByRole('row', { name: /Added a webhook endpoint/ }).waitFor();
    await row.waitFor({ state: 'detached' });
    await page.getByLabel('Changes of').selectOption('');
    await row.getByRole('button', { name: 'Show only API key of the library' }).click();
    await page.getByRole('row', { name: /Added a webhook endpoint/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Only API key of the library; show everyone' }).click();
    await page.getByRole('row', { name: /Added a webhook endpoint/ }).waitFor();
  },
  HANG_MS,
);

test(
  'the share preview waits for its token, without a refused request',
  async () => {
    const headers = { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ PlayerTokenAuthenticationEnabled: true });
    await fetch(`${service.apiUrl}/videolibrary/1`, { method: 'POST', headers, body });
    const guid = await createVideo(service, 'Signed only');
    const refused: string[] = [];
    const frames: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() === 403) refused.push(answer.url());
    });
    page.on('request', (request) => {
      if (request.url().includes('/embed/')) frames.push(request.url());
    });
    await open(`videos/${guid}/share`);
    await expect.poll(() => frames.length, PATIENCE).toBeGreaterThan(0);
    await page.getByTitle('Player preview').waitFor();
    expect(frames.filter((url) => !url.includes('token='))).toEqual([]);
    expect(refused).toEqual([]);
  },
  HANG_MS,
);

test(
  'a chosen theme is kept, and the theme of the system applies without a choice',
  async () => {
    await open('statistics');
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await ground();
    await page.getByLabel('Theme').selectOption('Dark');
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await page.getByLabel('Theme').inputValue()).toBe('dark');
    expect(await ground()).toBe(dark);
    await keepPictures(page, 'theme');
    await page.getByLabel('Theme').selectOption('System');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground()).toBe(dark);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await ground()).toBe(light);
  },
  HANG_MS,
);

test(
  'filters can be saved under a name, and the list shows the chosen columns',
  async () => {
    await createVideo(service, 'The mill pond');
    await open('videos?view=list&search=pond');
    await press('Save these filters…');
    await page.getByLabel('Name of the filters').fill('Rivers');
    await page.getByRole('dialog').getByRole('button', { name: 'Save filters' }).click();
    await page.getByText('Columns', { exact: true }).first().click();
    await page.getByLabel('Category').check();
    await page.getByLabel('Views', { exact: true }).uncheck();
    await open('videos?view=list');
    await press('Sort by Size');
    await page.getByRole('button', { name: 'Sort by Size, now descending' }).click();
    await page.getByRole('button', { name: 'Sort by Size, now ascending' }).waitFor();
    expect(await page.getByRole('button', { name: 'Sort by Views' }).count()).toBe(0);
    await page.locator('.list-head').getByText('Category', { exact: true }).waitFor();
    await press('Rivers');
    await page.getByText('1 video', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('search')).toBe('pond');
    await press('Delete the filter Rivers');
    await page.getByRole('button', { name: 'Rivers', exact: true }).waitFor({ state: 'detached' });
    await keepPictures(page, 'saved-filters');
    expect(await axeViolations(page, 'main')).toEqual([]);
  },
  HANG_MS,
);
