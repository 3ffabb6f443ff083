import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import { ask, makeFiles, startImporter } from '../imports/import-fixture.ts';
import { type ScriptedApi, startScriptedApi } from '../imports/scripted-api.ts';
import { scriptPeertube } from '../imports/scripted-sources.ts';
import { SOURCE_ACCOUNT_KEY, startScriptedStream } from '../imports/scripted-stream.ts';
import { openBrowser } from '../support/browser.ts';
import { openDashboard } from '../support/dashboard.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { ACCOUNT_KEY, discard, type Service } from '../support/service.ts';

let service: Service;
let browser: Browser;
let source: ScriptedApi;
let page: Page;
beforeAll(async () => {
  [service, browser, source] = await Promise.all([
    startImporter(null),
    openBrowser(),
    makeFiles().then((files) => startScriptedApi(scriptPeertube(files))),
  ]);
  page = await openDashboard(service, browser, { key: ACCOUNT_KEY });
}, 300_000);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await source?.stop();
});

const open = (place: string) => page.goto(`${service.apiUrl}/dashboard/library/1/${place}`);

test('plans an import with the fields of the chosen source, then carries it out', { timeout: 300_000 }, async () => {
  await open('imports');
  await page.getByRole('combobox', { name: 'Source' }).selectOption({ label: 'PeerTube' });
  await page.getByLabel('API URL of the source').fill(source.url);
  await page.getByRole('textbox', { name: 'User name' }).fill('root');
  await page.locator('label', { hasText: 'Password' }).locator('input').first().fill('pass word');
  await lookAtPage('import-form', page);
  await page.getByRole('button', { name: 'Plan import' }).click();
  await page.getByRole('heading', { name: 'Planned' }).waitFor();
  await page.getByText('A live stream has no file.').first().waitFor();
  await page.getByText('Not imported').first().click();
  await page.getByText('Each channel becomes a collection.').first().waitFor();
  await lookAtPage('import-plan', page);
  await page.getByRole('button', { name: 'Start import' }).click();
  await page.getByRole('heading', { name: 'Finished', exact: true }).waitFor();
  await page.getByText('Same as the source').first().waitFor();
  await lookAtPage('import-report', page);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Report as CSV' }).click();
  expect((await download).suggestedFilename()).toBe('import.csv');
});

test('shows the settings that an import plans and restores', { timeout: 300_000 }, async () => {
  const stream = await startScriptedStream({ libraries: 1, videos: 1, pageItems: 10, ...(await makeFiles()) });
  onTestFinished(() => stream.stop());
  const { Id } = await ask<{ Id: number }>(service, 'POST', '/videolibrary', { Name: 'Moved' });
  const address = { source: 'bunny', apiUrl: stream.url, coreUrl: stream.url, cdnUrl: `${stream.url}/cdn` };
  const access = { accountKey: SOURCE_ACCOUNT_KEY, sourceLibraryId: 1, dryRun: true };
  const body = { ...address, ...access };
  const { guid } = await ask<{ guid: string }>(service, 'POST', `/library/${Id}/imports`, body);
  await page.goto(`${service.apiUrl}/dashboard/library/${Id}/imports/${guid}`);
  await page.getByText(/^Settings that will be restored: \d+$/).click();
  await page.getByText('library.PlayerKeyColor').waitFor();
  await page.getByText('The library keeps its name.').waitFor();
  await lookAtPage('import-settings', page);
  await page.getByRole('button', { name: 'Start import' }).click();
  await page.getByText(/^Restored settings: \d+$/).waitFor();
});

test('shows the command that exports the library, and downloads its metadata', { timeout: 120_000 }, async () => {
  await open('imports');
  const panel = page.locator('[data-export]');
  const command = panel.locator('code');
  await panel.getByText('With the command line').click();
  await panel.getByText('Without a bucket').waitFor();
  expect(await command.textContent()).toBe(`millrace export library-1 --library 1 --url ${service.apiUrl}`);
  await panel.getByRole('textbox', { name: /^Bucket/ }).fill('films');
  await panel.getByText('More options').click();
  const folder = panel.getByRole('textbox', { name: /^Folder in the bucket/ });
  // The command would refuse these folders.
  for (const name of ['/my films/', 'Übungen', 'a'.repeat(201)]) {
    await folder.fill(name);
    await folder.blur();
    await panel.getByText('Use only letters from A to Z').waitFor();
    expect([await folder.getAttribute('aria-invalid'), await command.count()]).toEqual(['true', 0]);
  }
  await lookAtPage('export-folder', page);
  await folder.fill('/my/films-2026/');
  await panel.getByRole('textbox', { name: /^S3 endpoint/ }).fill('https://s3.example.com');
  await lookAtPage('export', page);
  const url = "'s3://films/my/films-2026?endpoint=https%3A%2F%2Fs3.example.com'";
  expect(await command.textContent()).toBe(`millrace export ${url} --library 1 --url ${service.apiUrl}`);
  const download = page.waitForEvent('download');
  await panel.getByRole('button', { name: 'Download metadata as JSON' }).click();
  const file = JSON.parse(await readFile(await (await download).path(), 'utf8'));
  const { items } = await ask<{ items: object[] }>(service, 'GET', '/library/1/videos?orderBy=date');
  expect(file.videos).toEqual(items);
  expect(file.collections).toMatchObject([{ name: 'The lab' }]);
});

test('turns on the feeds of a collection, copies the URL, and asks before it turns them off', {
  timeout: 300_000,
}, async () => {
  const { guid } = await ask<{ guid: string }>(service, 'POST', '/library/1/collections', { name: 'Broadcasts' });
  await open('collections');
  await page.getByRole('button', { name: 'Edit Broadcasts' }).click();
  await page.getByLabel('Podcast and Media RSS').selectOption({ label: 'With a secret URL' });
  await page.getByRole('button', { name: 'Copy Podcast' }).click();
  await lookAtPage('feeds', page);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(new RegExp(`^${service.apiUrl}/feeds/1/${guid}\\?token=[\\w-]{43}$`));
  expect((await fetch(copied)).status).toBe(200);
  const access = page.getByLabel('Podcast and Media RSS');
  await access.selectOption({ label: 'Off' });
  await page.getByText('Podcast apps and feed readers lose access.').waitFor();
  await lookAtPage('feeds-off', page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Podcast apps and feed readers lose access.').waitFor({ state: 'detached' });
  expect(await access.inputValue()).toBe('token');
  expect((await fetch(copied)).status).toBe(200);
  await access.selectOption({ label: 'Off' });
  await page.getByRole('button', { name: 'Turn feeds off' }).click();
  await page.getByRole('button', { name: 'Copy Podcast' }).waitFor({ state: 'detached' });
  await expect.poll(async () => (await fetch(copied)).status).toBe(404);
});

test('the plan of an upload refers to the command, because the dashboard cannot send the files', async () => {
  const items = [{ kind: 'video', sourceId: 'film.mp4', guid: newGuid(), title: 'Film' }];
  const plan = { source: 'upload', dryRun: true, items };
  const { guid } = await ask<{ guid: string }>(service, 'POST', '/library/1/imports', plan);
  await open(`imports/${guid}`);
  await page.getByRole('heading', { name: 'Planned' }).waitFor();
  await page.getByText('Run the command again to upload the files.').waitFor();
  await lookAtPage('upload-plan', page);
  expect(await page.getByRole('button', { name: 'Start import' }).count()).toBe(0);
}, 300_000);
