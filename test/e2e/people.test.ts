import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { totpCode } from '../../src/catalog/people/totp.ts';
import { openBrowser } from '../support/browser.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { ACCOUNT_KEY, discard, newDataDir, type Service, startService } from '../support/service.ts';
import { readSignInLink } from '../support/sign-in-link.ts';

const WAIT_MS = 120_000;
const HANG_MS = 300_000;
const PASSWORD = 'five plain words make it';
const OWNER = 'owner@example.com';

let service: Service;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  [service, browser] = await Promise.all([newDataDir().then((folder) => startService(folder)), openBrowser()]);
  page = await openPage();
}, HANG_MS);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
});

async function openPage(): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(WAIT_MS);
  return context.newPage();
}

const look = (name: string, shown: Page = page) => lookAtPage(name, shown);

function copyText(label: string) {
  return page.locator('.copy-field', { hasText: label }).locator('code');
}

async function signOut(shown: Page): Promise<void> {
  await shown.getByRole('button', { name: 'Sign out' }).click();
  await shown.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
}

test(
  'the first start’s link creates the owner, who invites, secures the account and signs in with a code',
  async () => {
    await page.goto(await readSignInLink(service));
    await page.getByLabel('E-mail address').waitFor();
    // The link has been used now, and this browser is signed in.
    await page.reload();
    await page.getByLabel('E-mail address').fill(OWNER);
    await look('welcome');
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByLabel('Name').fill('Olga Owner');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.getByRole('alert').waitFor();
    await look('password-choice');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
    // A bookmark of the page for the used link opens the start page.
    await page.goto(`${service.apiUrl}/dashboard/welcome`);
    await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).not.toContain('welcome');
    await page.getByRole('link', { name: 'People', exact: true }).click();
    await page.getByLabel('E-mail address').fill('viewer@example.com');
    await page.getByRole('combobox', { name: 'Role' }).selectOption('viewer');
    await page.getByRole('button', { name: 'Create link' }).click();
    const invitation = (await copyText('Link (shown only once)').textContent()) ?? '';
    await page.getByRole('rowheader', { name: 'viewer@example.com' }).waitFor();
    await look('people');
    await joinAsViewer(invitation);
    await page.getByRole('button', { name: 'Delete owner@example.com' }).click();
    await page.getByRole('button', { name: 'Delete person' }).click();
    await page.getByText('This is the last active owner').waitFor();
    await page.keyboard.press('Escape');
    await setUpApp();
    await signOut(page);
    await page.getByLabel('E-mail address').fill(OWNER);
    await page.getByLabel('Password').fill(PASSWORD);
    await look('sign-in-password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('Code from your app').fill('000000');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await look('sign-in-code');
    await page.getByRole('button', { name: 'Use an access key' }).click();
    await page.getByLabel('Key').fill(ACCOUNT_KEY);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('You are signed in with a key').waitFor();
    await page.getByRole('link', { name: 'Videos', exact: true }).click();
    await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
  },
  HANG_MS,
);

/** A viewer sees the videos, but neither uploads nor administration. */
async function joinAsViewer(invitation: string): Promise<void> {
  const viewer = await openPage();
  await viewer.goto(`${invitation.replace('/dashboard/join', '/dashboard/join?next=https://evil.example/')}`);
  await viewer.getByLabel('Password').fill(PASSWORD);
  await look('join', viewer);
  await viewer.getByRole('button', { name: 'Save and sign in' }).click();
  await viewer.getByRole('link', { name: 'Your account' }).waitFor();
  expect(viewer.url()).toBe(`${service.apiUrl}/`);
  for (const name of ['People', 'System', 'Settings', 'Statistics']) {
    expect(await viewer.getByRole('link', { name, exact: true }).count(), name).toBe(0);
  }
  expect(await viewer.locator('input[type=file]').count()).toBe(0);
  await viewer.context().close();
}

async function setUpApp(): Promise<void> {
  await page.getByRole('link', { name: 'Your account' }).click();
  await page.getByRole('button', { name: 'Set up an app' }).click();
  const secret = (await copyText('Secret, if you cannot scan the code').textContent()) ?? '';
  await look('own-account');
  const form = page.locator('form', { has: page.locator('svg.qr') });
  await form.getByLabel('Code from your app').fill(totpCode(secret, Math.floor(Date.now() / 30_000)));
  await form.getByLabel('Current password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('button', { name: 'Turn off' }).waitFor();
}
