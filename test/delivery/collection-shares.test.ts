import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { axeViolations } from '../support/axe-violations.ts';
import { COURSE_NAME, type CourseRoom, openCourseRoom } from './course-room.ts';

const PATIENCE = { timeout: 60_000 };
/** Folder for screenshots for human review. If it is unset, no screenshots are taken. */
const PICTURES = process.env.MILLRACE_TEST_PICTURES;

let course: CourseRoom;
beforeAll(async () => {
  course = await openCourseRoom();
});
afterAll(() => course.close());

const open = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });

async function withPage(work: (page: Page, faults: string[]) => Promise<void>): Promise<void> {
  const page = await course.room.browser.newPage({ viewport: { width: 1440, height: 900 } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (line) => {
    if (line.type() === 'error') faults.push(line.text());
  });
  try {
    await work(page, faults);
  } finally {
    await page.close();
  }
}

/** Examines a page in light and dark, wide and narrow, with axe, and keeps pictures if review is enabled. */
async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      const violations = await axeViolations(page, { exclude: ['iframe'] });
      expect(violations, `${name} ${colorScheme} ${width}`).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      if (PICTURES === undefined) continue;
      await page.screenshot({ path: path.join(PICTURES, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
}

const shownVideo = (page: Page) => page.locator('#videos a[aria-current]').textContent();

test('plays the videos of a collection one after the other, by countdown, button, key and list', async () => {
  const { url } = await course.share({ allowsDownload: true });
  await withPage(async (page, faults) => {
    await page.goto(url);
    const player = page.frameLocator('#player');
    const video = player.locator('video');
    await player.locator('media-controller[ready]').waitFor(PATIENCE);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(COURSE_NAME);
    expect(await page.locator('#videos .name').allTextContents()).toEqual(['One', '<i>Two</i>', 'Three']);
    expect(await page.locator('#videos .length').allTextContents()).toEqual(['0:03', '0:03', '0:03']);
    await look(page, 'collection');
    await page.setViewportSize({ width: 1440, height: 900 });
    // The end of the first video, with a countdown that the viewer cancels.
    await video.evaluate((element: HTMLVideoElement) => {
      element.muted = true;
      element.currentTime = 2.5;
      return element.play();
    });
    await player.getByText('Next: <i>Two</i>').waitFor(PATIENCE);
    await player.getByText(/^Starts in \d+ s$/).waitFor(PATIENCE);
    expect(faults).toEqual([]);
    expect(await axeViolations(page.mainFrame().childFrames()[0] as never)).toEqual([]);
    // The policy of the player page refuses the styles that axe sets.
    faults.length = 0;
    if (PICTURES !== undefined) await page.screenshot({ path: path.join(PICTURES, 'collection-next.png') });
    await player.getByRole('button', { name: 'Cancel' }).click();
    expect(await player.getByText(/^Starts in/).count()).toBe(0);
    await player.getByRole('button', { name: 'Play now' }).click();
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('<i>Two</i>');
    expect(await page.locator('#shown').textContent()).toBe('<i>Two</i>');
    expect(await page.locator('#download').getAttribute('href')).toContain(`/download?video=${course.shown.ids[1]}`);
    const playing = () => video.evaluate((element: HTMLVideoElement) => !element.paused && element.muted);
    await expect.poll(playing, PATIENCE).toBe(true);
    // The second video ends, and the third one starts by itself.
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('Three');
    await player.getByRole('button', { name: 'Previous video' }).waitFor(PATIENCE);
    expect(await player.getByRole('button', { name: 'Next video' }).count()).toBe(0);
    await player.locator('media-controller').press('Shift+P');
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('<i>Two</i>');
    await page.getByRole('link', { name: 'One' }).click();
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('One');
    await page.keyboard.press('Shift+N');
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('<i>Two</i>');
    expect(page.url()).toBe(`${url}?video=${course.shown.ids[1]}`);
    expect(faults).toEqual([]);
  });
});

test('the player of a collection goes to the next video in a frame of another site', async () => {
  const { url } = await course.share();
  await withPage(async (page) => {
    const frame = `<iframe src="${url}/player" allow="autoplay" width="800" height="450"></iframe>`;
    const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(frame));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void site.close());
    // Another host name of this machine, and thus another site.
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}`);
    const player = page.frameLocator('iframe');
    await player.getByRole('button', { name: 'Next video' }).click(PATIENCE);
    const title = () => player.locator('h1').textContent();
    await expect.poll(title, PATIENCE).toBe('<i>Two</i>');
    await player.getByRole('button', { name: 'Previous video' }).click(PATIENCE);
    await expect.poll(title, PATIENCE).toBe('One');
  });
});

test('has preview tags, an oEmbed link and strict headers, and is not listed', async () => {
  const { url } = await course.share();
  const answer = await open(url);
  const text = await answer.text();
  const title = 'A &lt;b&gt;course&lt;/b&gt; &amp; &quot;more&quot;';
  expect(text).toContain(`<meta property="og:title" content="${title}">`);
  expect(text).toContain(`<meta property="og:video" content="${url}/player">`);
  expect(text).toMatch(new RegExp(`<meta property="og:image" content="${course.edge.base}/[^"]+${course.shown.ids[0]}/`));
  expect(text).toContain(`href="https://api.test/OEmbed?url=${encodeURIComponent(url)}"`);
  expect(text).not.toContain('<i>Two');
  const { headers } = answer;
  expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
  expect(headers.get('referrer-policy')).toBe('strict-origin');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'nonce-[^ ]+'; .*ancestors '/,
  );
  const list = await open(`${url}/list`);
  expect([list.headers.get('x-robots-tag'), list.headers.get('cache-control')]).toEqual([
    'noindex, nofollow',
    'no-store',
  ]);
});

