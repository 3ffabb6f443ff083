import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ExportFixture, openExportFixture, SECOND } from '../imports/export-fixture.ts';
import { type ExportPlace, openExportPlace } from '../imports/export-place.ts';
import { openBrowser } from '../support/browser.ts';
import { openDashboard } from '../support/dashboard.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { ACCOUNT_KEY } from '../support/service.ts';

/** Size of an empty MP4 box that makes a transfer with limited bandwidth take seconds. */
const PADDING_BYTES = 40 * 2 ** 20;

let fixture: ExportFixture;
let bucket: ExportPlace;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  const padding = Buffer.alloc(PADDING_BYTES);
  padding.writeUInt32BE(PADDING_BYTES);
  padding.write('free', 4);
  [bucket, browser] = await Promise.all([openExportPlace(), openBrowser()]);
  fixture = await openExportFixture(padding);
  page = await openDashboard(fixture.source, browser, { key: ACCOUNT_KEY });
  await page.goto(`${fixture.source.apiUrl}/dashboard/library/1/imports`);
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await fixture?.close();
  await bucket?.stop();
});

const panel = () => page.locator('[data-export]');
const field = (name: RegExp) => panel().getByRole('textbox', { name });

/** Fills the form, with a bandwidth limit in MB/s. */
async function fill(folder: string, secretKey: string, limit: string): Promise<void> {
  await field(/^Bucket/).fill(bucket.name);
  await field(/^Access key ID/).fill(bucket.keys.accessKeyId);
  await panel().locator('label', { hasText: 'Secret access key' }).locator('input').first().fill(secretKey);
  await field(/^Folder in the bucket/).fill(`${bucket.prefix}${folder}`);
  const more = panel().getByText('More options');
  if (!(await field(/^S3 endpoint/).isVisible())) await more.click();
  await field(/^S3 endpoint/).fill(bucket.endpoint);
  await panel().getByLabel('Bandwidth limit in MB/s').fill(limit);
}

const newest = (state: string) => page.locator(`article[data-export-state=${state}]`).first();

test('starts an export, shows its progress, cancels it and resumes it', { timeout: 300_000 }, async () => {
  await fill('panel', bucket.keys.secretAccessKey, '4');
  await lookAtPage('export-form', page, { views: FOUR_VIEWS });
  await panel().getByRole('button', { name: 'Start export' }).click();
  const running = newest('running');
  await running.getByText('In transfer: two').waitFor();
  await lookAtPage('export-running', page);
  expect(await panel().locator('label', { hasText: 'Secret access key' }).locator('input').first().inputValue()).toBe(
    '',
  );
  await running.getByRole('button', { name: 'Cancel export' }).click();
  const cancelled = newest('cancelled');
  await cancelled.getByRole('button', { name: 'Resume export' }).click();
  const finished = newest('finished');
  await finished.getByText('0 failed, of 2').waitFor({ timeout: 120_000 });
  expect(Object.keys(await bucket.objects('panel/'))).toContain(`${SECOND}.mp4`);
  await finished.getByRole('button', { name: 'Export changes' }).click();
  await finished.getByText('0 exported, 2 unchanged, 0 failed, of 2').waitFor({ timeout: 120_000 });
  await lookAtPage('export-finished', page, { views: FOUR_VIEWS });
});

test('explains why an export failed', { timeout: 120_000 }, async () => {
  await fill('panel', bucket.keys.secretAccessKey, '0');
  await field(/^S3 endpoint/).fill('http://10.0.0.1:9000');
  await panel().getByRole('button', { name: 'Start export' }).click();
  await newest('failed').getByText('The host 10.0.0.1 is not allowed').waitFor();
  await lookAtPage('export-failed', page);
});

test('exports into a folder of the service, and refuses other names', { timeout: 120_000 }, async () => {
  await panel().getByLabel('Export to').selectOption({ label: 'Folder of the service' });
  await field(/^Folder name/).fill('../elsewhere');
  await panel().getByRole('button', { name: 'Start export' }).click();
  await panel().getByText('Expected folder of letters').waitFor();
  await field(/^Folder name/).fill('june');
  await panel().getByRole('button', { name: 'Start export' }).click();
  await newest('finished').getByRole('heading', { name: 'june' }).waitFor();
  await lookAtPage('export-folder-of-service', page);
});
