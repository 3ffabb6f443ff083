import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openDashboard } from '../support/dashboard.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call } from '../support/videos.ts';

const run = promisify(execFile);
const HANG_MS = 300_000;

/** Commands that run the code of each language. The last argument is the file that contains it. */
const RUNNERS = {
  curl: { command: ['bash', '-eu'], file: 'code.sh' },
  Node: { command: [process.execPath], file: 'code.mjs' },
  Python: { command: ['python3'], file: 'code.py' },
} as const;
type Language = keyof typeof RUNNERS;
const LANGUAGES = Object.keys(RUNNERS) as Language[];

let service: Service;
let browser: Browser;
let page: Page;
let folder = '';

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-reference-'));
  const clip = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10:d=2', '-c:v', 'libx264', '-preset', 'ultrafast'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...clip, path.join(folder, 'film.mp4')]);
  page = await openDashboard(service, browser, { key: ACCOUNT_KEY });
  await page.getByRole('link', { name: 'API reference' }).click();
  await page.getByRole('heading', { name: 'Your first video' }).waitFor();
  // The key of the library has arrived.
  await page.getByText('Inserted in the code below').waitFor();
  await page.waitForFunction(() => !document.querySelector('article')?.textContent?.includes('YOUR_KEY'));
}, HANG_MS);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  if (folder !== '') await rm(folder, { recursive: true, force: true });
});

/** Copies code with its button. */
async function copy(button: string): Promise<string> {
  await page.getByRole('button', { name: button, exact: true }).click();
  return await page.evaluate(() => navigator.clipboard.readText());
}

/** Runs code in the folder of the film as a reader would, and returns its output. */
async function execute(language: Language, code: string): Promise<string> {
  const { command, file } = RUNNERS[language];
  await writeFile(path.join(folder, file), code);
  const [program = '', ...args] = command;
  const { stdout } = await run(program, [...args, file], { cwd: folder, timeout: HANG_MS });
  return stdout;
}

test.each(LANGUAGES)(
  'the copied guide in %s uploads a video and prints the address of its player',
  async (language) => {
    await page.getByRole('button', { name: language, exact: true }).click();
    const code = await copy('Copy All steps');
    const lines = (await execute(language, code)).trim().split('\n');
    const address = lines.at(-1) ?? '';
    expect(address).toContain(`${service.edgeUrl}/embed/1/`);
    expect((await fetch(address)).status).toBe(200);
    const playlist = address.replace('/embed/1/', '/vz-1/').concat('/playlist.m3u8');
    expect((await fetch(playlist)).status).toBe(200);
  },
  HANG_MS,
);

test('shows keys on demand only, and no axe violations', async () => {
  const key = await page.getByLabel('API key').inputValue();
  await lookAtPage('reference-guide', page);
  expect(await page.locator('article').textContent()).not.toContain(key);
  await page.getByRole('button', { name: 'Show key' }).click();
  expect(await page.locator('article').textContent()).toContain(key);
  await page.getByRole('button', { name: 'Hide key' }).click();
});

test('lists guides first, then operations that create and upload videos', async () => {
  const groups = await page.locator('.reference-list h2').allTextContents();
  expect(groups.slice(0, 3)).toEqual(['Guides', 'Videos', 'Resumable uploads']);
  const operations = page.locator('.reference-list section').nth(1).locator('button');
  expect((await operations.allTextContents()).slice(0, 4)).toEqual([
    'POST/library/{libraryId}/videos',
    'GET/library/{libraryId}/videos',
    'GET/library/{libraryId}/videos/{videoId}',
    'PUT/library/{libraryId}/videos/{videoId}',
  ]);
});

test.each(LANGUAGES)(
  'the copied code of an operation in %s runs unchanged',
  async (language) => {
    await page.getByRole('button', { name: 'POST /library/{libraryId}/collections', exact: true }).click();
    await page.getByRole('button', { name: language, exact: true }).click();
    await page.getByLabel('Request body (JSON)').fill(JSON.stringify({ name: `It's "${language}"` }));
    expect(await execute(language, await copy(`Copy ${language}`))).toContain('guid');
    const found = Object(await call(service, 'GET', '/library/1/collections'));
    const names: string[] = found.items.map(({ name }: { name: string }) => name);
    expect(names).toContain(`It's "${language}"`);
    await page.getByRole('button', { name: 'GET /library/{libraryId}/collections', exact: true }).click();
    expect(await execute(language, await copy(`Copy ${language}`))).toContain(`It's \\"${language}\\"`);
  },
  HANG_MS,
);

test(
  'the copied code that uploads a file runs unchanged in each language',
  async () => {
    await page.getByRole('button', { name: 'PUT /library/{libraryId}/videos/{videoId}', exact: true }).click();
    for (const language of LANGUAGES) {
      const { guid } = Object(await call(service, 'POST', '/library/1/videos', { title: language }));
      await page.getByLabel('videoId').fill(guid);
      const tab = page.getByRole('button', { name: language, exact: true });
      await tab.click();
      await expect.poll(() => tab.getAttribute('aria-pressed')).toBe('true');
      expect(await execute(language, await copy(`Copy ${language}`))).toContain('"success":true');
    }
    await lookAtPage('reference-upload', page);
  },
  HANG_MS,
);
