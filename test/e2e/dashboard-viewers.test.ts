import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard } from '../support/dashboard.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

const HANG_MS = 300_000;
const PATIENCE = { timeout: 120_000 };

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
afterAll(async () => {
  await browser?.close();
  await receiver?.stop();
  if (service !== undefined) await discard(service);
});

test(
  'an endpoint of the owner is chosen, tested and shown to a refused viewer',
  async () => {
    receiver.script(({ response, body }) => {
      const allow = JSON.parse(body).viewer === 'customer-42';
      response.end(JSON.stringify({ allow, cacheSec: 3_600, reason: allow ? 'paid' : 'not paid' }));
    });
    await page.goto(`${service.apiUrl}/dashboard/library/1/settings/viewers`);
    const block = page.locator('#block-viewers');
    await block.getByLabel('Who decides').selectOption('hook');
    await block.getByLabel('URL of the endpoint').fill(receiver.url);
    const saveBar = page.getByRole('region', { name: 'Unsaved changes' });
    await saveBar.getByRole('button', { name: 'Save changes' }).click();
    await block.getByRole('heading', { name: 'Test viewer access' }).waitFor();
    await block.getByLabel('Video ID').fill('6f1c0f6e-6f4e-4e0c-9a3b-0d8f3c8f0a11');
    await block.getByLabel('Token of the viewer').fill('customer-42');
    // A busy machine may need more time than the endpoint has.
    const ask = async () => {
      await block.getByRole('button', { name: 'Test', exact: true }).click();
      await block.getByText(/after \d+ ms/).waitFor();
      return await block.getByRole('status').textContent();
    };
    await expect.poll(ask, PATIENCE).toMatch(/^May watch after \d+ ms · valid for 3\d{3} s.*paid/);
    await lookAtPage('viewer-access-hook', page);
    await block.getByLabel('Token of the viewer').fill('somebody');
    await expect.poll(ask, PATIENCE).toMatch(/^May not watch.*not paid/);
    await block.getByLabel('Who decides').selectOption('jwt');
    await lookAtPage('viewer-access-jwt', page);
    await saveBar.getByRole('button', { name: 'Save changes' }).click();
    await saveBar.getByText(/Expected issuer for mode jwt/).waitFor();
    await saveBar.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => block.getByLabel('Who decides').inputValue()).toBe('hook');

    const made = await fetch(`${service.apiUrl}/library/1/videos`, {
      method: 'POST',
      headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
      body: JSON.stringify({ title: 'A film' }),
    });
    const { guid } = Object(await made.json());
    const viewer = await browser.newPage({ locale: 'de-DE' });
    const refused = async () => (await viewer.goto(`${service.edgeUrl}/embed/1/${guid}`))?.status();
    await expect.poll(refused, PATIENCE).toBe(403);
    await viewer.getByText('The owner of this video does not allow you to watch it.').waitFor();
    await lookAtPage('viewer-refused', viewer);
    const open = async () => (await viewer.goto(`${service.edgeUrl}/embed/1/${guid}?viewer=customer-42`))?.status();
    await expect.poll(open, PATIENCE).toBe(200);
    expect(faults).toEqual([]);
  },
  HANG_MS,
);

test('a new secret needs a confirmation and keeps unsaved changes, and leaving asks about them', async () => {
  await page.goto(`${service.apiUrl}/dashboard/library/1/settings/viewers`);
  const block = page.locator('#block-viewers');
  const stored = async () => {
    const headers = { AccessKey: ACCOUNT_KEY };
    return Object(await (await fetch(`${service.apiUrl}/library/1/viewers`, { headers })).json());
  };
  const before = await stored();
  const url = `${receiver.url}/other`;
  await block.getByLabel('URL of the endpoint').fill(url);
  await block.getByRole('button', { name: 'New secret' }).click();
  const question = page.getByRole('dialog', { name: 'New secret' });
  await lookAtPage('viewer-access-secret', page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect((await stored()).secret).toBe(before.secret);
  await block.getByRole('button', { name: 'New secret' }).click();
  await question.getByRole('button', { name: 'Replace the secret' }).click();
  await question.waitFor({ state: 'detached' });
  const after = await stored();
  expect(after.secret).not.toBe(before.secret);
  expect(after.url).toBe(before.url);
  expect(await block.getByLabel('URL of the endpoint').inputValue()).toBe(url);
  await page.getByRole('link', { name: 'Videos', exact: true }).first().click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
  expect(await stored()).toEqual(after);
  expect(faults).toEqual([]);
});
