import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations } from '../support/axe-violations.ts';
import { openBrowser } from '../support/browser.ts';
import { openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { TWO_VIEWS } from '../support/look-at-page.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call, createVideo } from '../support/videos.ts';

/** Timeout that only a hang exceeds, even on a busy machine. */
const HANG_MS = 600_000;

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

/** Each dialog: its title, its screen, and the buttons that open it. */
type Opener = readonly [title: string | RegExp, place: string, ...buttons: (string | RegExp)[]];

const press = async (name: string | RegExp) => {
  const isText = typeof name === 'string';
  await page
    .getByRole('button', { name, ...(isText && { exact: true }) })
    .first()
    .click();
};

function openersOf(videoId: string): Opener[] {
  const [list, video] = ['/library/1/videos?view=list', `/library/1/videos/${videoId}`];
  return [
    ['Search', '/library/1/videos', 'Search Ctrl K'],
    ['Notifications', '/library/1/videos', /^Notifications/],
    ['Show API calls', '/library/1/videos', 'Show API calls'],
    ['Save filters', '/library/1/videos?search=a', 'Save these filters…'],
    ['Edit 1 video', list, 'Edit…'],
    ['Move 1 video', list, 'Move…'],
    ['Re-encode: 1 video', list, 'Re-encode…'],
    ['Delete “Thrown away” now', '/library/1/trash', /^Delete now…/],
    ['Collection Talks', '/library/1/collections', 'Edit Talks'],
    ['Share Talks', '/library/1/collections', 'Share Talks'],
    ['Create share page', `${video}/share`, 'Create share page'],
    ['Remove the captions in English?', `${video}/captions`, 'Remove English'],
    [/^Delete library /, '/library/1/settings/general', 'Delete this library…'],
    ['Reset API key', '/library/1/settings/keys', 'Reset API key'],
    ['Add endpoint', '/library/1/settings/webhooks', 'Add endpoint'],
    ['Add provider', '/people', 'Add provider'],
    [/^Drain /, '/system', /^Drain/],
  ];
}

/** Opens a screen within the page, like a link, and then its dialog. Loading the page again would be slow. */
async function openDialog([title, place, ...buttons]: Opener): Promise<void> {
  await page.evaluate((address) => {
    history.pushState(null, '', address);
    dispatchEvent(new PopStateEvent('popstate'));
  }, `/dashboard${place}`);
  if (place.includes('view=list')) await page.getByRole('checkbox', { name: 'Select A film' }).check();
  for (const button of buttons) await press(button);
  await page.getByRole('dialog', { name: title }).waitFor();
}

test(
  'every dialog passes axe and fits the page, wide and light, narrow and dark',
  async () => {
    const videoId = await createVideo(service, 'A film');
    const srt = Buffer.from('1\n00:00:00,000 --> 00:00:01,000\nHello\n').toString('base64');
    const captions = { srclang: 'en', label: 'English', captionsFile: srt };
    await call(service, 'POST', `/library/1/videos/${videoId}/captions/en`, captions);
    await call(service, 'POST', '/library/1/collections', { name: 'Talks' });
    const videoIds = [await createVideo(service, 'Thrown away')];
    await call(service, 'POST', '/library/1/bulk', { action: 'trash', videoIds });
    const trashed = async () => Object(await call(service, 'GET', '/library/1/trash')).totalItems;
    await expect.poll(trashed, { timeout: WAIT_MS }).toBe(1);
    const found: string[] = [];
    for (const opener of openersOf(videoId)) {
      await openDialog(opener);
      for (const [colorScheme, width] of TWO_VIEWS) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
        const view = `${opener[0]} ${colorScheme} ${width}`;
        found.push(...(await axeViolations(page, 'dialog[open]')).map((one) => `${view}: ${one}`));
        const box = await page.locator('dialog[open]').last().boundingBox();
        if (box === null || box.x < 0 || box.x + box.width > width) found.push(`${view}: is cut off`);
        await keepPicture(view);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.keyboard.press('Escape');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
    }
    expect(found).toEqual([]);
  },
  HANG_MS,
);

/** Saves a screenshot if the environment requests it. */
async function keepPicture(view: string): Promise<void> {
  const folder = process.env.MILLRACE_TEST_PICTURES;
  if (folder === undefined) return;
  const name = view.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  await page.screenshot({ path: `${folder}/dialog-${name}.png` });
}
