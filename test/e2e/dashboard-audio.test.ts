import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AudioTrackList } from '../../src/api/models/audio-track.ts';
import { axeViolations } from '../support/axe-violations.ts';
import { openBrowser } from '../support/browser.ts';
import { keepPictures, openDashboard, WAIT_MS } from '../support/dashboard.ts';
import { makeClip } from '../support/media/run-clip.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

const PATIENCE = { timeout: WAIT_MS, interval: 200 };
const tone = (hz: number) => ['-f', 'lavfi', '-i', `sine=frequency=${hz}:sample_rate=48000:d=3`];

let service: Service;
let browser: Browser;
let page: Page;
let folder: string;
let guid: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-dashboard-audio-'));
  [service, browser] = await Promise.all([startService(null), openBrowser()]);
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10:d=3'];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', '-metadata:s:a:0', 'language=eng'];
  guid = await createVideo(service, 'A film in two languages');
  await uploadFile(service, guid, await makeClip(folder, 'film.mp4', [...picture, ...tone(300), ...codecs]));
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  page = await openDashboard(service, browser);
}, WAIT_MS);
afterAll(async () => {
  await browser?.close();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const tracks = async () =>
  ((await call(service, 'GET', `/library/1/videos/${guid}/audio-tracks`)) as AudioTrackList).items;
const choose = (label: string, file: string) => page.getByLabel(label, { exact: true }).setInputFiles(file);

test(
  'the page of a video adds, changes, replaces and removes audio tracks',
  async () => {
    await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${guid}/audio`);
    await page.getByText('English · Main sound · from the video file').waitFor();
    const form = page.locator('section').filter({ hasText: 'An audio file that starts with the video.' });
    await form.getByRole('combobox', { name: 'Language', exact: true }).selectOption('de');
    await form.getByRole('combobox', { name: 'Purpose' }).selectOption('description');
    await choose('Add an audio track', await makeClip(folder, 'de.flac', tone(600)));
    await page.getByText('German (audio description)').waitFor();
    await expect.poll(async () => (await tracks()).map(({ state }) => state), PATIENCE).toEqual(['ready', 'ready']);
    await page.getByText('Encoding', { exact: true }).first().waitFor({ state: 'hidden' });
    expect(await axeViolations(page, { exclude: ['iframe'] })).toEqual([]);
    await keepPictures(page, 'audio-tracks');

    await page.getByRole('button', { name: 'Edit German (audio description)' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('Hörfilm');
    await dialog.getByLabel('Default track in players').check();
    await keepPictures(page, 'audio-tracks-edit');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await tracks()).toMatchObject([{ title: 'Hörfilm', isDefault: true }, { isDefault: false }]);

    await choose('Replace Hörfilm', await makeClip(folder, 'other.wav', tone(900)));
    await page.getByText('The new audio is being encoded.').waitFor();
    await expect.poll(async () => (await tracks()).map(({ state }) => state), PATIENCE).toEqual(['ready', 'ready']);

    for (const [name, words] of [
      ['Hörfilm', 'Viewers can no longer choose this track.'],
      ['English', 'This is the last audio track.'],
    ] as const) {
      await page.getByRole('button', { name: `Remove ${name}` }).click();
      await dialog.getByText(words).waitFor();
      await dialog.getByRole('button', { name: 'Remove track' }).click();
      await dialog.waitFor({ state: 'hidden' });
    }
    await page.getByText('This video has no audio track.').waitFor();
    expect(await tracks()).toEqual([]);
  },
  WAIT_MS,
);

test(
  'the page of a video adds captions with a purpose',
  async () => {
    await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${guid}/captions`);
    const form = page.locator('.panel', { hasText: 'Languages' });
    await form.getByRole('combobox', { name: 'Language', exact: true }).selectOption('other');
    await form.getByLabel('Language code').fill('de');
    await page.getByRole('combobox', { name: 'Purpose' }).selectOption('-sdh');
    const buffer = Buffer.from('1\n00:00:00,500 --> 00:00:02,000\n[Musik]\n');
    await page.getByLabel('Add file').setInputFiles({ name: 'de.srt', mimeType: 'application/x-subrip', buffer });
    await page.getByText('German (SDH)').waitFor();
    const playlist = await (await fetch(`${service.edgeUrl}/vz-1/${guid}/playlist.m3u8`)).text();
    expect(playlist).toContain('public.accessibility.transcribes-spoken-dialog');
    await keepPictures(page, 'captions-purpose');
    await form.getByLabel('Language code').fill('fr');
    const latin = Buffer.from('1\n00:00:00,500 --> 00:00:02,000\nDéjà vu\n', 'latin1');
    await page
      .getByLabel('Add file')
      .setInputFiles({ name: 'fr.srt', mimeType: 'application/x-subrip', buffer: latin });
    await page.getByText('decoded as Windows-1252. Check its letters.').waitFor();
  },
  WAIT_MS,
);
