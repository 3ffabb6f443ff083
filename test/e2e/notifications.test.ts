import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { type Receiver, startReceiver, status } from '../webhooks/receiver.ts';

const WAIT_MS = 120_000;
const HANG_MS = 300_000;
const PATIENCE = { timeout: 150_000 };
const PASSWORD = 'five plain words make it';
const EMAIL = 'olga@example.com';

let service: Service;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let chat: Receiver;
let mail: MailServer;

beforeAll(async () => {
  [browser, chat, mail] = await Promise.all([openBrowser(), startReceiver(), startMailServer()]);
  service = await startService(null, {
    MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8',
    MILLRACE_SMTP_URL: mail.url,
    MILLRACE_MAIL_FROM: 'videos@example.com',
  });
  context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(WAIT_MS);
  await context.grantPermissions(['notifications'], { origin: service.apiUrl });
  await context.addInitScript(recordDesktop);
  page = await context.newPage();
}, HANG_MS);
afterAll(async () => {
  await browser?.close();
  await Promise.all([chat?.stop(), mail?.close()]);
  if (service !== undefined) await discard(service);
});

/** Runs in the page: keeps what it shows on the desktop. */
function recordDesktop() {
  const shown: string[] = [];
  class Recorded extends Notification {
    constructor(title: string, options?: NotificationOptions) {
      super(title, options);
      shown.push(`${title}: ${options?.body ?? ''}`);
    }
  }
  Object.assign(globalThis, { shownOnDesktop: shown, Notification: Recorded });
}

const call = async (method: string, path: string, body?: object) => {
  const headers = { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' };
  const answer = await fetch(`${service.apiUrl}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  expect([path, answer.ok]).toEqual([path, true]);
  return Object(await answer.json());
};

/** Adds a video whose file is no video, so that it fails. */
async function addFailing(title: string): Promise<void> {
  const { guid } = await call('POST', '/library/1/videos', { title });
  const headers = { AccessKey: ACCOUNT_KEY };
  await fetch(`${service.apiUrl}/library/1/videos/${guid}`, { method: 'PUT', headers, body: 'no video' });
  await expect.poll(async () => (await call('GET', `/library/1/videos/${guid}`)).status, PATIENCE).toBe(5);
}

/** Lets the page look for notifications now instead of at the next interval. */
const lookNow = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

test(
  'a person chooses events, tests a chat, and is told about a failed video by chat, e-mail, bell and desktop',
  async () => {
    const invited = await call('POST', '/people', { Email: EMAIL, Name: 'Olga', Role: 'owner' });
    const secret = String(invited.Link).split('#')[1];
    await page.goto(`${service.apiUrl}/dashboard/join#${secret}`);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.getByRole('button', { name: 'Notifications', exact: true }).click();
    const list = page.getByRole('dialog', { name: 'Notifications' });
    await list.getByText('No notifications in the last 30 days.').waitFor();
    await lookAtPage('notifications-empty', page);
    await list.getByRole('button', { name: 'Show desktop notifications' }).click();
    await list.getByRole('button', { name: 'Stop desktop notifications' }).waitFor();
    await list.getByRole('link', { name: 'Choose events' }).click();
    await page.getByLabel('Video failed: by e-mail').check();
    await page.getByLabel('Video ready: in the dashboard').uncheck();
    await page.getByRole('button', { name: 'Save notifications' }).click();
    await page.getByText('Saved.').waitFor();
    await lookAtPage('notifications-account', page, { views: FOUR_VIEWS });

    await page.goto(`${service.apiUrl}/dashboard/library/1/settings/chat`);
    const block = page.locator('#block-chat');
    await block.getByLabel('Webhook URL').waitFor();
    await lookAtPage('notifications-chat-new', page);
    await block.getByLabel('Webhook URL').fill(`${chat.url}/services/T00/B00/very-secret-token`);
    const saveBar = page.getByRole('region', { name: 'Unsaved changes' });
    await saveBar.getByRole('button', { name: 'Save changes' }).click();
    await block.getByText(`Stored: ${chat.url}/…oken. A new URL replaces it.`).waitFor();
    chat.script(status(404));
    await block.getByRole('button', { name: 'Send test message' }).click();
    await block.getByText('HTTP 404').waitFor();
    await lookAtPage('notifications-chat', page, { views: FOUR_VIEWS });
    chat.script(status(200));
    await block.getByRole('button', { name: 'Send test message' }).click();
    await page.getByText('Test message delivered.').waitFor();
    expect(await page.content()).not.toContain('very-secret-token');

    await addFailing('Holiday & sun');
    await lookNow();
    const bell = page.getByRole('button', { name: 'Notifications, 1 unread' });
    await bell.waitFor();
    const shown = () => page.evaluate(() => Object(globalThis).shownOnDesktop);
    expect(await shown()).toEqual(['Video failed: Holiday & sun']);
    await lookNow();
    await bell.click();
    await list.getByRole('link', { name: /Holiday & sun/ }).waitFor();
    await lookAtPage('notifications-list', page, { views: FOUR_VIEWS });
    await list.getByRole('link', { name: /Holiday & sun/ }).click();
    await page.getByRole('heading', { name: 'Holiday & sun' }).first().waitFor();
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    expect(await shown()).toEqual(['Video failed: Holiday & sun']);

    await expect.poll(() => chat.arrivals.map(({ body }) => JSON.parse(body).text), PATIENCE).toHaveLength(3);
    expect(JSON.parse(chat.arrivals[2]?.body ?? '').text).toContain('Holiday &amp; sun');
    await expect.poll(() => mail.mails.map(({ to }) => to), PATIENCE).toEqual([[EMAIL]]);
    expect(mail.mails[0]?.data).toContain('Holiday & sun');
  },
  HANG_MS,
);
