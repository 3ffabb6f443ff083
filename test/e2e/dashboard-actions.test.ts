import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodersOf, holdEncoders } from '../jobs/encoders.ts';
import { publish } from '../live/live-service.ts';
import { axeViolations } from '../support/axe-violations.ts';
import { openBrowser } from '../support/browser.ts';
import { keepPictures, openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { openCatalogue } from '../support/leftovers.ts';
import { makePaddedClip } from '../support/media/padded-clip.ts';
import { type ChatRequest, startModelServer } from '../support/model-server.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { LIBRIVOX } from '../support/speech.ts';
import { call, createVideo, FINISHED, getVideo, untilVideo, uploadFile } from '../support/videos.ts';

const TRANSCODING = 3;
const PATIENCE = { timeout: WAIT_MS, interval: 200 };
const THIEF = { Referer: 'https://thief.example/page' };

let service: Service;
let browser: Browser;
let page: Page;
let folder: string;
let model: Awaited<ReturnType<typeof startModelServer>>;
const faults: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-actions-'));
  model = await startModelServer(writeTexts);
  const settings = {
    MILLRACE_TRANSCRIBER: 'pocketsphinx',
    MILLRACE_LANGUAGE_MODEL_URL: model.url,
    MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8',
    MILLRACE_SESSION_DAYS: '30',
  };
  [service, browser] = await Promise.all([startService(null, settings), openBrowser()]);
  page = await openDashboard(service, browser, { key: ACCOUNT_KEY });
  page.on('pageerror', (error) => faults.push(error.message));
});
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  model?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A model that marks each subtitle it translates, and returns the same title, chapters and moments for all videos. */
function writeTexts({ messages, response_format }: ChatRequest): string {
  if (response_format.json_schema.name === 'translations') {
    const texts: string[] = JSON.parse(messages[1]?.content ?? '[]');
    return JSON.stringify({ texts: texts.map((text) => `Satz ${text}`) });
  }
  return JSON.stringify({
    title: 'A model wrote this',
    description: 'In its own words.',
    chapters: [{ title: 'The man', start: 0 }],
    moments: [{ label: 'Amiable', timestamp: 1 }],
  });
}

