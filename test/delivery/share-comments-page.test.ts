import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import {
  type CommentRoom,
  EDITOR,
  MINE,
  openCommentRoom,
  PATIENCE,
  sendComment as post,
  TITLE,
} from './comment-room.ts';
import { withPage } from './with-page.ts';

let fixture: CommentRoom;
beforeAll(async () => {
  fixture = await openCommentRoom();
});
afterAll(() => fixture?.close());

const film = (page: Page) => page.frameLocator('#player').locator('video');
const timeSec = (page: Page) => film(page).evaluate((video: HTMLVideoElement) => video.currentTime);

test('a viewer comments at the current time, replies, and seeks to the time of a comment', async () => {
  const { url } = await fixture.share(await fixture.makeFilm());
  await withPage(fixture.browser, async (page, faults) => {
    await page.goto(url);
    await page.getByText('No comments yet.').waitFor(PATIENCE);
    await film(page).evaluate((video: HTMLVideoElement) => {
      video.muted = true;
      return video.play();
    });
    await expect.poll(() => timeSec(page), PATIENCE).toBeGreaterThan(3);
    await page.getByLabel('Your name').fill('<b>Ada</b>');
    await page.getByLabel('Comment', { exact: true }).pressSequentially('<img src=x onerror="document.title=1">');
    await expect.poll(() => film(page).evaluate((video: HTMLVideoElement) => video.paused), PATIENCE).toBe(true);
    const at = await timeSec(page);
    await page.getByRole('button', { name: /^Add comment at 0:0\d$/ }).click();
    const thread = page.locator('.thread');
    await thread.getByText('<img src=x onerror="document.title=1">').waitFor(PATIENCE);
    expect(await thread.locator('.by').textContent()).toContain('<b>Ada</b>Not verified');
    expect(await page.locator('#comments').locator('img, b').count()).toBe(0);
    expect(await page.title()).toBe(TITLE);
    await thread.getByRole('button', { name: 'Reply' }).click();
    await thread.getByLabel('Reply').fill('And the music is too loud');
    await thread.getByRole('button', { name: 'Send reply' }).click();
    await thread.locator('ul', { hasText: 'And the music' }).waitFor(PATIENCE);
    await film(page).evaluate((video: HTMLVideoElement) => {
      video.currentTime = 0;
    });
    await thread.getByRole('button', { name: /^Go to 0:0/ }).click();
    await expect.poll(async () => Math.abs((await timeSec(page)) - at), PATIENCE).toBeLessThan(0.5);
    await page.reload();
    await thread.waitFor(PATIENCE);
    expect(await page.getByLabel('Your name').inputValue()).toBe('<b>Ada</b>');
    expect(faults).toEqual([]);
  });
});

test('a reply that is being written stays when others comment', async () => {
  const { url } = await fixture.share(await fixture.makeFilm());
  await post(url, MINE);
  await withPage(fixture.browser, async (page) => {
    await page.goto(url);
    await page.getByLabel('Your name').fill('Grace');
    const thread = page.locator('.thread', { hasText: 'The logo is late' });
    await thread.getByRole('button', { name: 'Reply' }).click();
    await thread.getByLabel('Reply').fill('I agree');
    await post(url, { ...MINE, text: 'The end is cut off', time: 4 });
    await page.locator('.thread', { hasText: 'The end is cut off' }).waitFor(PATIENCE);
    expect(await thread.getByLabel('Reply').inputValue()).toBe('I agree');
    await page.keyboard.type(', really');
    await thread.getByRole('button', { name: 'Send reply' }).click();
    await thread.locator('ul', { hasText: 'I agree, really' }).waitFor(PATIENCE);
  });
});

test('has no axe violations in both colour schemes and on phones', async () => {
  const film = await fixture.makeFilm();
  const { url } = await fixture.share(film, { allowsDownload: true });
  const first = Object(await (await post(url, MINE)).json());
  await post(url, { ...MINE, text: 'The end is cut off.\nCan the fade be longer?', name: 'Grace Hopper', time: 9 });
  await fixture.team.create(film, { text: 'Moved to 0:01.', author: EDITOR, place: { parentId: first.id } });
  const key = { ...film, commentId: first.id };
  await fixture.team.change(key, { isResolved: true }, { author: EDITOR, isModerator: true });
  await withPage(fixture.browser, async (page) => {
    await page.goto(url);
    await page.getByText('Resolved').waitFor(PATIENCE);
    await page.locator('.thread').first().getByRole('button', { name: 'Reply' }).click();
    await page.getByLabel('Your name').fill('Ada');
    await page.locator('.thread').first().getByRole('button', { name: 'Reply' }).click();
    await lookAtPage('share-comments', page, { views: FOUR_VIEWS, exclude: ['iframe'] });
  });
});

test('the page is in the language of the library', async () => {
  const film = await fixture.makeFilm({ uiLanguage: 'ar' });
  const { url } = await fixture.share(film);
  await post(url, MINE);
  await withPage(fixture.browser, async (page, faults) => {
    await page.goto(url);
    await page.getByText('غير موثّق').waitFor(PATIENCE);
    await lookAtPage('share-comments-ar', page, { exclude: ['iframe'] });
    expect(faults).toEqual([]);
  });
});
