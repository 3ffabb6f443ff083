import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { axeViolations } from '../support/axe-violations.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { COURSE_NAME, type CourseFixture, openCourseFixture } from './course-fixture.ts';
import { shoot } from './page-pictures.ts';
import { withPage } from './with-page.ts';

const PATIENCE = { timeout: 60_000 };
/** Axe cannot examine the frame of the player while it plays. */
const SHARE_PAGE = { views: FOUR_VIEWS, exclude: ['iframe'] };

let course: CourseFixture;
beforeAll(async () => {
  course = await openCourseFixture();
});
afterAll(() => course.close());

const open = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });

const playTheEnd = (video: Locator) =>
  video.evaluate((element: HTMLVideoElement) => {
    element.muted = true;
    element.currentTime = 2.5;
    return element.play();
  });
const shownVideo = (page: Page) => page.locator('#videos a[aria-current]').textContent();

/** Controls when the first video ends. */
function atFirstEnd(page: Page) {
  const player = page.frameLocator('#player');
  return {
    async playToEnd() {
      await playTheEnd(player.locator('video'));
      await player.getByText('Next: <i>Two</i>').waitFor(PATIENCE);
      await player.getByText(/^Starts in \d+ s$/).waitFor(PATIENCE);
    },
    /** Waits longer than a countdown lasts, and expects that there is none. */
    async expectNoNext() {
      for (const ms of [3_000, 12_000]) {
        await page.clock.runFor(ms);
        expect(await player.getByText(/^Starts in/).count()).toBe(0);
        expect(await shownVideo(page)).toContain('One');
      }
    },
  };
}

test('plays the videos of a collection one after the other, by countdown, button, key and list', async () => {
  const { url } = await course.share({ allowsDownload: true });
  await withPage(course.fixture.browser, async (page, faults) => {
    await page.clock.install();
    await page.goto(url);
    const player = page.frameLocator('#player');
    const video = player.locator('video');
    await player.locator('media-controller[ready]').waitFor(PATIENCE);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(COURSE_NAME);
    expect(await page.locator('#videos .name').allTextContents()).toEqual(['One', '<i>Two</i>', 'Three']);
    expect(await page.locator('#videos .length').allTextContents()).toEqual(['0:03', '0:03', '0:03']);
    await lookAtPage('collection', page, SHARE_PAGE);
    await page.setViewportSize({ width: 1440, height: 900 });
    const { playToEnd, expectNoNext } = atFirstEnd(page);
    // The first video ends, and the viewer cancels the countdown.
    await playToEnd();
    expect(faults).toEqual([]);
    const [frame] = page.mainFrame().childFrames();
    expect(frame && (await axeViolations(frame))).toEqual([]);
    // The policy of the player page refuses the styles that axe sets.
    faults.length = 0;
    await shoot(page, 'collection-next', ['1280']);
    await player.getByRole('button', { name: 'Cancel' }).click();
    await expectNoNext();
    // A viewer who goes back during the countdown stays at this video.
    await playToEnd();
    await video.evaluate((element: HTMLVideoElement) => {
      element.currentTime = 0;
    });
    await player.getByText('Next: <i>Two</i>').waitFor({ ...PATIENCE, state: 'hidden' });
    await expectNoNext();
    await playToEnd();
    await player.locator('media-controller').press('Escape');
    await expectNoNext();
    await player.getByRole('button', { name: 'Play now' }).click();
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('<i>Two</i>');
    expect(await page.locator('#shown').textContent()).toBe('<i>Two</i>');
    expect(await page.locator('#download').getAttribute('href')).toContain(`/download?video=${course.shown.ids[1]}`);
    const playing = () => video.evaluate((element: HTMLVideoElement) => !element.paused && element.muted);
    await expect.poll(playing, PATIENCE).toBe(true);
    // The second video ends, and the third one starts automatically.
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('Three');
    await player.getByRole('button', { name: 'Previous video' }).waitFor(PATIENCE);
    expect(await player.getByRole('button', { name: 'Next video' }).count()).toBe(0);
    await player.locator('media-controller').press('Shift+P');
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('<i>Two</i>');
    await page.getByRole('link', { name: 'One' }).click();
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('One');
    await expect.poll(playing, PATIENCE).toBe(true);
    await page.keyboard.press('Shift+N');
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('<i>Two</i>');
    expect(page.url()).toBe(`${url}?video=${course.shown.ids[1]}`);
    expect(faults).toEqual([]);
  });
});

test('the playlist appears later if its first requests fail', async () => {
  const { url } = await course.share();
  await withPage(course.fixture.browser, async (page) => {
    let failed = 0;
    for (const files of ['**/mount-playlist*.js', '**/list']) {
      const fail = (route: Route) => {
        failed += 1;
        return route.abort();
      };
      await page.route(files, fail, { times: 1 });
    }
    await page.goto(`${url}/player`);
    await page.locator('media-controller[ready]').waitFor(PATIENCE);
    await expect.poll(() => failed, PATIENCE).toBe(2);
    await playTheEnd(page.locator('video'));
    await page.getByText('Next: <i>Two</i>').waitFor(PATIENCE);
    await page.locator('media-controller').hover();
    await page.getByRole('button', { name: 'Next video' }).waitFor(PATIENCE);
  });
});

test('offers the next video if the list arrives after the end of the video', async () => {
  const { url } = await course.share();
  await withPage(course.fixture.browser, async (page) => {
    const asked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const hold = async (route: Route) => {
      asked.resolve();
      await release.promise;
      await route.continue();
    };
    await page.route('**/list', hold, { times: 1 });
    await page.goto(`${url}/player`);
    await page.locator('media-controller[ready]').waitFor(PATIENCE);
    const video = page.locator('video');
    await playTheEnd(video);
    await asked.promise;
    await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.ended), PATIENCE).toBe(true);
    release.resolve();
    await page.getByText('Next: <i>Two</i>').waitFor(PATIENCE);
    await page.getByText(/^Starts in \d+ s$/).waitFor(PATIENCE);
  });
});

test('the player of a collection goes to the next video in a frame of another site', async () => {
  const { url } = await course.share();
  await withPage(course.fixture.browser, async (page) => {
    const frame = `<iframe src="${url}/player" allow="autoplay" width="800" height="450"></iframe>`;
    const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(frame));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void site.close());
    // A different host name of this machine, which counts as a different site.
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
  const image = `<meta property="og:image" content="${course.edge.base}/[^"]+${course.shown.ids[0]}/`;
  expect(text).toMatch(new RegExp(image));
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