const open = (place: string) => page.goto(`${service.apiUrl}/dashboard/${place}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const look = (name: string) => keepPictures(page, `action-${name}`);

test('a refused client can be blocked from the live event log, and unblocked with undo', async () => {
  const [first, later] = ['0192f000-0000-7000-8000-00000000aaaa', '0192f000-0000-7000-8000-00000000bbbb'];
  const status = async (video: string, headers = {}) =>
    (await fetch(`${service.edgeUrl}/vz-1/${video}/playlist.m3u8`, { headers })).status;
  await open('library/1/settings/rules');
  await page.getByLabel('Blocked domains', { exact: true }).fill('thief.example');
  await press('Save changes');
  await page.getByText('Rules saved.').waitFor();
  await expect.poll(() => status(first, THIEF), PATIENCE).toBe(403);
  await open('library/1/events');
  await page.getByLabel('Follow').check();
  await page.getByText(first).first().waitFor();
  expect(await status(later, THIEF)).toBe(403);
  const row = page.locator('tr', { hasText: later });
  await row.waitFor();
  await page.getByLabel('Method').selectOption('GET');
  await page.getByLabel('Rule').selectOption('10130');
  await row.waitFor();
  await look('events');
  expect(await status(first)).toBe(404);
  await row.getByRole('button', { name: 'Block the 256 addresses 127.0.0.*' }).click();
  // A message stays while the pointer is over it, regardless of how long the rule takes to arrive.
  await page.getByText('127.0.0.* is now blocked.').hover();
  await expect.poll(() => status(first), PATIENCE).toBe(403);
  await press('Undo');
  await expect.poll(() => status(first), PATIENCE).toBe(404);
});

test('creates a library, replaces and revokes its keys, and deletes it after the user types its name', async () => {
  const opens = async (id: number, key: string) =>
    (await fetch(`${service.apiUrl}/library/${id}/videos`, { headers: { AccessKey: key } })).status;
  await open('libraries');
  await page.getByLabel('Library name').fill('Passing');
  await press('Create library');
  await page.waitForURL(/\/library\/\d+\/videos/);
  const id = Number(/library\/(\d+)/.exec(page.url())?.[1]);
  await open(`library/${id}/settings/keys`);
  await page.getByLabel('Name', { exact: true }).fill('Television');
  await page.getByLabel('Permissions').selectOption('write');
  await press('Create key');
  const shown = page.locator('.copy-field', { hasText: 'New key (shown only once)' }).locator('code');
  const further = (await shown.textContent()) ?? '';
  const row = page.getByRole('row', { name: 'Television' });
  await row.getByText('Read and write').waitFor();
  await look('keys');
  expect(await opens(id, further)).toBe(200);
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.waitFor({ state: 'detached' });
  await expect.poll(() => opens(id, further), PATIENCE).toBe(401);
  const own = page.locator('.copy-field', { has: page.getByText('API key', { exact: true }) });
  await own.getByRole('button', { name: 'Show' }).click();
  const before = (await own.locator('code').textContent()) ?? '';
  await press('Reset API key');
  await press('Reset key');
  await expect.poll(() => own.locator('code').textContent(), PATIENCE).not.toBe(before);
  const after = (await own.locator('code').textContent()) ?? '';
  expect([await opens(id, before), await opens(id, after)]).toEqual([200, 200]);
  await open(`library/${id}/settings/general`);
  await press('Delete this library…');
  const dialog = page.getByRole('dialog');
  const remove = dialog.getByRole('button', { name: 'Delete permanently' });
  await dialog.getByLabel('Type Passing to confirm').fill('Passin');
  expect(await remove.isDisabled()).toBe(true);
  await dialog.getByLabel('Type Passing to confirm').fill('Passing');
  await look('delete-library');
  await remove.click();
  await page.getByRole('heading', { name: 'Libraries', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Passing' }).waitFor({ state: 'detached' });
  expect([401, 404]).toContain(await opens(id, after));
});

test('a trashed video can be restored from its page or by the undo, or deleted permanently', async () => {
  const guid = await createVideo(service, 'Driftwood');
  await open(`library/1/videos/${guid}`);
  await press('Move to trash');
  await press('Undo');
  await page.getByRole('heading', { name: 'Driftwood' }).waitFor({ state: 'attached' });
  await press('Move to trash');
  await page.getByText('“Driftwood” moved to the trash.').waitFor();
  await open('library/1/trash');
  const row = page.getByRole('row', { name: 'Driftwood' });
  await row.getByRole('button', { name: 'Restore' }).click();
  await page.getByText('“Driftwood” restored.').waitFor();
  await row.waitFor({ state: 'detached' });
  await call(service, 'DELETE', `/library/1/videos/${guid}?trash=true`);
  await open('library/1/trash');
  await row.getByRole('button', { name: 'Delete now…' }).click();
  await press('Delete permanently');
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
});

test('transcribes selected videos, translates captions, and generates title and chapters from speech', async () => {
  const clip = path.join(folder, 'talk.mp4');
  const input = ['-f', 'lavfi', '-i', 'color=gray:s=160x120:r=10', '-i', LIBRIVOX.short.path];
  const codecs = ['-shortest', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...input, ...codecs, clip]);
  const guid = await createVideo(service, 'Talk one');
  await createVideo(service, 'Talk without a file');
  await uploadFile(service, guid, clip);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  await open('library/1/videos?search=Talk');
  await page.getByLabel('Select Talk one').check();
  await page.getByLabel('Select Talk without a file').check();
  await press('Transcribe…');
  await page.getByRole('dialog').getByRole('button', { name: 'Transcribe', exact: true }).click();
  await page.getByText('2 of 2 · 1 failed').waitFor();
  await press('Show failures');
  await page.getByRole('dialog').getByText('no file').waitFor();
  await look('bulk-transcribe');
  await page.keyboard.press('Escape');
  await open(`library/1/videos/${guid}/captions`);
  const languages = page.locator('.panel', { hasText: 'Languages' }).locator('ul.rows li');
  await languages.filter({ hasText: 'en-auto' }).waitFor();
  await page.getByLabel('Add to: Translate into').selectOption('de');
  await Promise.all([page.waitForRequest(/\/transcribe$/), press('Transcribe')]);
  await languages.filter({ hasText: 'de-auto' }).waitFor();
  await look('captions');
  await languages.filter({ hasText: 'de-auto' }).getByRole('button', { name: 'Edit' }).click();
  await expect.poll(() => page.locator('.cue textarea').first().inputValue(), PATIENCE).toMatch(/^Satz /);
  await page.getByRole('link', { name: 'Chapters' }).click();
  await press('Generate chapters and moments');
  await page.getByLabel('Name of chapter 1').waitFor();
  expect(await page.getByLabel('Name of chapter 1').inputValue()).toBe('The man');
  await look('chapters');
  await page.getByRole('link', { name: 'Overview' }).click();
  await press('Generate title and description');
  await expect.poll(() => page.getByLabel('Title').inputValue(), PATIENCE).toBe('A model wrote this');
  expect(await page.getByLabel('Description').inputValue()).toBe('In its own words.');
});

test('cancels and restarts an encode, in the queue and on its page', async () => {
  const clip = path.join(folder, 'slow.avi');
  const input = ['-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=25:d=20', '-c:v', 'mpeg4'];
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...input, clip]);
  const guid = await createVideo(service, 'Slow one');
  await uploadFile(service, guid, clip);
  await untilVideo(service, guid, ({ status }) => status === TRANSCODING);
  const release = await holdEncoders(service.pid);
  await open('system');
  const row = page.locator('.rows li').filter({ hasText: 'Slow one' });
  await row.getByText(/running at \d+%/).waitFor();
  expect(await axeViolations(page, 'main')).toEqual([]);
  await look('queue');
  await row.getByRole('button', { name: 'Cancel encoding of Slow one' }).focus();
  await page.keyboard.press('Enter');
  await row.waitFor({ state: 'detached' });
  await expect.poll(() => encodersOf(service.pid), PATIENCE).toEqual([]);
  release();
  await open(`library/1/videos/${guid}/activity`);
  await page.locator('.chip', { hasText: 'Cancelled' }).waitFor();
  await page.getByText('Re-encode the video to finish it.').waitFor();
  await look('cancelled');
  await press('Re-encode');
  const statusOf = async () => (await getVideo(service, guid)).status;
  await expect.poll(statusOf, PATIENCE).toBe(TRANSCODING);
  const releaseAgain = await holdEncoders(service.pid);
  const { pool, close } = openCatalogue(service);
  const written = ['Expected ffmpeg to succeed, but it exited with code 1.', '[info] one\n[fatal] two'];
  const insert = `insert into attempt_log values (1, $1, default, 'video', '{360p}', 0, 4, $2, $3)`;
  await pool.query(insert, [guid, ...written]).finally(close);
  await page.reload();
  await page.locator('.attempt summary').last().focus();
  await page.keyboard.press('Enter');
  await press('Copy Log of Encode video · 360p, segments 0 to 3');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    'exited with code 1.\n\n[info] one\n[fatal] two',
  );
  expect(await axeViolations(page, '.attempt')).toEqual([]);
  await look('log');
  await press('Cancel encoding');
  releaseAgain();
  await page.locator('.toast').getByRole('button', { name: 'Re-encode' }).click();
  await expect.poll(statusOf, PATIENCE).toBe(FINISHED);
});

test('pages show the retention times and the command for a first backup', async () => {
  await open('library/1/settings/storage');
  await page.getByText('30 days; totals are kept').waitFor();
  await look('storage');
  await open('library/1/trash');
  await page.getByText('each kept for 7 days').waitFor();
  await open('system');
  await page.getByText('No backup yet.').waitFor();
  await page.getByText('millrace backup /backups/millrace').waitFor();
  const { pool, close } = openCatalogue(service);
  await pool.query(`insert into last_backup values (true, now(), 12, 3456789, '/srv/my backups')`).finally(close);
  await page.getByText(`millrace backup '/srv/my backups'`).waitFor();
  await page.locator('.preferences select').first().selectOption('de');
  await page.getByText('12 Objekte, 3,5 MB').waitFor();
  await look('backup-de');
  await page.locator('.preferences select').first().selectOption('en');
  expect(await axeViolations(page, 'main')).toEqual([]);
});

test('encodes files with the settings chosen for them', async () => {
  await open('library/1/videos');
  await press('Upload');
  await page.getByRole('menuitem', { name: 'With settings…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('240p').check();
  await dialog.getByLabel('Transcription language').selectOption('en');
  await look('upload-settings');
  const clip = path.join(folder, 'odd.mp4');
  await makePaddedClip(clip, 2 ** 20);
  await dialog.locator('input[type=file]').setInputFiles(clip);
  await page.locator('.tray li[data-state=done]', { hasText: 'odd.mp4' }).waitFor();
  const { pool, close } = openCatalogue(service);
  try {
    const { rows } = await pool.query("select upload_options from media where title = 'odd'");
    const options = { enabledRungs: [240], transcribeEnabled: true, sourceLanguage: 'en' };
    expect(rows).toEqual([{ upload_options: options }]);
  } finally {
    await close();
  }
});

test('the page of a stream reports the state of publishing and draws the incoming data', async () => {
  const stream = Object(await call(service, 'POST', '/library/1/live', { title: 'Market day' }));
  const { listeners } = await service.health();
  const publisher = await publish(`rtmp://127.0.0.1:${listeners.rtmp}/live/${stream.streamKey}`, { size: '320x180' });
  await open(`library/1/live/${stream.guid}`);
  await page.getByText('Press Start when the picture looks right.').waitFor();
  await page.frameLocator('[title="Stream preview"]').getByText('Preview', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Bitrate' }).waitFor();
  await page.getByText(/The stream is stable|Frames are being dropped/).waitFor();
  await press('Start');
  publisher.kill('SIGKILL');
  await page.getByText('The encoder is disconnected.').waitFor();
  await look('live');
  expect(await axeViolations(page, '.findings')).toEqual([]);
  expect(faults).toEqual([]);
});
