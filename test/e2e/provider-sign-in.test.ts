import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { ACCOUNT_KEY, discard, newDataDir, type Service, startService } from '../support/service.ts';

const WAIT_MS = 60_000;
const HANG_MS = 300_000;

let service: Service;
let browser: Browser;
let page: Page;
let provider: IdentityProvider;
beforeAll(async () => {
  const settings = { MILLRACE_OUTBOUND_ALLOW: '127.0.0.1/32' };
  [service, browser] = await Promise.all([
    newDataDir().then((folder) => startService(folder, settings)),
    openBrowser(),
  ]);
  page = await openPage();
}, HANG_MS);
afterAll(async () => {
  await browser?.close();
  await provider?.stop();
  if (service !== undefined) await discard(service);
});

async function openPage(): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(WAIT_MS);
  return context.newPage();
}

const look = (name: string, shown: Page = page) => lookAtPage(name, shown);

test(
  'an owner adds a provider, and a person signs in with it and returns to the page',
  async () => {
    await page.goto(`${service.apiUrl}/dashboard/people`);
    await page.getByLabel('Key').fill(ACCOUNT_KEY);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    provider = await startIdentityProvider(addProvider);
    provider.accounts.set('ada', { email: 'ada@example.com', email_verified: true, name: 'Ada', groups: ['staff'] });
    provider.accounts.set('eve', { email: 'eve@example.com', email_verified: false, groups: ['staff'] });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await page.goto(`${service.apiUrl}/dashboard/account`);
    const choose = page.getByRole('button', { name: 'Continue with Campus' });
    await choose.waitFor();
    await look('sign-in-provider');
    await choose.click();
    await signInAs('eve');
    await choose.waitFor();
    await page.getByText('no verified e-mail address').waitFor();
    expect(page.url()).toBe(`${service.apiUrl}/`);
    await look('sign-in-refused');
    expect(await page.getByText('no verified e-mail address').count()).toBe(1);
    await page.context().clearCookies();
    await page.goto(`${service.apiUrl}/dashboard/account`);
    await choose.click();
    await signInAs('ada');
    await page.getByText('ada@example.com').waitFor();
    expect(page.url()).toBe(`${service.apiUrl}/dashboard/account`);
    expect(await page.getByRole('link', { name: 'People', exact: true }).count()).toBe(0);
  },
  HANG_MS,
);

/** Adds the provider with the form of the dashboard. Returns its callback URL. */
async function addProvider(issuer: string): Promise<string> {
  await page.getByRole('button', { name: 'Add provider' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name', { exact: true }).fill('Campus');
  await form.getByLabel('Issuer URL').fill(issuer);
  await form.getByLabel('Client id').fill(CLIENT.id);
  await form.getByLabel('Client secret').fill(CLIENT.secret);
  await form.getByLabel('Groups claim').fill('groups');
  await form.getByRole('button', { name: 'Add group' }).click();
  await form.getByLabel('Group 1', { exact: true }).fill('staff');
  await form.getByLabel('Role of group 1').selectOption('editor');
  await look('provider-form');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Edit Campus' }).click();
  const shown = page.locator('.copy-field', { hasText: 'Callback URL' }).locator('code');
  // Escape closes a dialog only after it was shown.
  await shown.waitFor();
  const callback = (await shown.textContent()) ?? '';
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await look('providers');
  return callback;
}

/** Fills the sign-in page of the provider. */
async function signInAs(subject: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(subject);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
}
