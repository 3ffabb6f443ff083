import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { Firefox, type FirefoxPage } from '../support/firefox.ts';
import { type Film, makeFilm } from './make-film.ts';
import { addFilm, addLibrary, publishWholeFilm } from './publish.ts';
import { createEdgeRoom, type EdgeRoom, type TestEdge } from './start-test-edge.ts';

let database: TestDatabase;
let room: EdgeRoom;
let edge: TestEdge;
let film: Film;
let firefox: Firefox;
/** A bound on hanging. */
const PATIENCE = { timeout: 60_000 };

beforeAll(async () => {
  [database, film, firefox] = await Promise.all([startTestDatabase(), makeFilm(480, [180, 90]), Firefox.launch()]);
  room = await createEdgeRoom(database);
  edge = await room.start();
});
afterAll(async () => {
  await firefox.close();
  await edge.close();
  await room.close();
  await database.stop();
});

const read = (page: FirefoxPage) =>
  page.evaluate(() => {
    const video = document.querySelector('video');
    if (video === null) throw new Error('Expected a video element.');
    const { currentTime: sec, ended: isEnded, videoHeight: heightPx, paused: isPaused } = video;
    return { sec, isEnded, heightPx, isPaused, frames: video.getVideoPlaybackQuality().totalVideoFrames };
  });

test('the page plays, seeks, switches, ends and replays in Firefox', async () => {
  const libraryId = await addLibrary(database.db);
  const shown = await addFilm(database.db, libraryId, film);
  await publishWholeFilm(database.db, room.storage, film, shown);
  const page = await firefox.newPage();
  await page.goto(`${edge.base}/embed/${libraryId}/${shown.mediaId}?muted=true`);
  await expect.poll(async () => (await read(page)).frames, PATIENCE).toBeGreaterThan(10);
  for (const heightPx of [90, 180]) {
    await page.evaluate((name) => {
      document.querySelector<HTMLElement>('bunny-settings-menu-button')?.click();
      document.querySelector<HTMLElement>('[data-page=quality]')?.click();
      const choices = [...document.querySelectorAll<HTMLElement>('[role=menuitemradio]')];
      choices.find(({ textContent }) => textContent?.startsWith(name))?.click();
    }, `${heightPx}p`);
    await page.press('5');
    await expect.poll(async () => (await read(page)).heightPx, PATIENCE).toBe(heightPx);
  }
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(9);
  await page.press('9');
  await expect.poll(async () => (await read(page)).isEnded, PATIENCE).toBe(true);
  await page.press('k');
  await expect.poll(async () => (await read(page)).isEnded, PATIENCE).toBe(false);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.5);
  expect((await read(page)).sec).toBeLessThan(15);
  expect(page.faults).toEqual([]);
});
