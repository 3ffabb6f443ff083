import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard } from '../support/dashboard.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

const HANG_MS = 300_000;

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
    await block.getByRole('button', { name: 'Save viewer access' }).click();
    await block.getByRole('heading', { name: 'Test viewer access' }).waitFor();
    await block.getByLabel('Video ID').fill('6f1c0f6e-6f4e-4e0c-9a3b-0d8f3c8f0a11');
    await block.getByLabel('Token of the viewer').fill('customer-42');
    await block.getByRole('button', { name: 'Test', exact: true }).click();
    await block.getByText('May watch', { exact: true }).waitFor();
    expect(await block.getByRole('status').textContent()).toMatch(/after \d+ ms · valid for 3600 s.*paid/);
    await lookAtPage('viewer-access-hook', page);
    await block.getByLabel('Token of the viewer').fill('somebody');
    await block.getByRole('button', { name: 'Test', exact: true }).click();
    await block.getByText('May not watch', { exact: true }).waitFor();
    await block.getByLabel('Who decides').selectOption('jwt');
    await lookAtPage('viewer-access-jwt', page);
    await block.getByRole('button', { name: 'Save viewer access' }).click();
    await block.getByText(/Expected issuer for mode jwt/).waitFor();

    const made = await fetch(`${service.apiUrl}/library/1/videos`, {
      method: 'POST',
      headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
      body: JSON.stringify({ title: 'A film' }),
    });
    const { guid } = Object(await made.json());
    const viewer = await browser.newPage({ locale: 'de-DE' });
    const answer = await viewer.goto(`${service.edgeUrl}/embed/1/${guid}`);
    expect(answer?.status()).toBe(403);
    await viewer.getByText('The owner of this video does not allow you to watch it.').waitFor();
    await lookAtPage('viewer-refused', viewer);
    expect((await viewer.goto(`${service.edgeUrl}/embed/1/${guid}?viewer=customer-42`))?.status()).toBe(200);
    expect(faults).toEqual([]);
  },
  HANG_MS,
);
