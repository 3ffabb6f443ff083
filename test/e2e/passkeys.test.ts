import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { PASSWORD } from '../support/people.ts';
import { discard, newDataDir, type Service, startService } from '../support/service.ts';
import { readSignInLink } from '../support/sign-in-link.ts';

const WAIT_MS = 120_000;
const HANG_MS = 300_000;

let service: Service;
let browser: Browser;
let page: Page;
let authenticators: CDPSession;
beforeAll(async () => {
  [service, browser] = await Promise.all([newDataDir().then((folder) => startService(folder)), openBrowser()]);
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(WAIT_MS);
  page = await context.newPage();
  authenticators = await context.newCDPSession(page);
  await authenticators.send('WebAuthn.enable');
}, HANG_MS);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
});

/** Plugs in an authenticator of Chromium. Returns its id. */
async function plugIn(): Promise<string> {
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const;
  const verified = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true } as const;
  const added = await authenticators.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...verified } });
  return added.authenticatorId;
}

test(
  'a person adds passkeys, signs in with one in a browser, and removes it',
  async () => {
    await createOwner();
    const phone = await plugIn();
    await page.getByRole('link', { name: 'Your account' }).click();
    await addPasskey('Phone');
    await addPasskey('Phone again');
    // The authenticator has a passkey of this person, and refuses to make another one.
    await page.getByText('This device already has a passkey for your account.').waitFor();
    await lookAtPage('passkey-form', page);
    await page.keyboard.press('Escape');
    await authenticators.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: phone });
    const key = await plugIn();
    await addPasskey('Security key');
    await page.getByRole('rowheader', { name: 'Security key' }).waitFor();
    await lookAtPage('passkeys', page);
    await signInByPasskey();
    const { credentials } = await authenticators.send('WebAuthn.getCredentials', { authenticatorId: key });
    expect(credentials).toMatchObject([{ rpId: 'localhost', isResidentCredential: true, signCount: 2 }]);
    await page.getByRole('link', { name: 'Your account' }).click();
    await page.getByRole('row', { name: 'Security key' }).getByRole('button', { name: 'Remove Security key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByRole('rowheader', { name: 'Security key' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('This passkey cannot sign in here.').waitFor();
    await lookAtPage('passkey-refused', page);
    await page.getByLabel('E-mail address').fill('owner@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('link', { name: 'People', exact: true }).click();
    await page.getByLabel('Kind').selectOption('people');
    await page.getByRole('cell', { name: 'Removed a passkey' }).waitFor();
    await page.getByLabel('Kind').selectOption('sign-in');
    await page
      .getByRole('row', { name: /Signed in|Sign/ })
      .first()
      .waitFor();
    for (const details of await page.getByText('Details', { exact: true }).all()) await details.click();
    await page.locator('.audit-details').getByText('passkey', { exact: true }).first().waitFor();
    await lookAtPage('account-audit', page);
    await page.goto(service.apiUrl.replace('localhost', '127.0.0.1'));
    await page.getByLabel('E-mail address').waitFor();
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
  },
  HANG_MS,
);

/** Creates the owner's account at `localhost`, because passkeys do not work at an IP address. */
async function createOwner(): Promise<void> {
  await page.goto((await readSignInLink(service)).replace('127.0.0.1', 'localhost'));
  await page.getByLabel('E-mail address').fill('owner@example.com');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Save and sign in' }).click();
}

async function addPasskey(name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Current password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Continue' }).click();
}

async function signInByPasskey(): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await lookAtPage('sign-in-passkey', page);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('link', { name: 'Your account' }).waitFor();
}
