import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeServer, listen } from '../../src/lib/listen.ts';
import { createTestPackager } from '../support/packager.ts';
import { WebKit } from '../support/webkit.ts';
import { ENTERPRISE } from './drm-fixture.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import { addFilm, finishVideo, type PublishedFilm, publishChunk } from './publish.ts';

/** Timeout that only a hang exceeds. Each poll costs the page CPU time. */
const PATIENCE = { timeout: 60_000, interval: 250 };
const FRAMES = 480;
/** WebKitGTK pauses a page once. The key may have been pressed twice before the page reports that it plays. */
const MAX_RESUMES = 2;

let fixture: PlayerFixture;
let webkit: WebKit;
let shown: PublishedFilm;
let site: Server;
/** HTML that another origin serves. */
let sitePage = '';
/** Number of times that `playOn` resumed the page. A page that pauses by itself fails. */
let resumes = 0;
const owned: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  fixture = await openPlayerFixture(FRAMES, [180, 90]);
  owned.push(() => fixture.close());
  shown = await fixture.publish();
  site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(sitePage));
  owned.push(() => closeServer(site, 0));
  await listen(site, 0, '127.0.0.1');
  webkit = await WebKit.launch();
  owned.push(() => webkit.close());
});
afterAll(async () => {
  for (const close of owned.toReversed()) await close();
});

const urlOf = ({ libraryId, mediaId }: PublishedFilm, query: string) =>
  `${fixture.edge.base}/embed/${libraryId}/${mediaId}${query}`;

async function open(film: PublishedFilm, query = '?muted=true'): Promise<void> {
  resumes = 0;
  await webkit.goto(urlOf(film, query));
  await expect.poll(() => count('media-controller[ready]'), PATIENCE).toBe(1);
  await webkit.evaluate(() => {
    const seen = { isEmptied: false, faults: [] as string[] };
    document.querySelector('video')?.addEventListener('emptied', () => {
      seen.isEmptied = true;
    });
    addEventListener('error', ({ message }) => seen.faults.push(message));
    addEventListener('unhandledrejection', ({ reason }) => seen.faults.push(String(reason)));
    Object.assign(window, { seen });
  });
}

const count = (selector: string) => webkit.evaluate((wanted) => document.querySelectorAll(wanted).length, selector);

const read = () =>
  webkit.evaluate(() => {
    const video = document.querySelector('video');
    if (video === null) throw new Error('Expected a video element.');
    const { isEmptied, faults } = Reflect.get(window, 'seen');
    return {
      sec: video.currentTime,
      isPaused: video.paused,
      isMuted: video.muted,
      isEnded: video.ended,
      heightPx: video.videoHeight,
      frames: video.getVideoPlaybackQuality().totalVideoFrames,
      isEmptied,
      faults,
    };
  });

/** Returns the position. Resumes playback that WebKitGTK paused when it turned the sound on (see `WebKit`). */
async function playOn(): Promise<number> {
  const { sec, isPaused, isMuted, isEnded } = await read();
  if (isPaused && !isMuted && !isEnded) {
    resumes += 1;
    expect(resumes).toBeLessThanOrEqual(MAX_RESUMES);
    await webkit.press('k');
  }
  return sec;
}

/** Clicks the middle of the first visible element that matches the selector and whose text begins with `text`. */
async function click(selector: string, text = ''): Promise<void> {
  const find = () =>
    webkit.evaluate(
      (wanted, name) => {
        const boxes = [...document.querySelectorAll<HTMLElement>(wanted)]
          .filter((element) => element.textContent?.trim().startsWith(name) === true)
          .map((element) => element.getBoundingClientRect())
          .filter(({ width }) => width > 0);
        const [box] = boxes;
        return box === undefined ? null : { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      },
      selector,
      text,
    );
  await expect.poll(find, PATIENCE).not.toBeNull();
  const place = await find();
  if (place !== null) await webkit.click(place.x, place.y);
}

test('a page starts by itself without sound, and plays to the end', async () => {
  await open(shown);
  await expect.poll(async () => (await read()).sec, PATIENCE).toBeGreaterThan(0);
  await expect.poll(playOn, PATIENCE).toBeGreaterThan(1);
  await webkit.press('9');
  await expect.poll(async () => ((await playOn()) > 0 ? (await read()).isEnded : false), PATIENCE).toBe(true);
  const { frames, faults } = await read();
  expect(frames).toBeGreaterThan(20);
  expect(faults).toEqual([]);
});

test('a page with sound waits for a click, as WebKit requires, and shows the first frame until then', async () => {
  await open(shown, '?autoplay=true');
  await expect.poll(async () => (await read()).heightPx, PATIENCE).toBeGreaterThan(0);
  expect(await read()).toMatchObject({ isPaused: true, sec: 0 });
  await click('.large-play');
  await expect.poll(playOn, PATIENCE).toBeGreaterThan(0.5);
  expect((await read()).faults).toEqual([]);
});

test('seeking shows the selected position, before and after what is loaded', async () => {
  await open(shown);
  await expect.poll(playOn, PATIENCE).toBeGreaterThan(0.2);
  await webkit.press('8');
  await expect.poll(playOn, PATIENCE).toBeGreaterThan(16.1);
  await webkit.press('2');
  await expect.poll(async () => (await read()).sec, PATIENCE).toBeLessThan(8);
  const { frames, sec } = await read();
  expect(sec).toBeGreaterThan(3.9);
  const readFrames = async () => ((await playOn()) > 0 ? (await read()).frames : 0);
  await expect.poll(readFrames, PATIENCE).toBeGreaterThan(frames);
  expect((await read()).faults).toEqual([]);
});

test('a chosen quality is shown', async () => {
  await open(shown);
  await expect.poll(playOn, PATIENCE).toBeGreaterThan(0.2);
  for (const heightPx of [90, 180]) {
    await webkit.press('0');
    await click('bunny-settings-menu-button');
    await click('[role=menuitem]', 'Quality');
    await click('[role=menuitemradio]', `${heightPx}p`);
    await expect.poll(async () => ((await playOn()) >= 0 ? (await read()).heightPx : 0), PATIENCE).toBe(heightPx);
  }
  expect((await read()).faults).toEqual([]);
});

test('a page takes up new rungs while its video is encoded, and keeps its buffer', async () => {
  const { db } = fixture.database;
  const made = await addFilm(db, shown.libraryId, fixture.film);
  const [tall, low] = made.videos;
  const [tallTrack, lowTrack] = fixture.film.videos;
  if (!tall || !low || !tallTrack || !lowTrack) throw new Error('Expected a film of two rungs.');
  const publish = async (key: typeof tall, chunks: typeof tallTrack.chunks) => {
    for (const chunk of chunks) await publishChunk(db, fixture.edges.storage, key, chunk);
  };
  await publish(low, lowTrack.chunks.slice(0, 1));
  await publish(made.audio, fixture.film.audio.chunks);
  await open(made);
  await expect.poll(playOn, PATIENCE).toBeGreaterThan(0.5);
  await publish(low, lowTrack.chunks.slice(1));
  await publish(tall, tallTrack.chunks);
  await finishVideo(db, made);
  await expect.poll(async () => ((await playOn()) >= 0 ? (await read()).heightPx : 0), PATIENCE).toBe(180);
  await webkit.press('9');
  await expect.poll(async () => ((await playOn()) > 0 ? (await read()).isEnded : false), PATIENCE).toBe(true);
  expect(await read()).toMatchObject({ isEmptied: false, faults: [] });
});

test('a page shows that the browser cannot play a protected video', async () => {
  const made = await fixture.publish(ENTERPRISE);
  await createTestPackager(fixture.database.db, 'cbcs').repackage(
    made,
    { keepsPrevious: true },
    AbortSignal.timeout(60_000),
  );
  await webkit.goto(urlOf(made, '?muted=true'));
  const readNotice = () => webkit.evaluate(() => document.querySelector('.notice')?.textContent ?? '');
  await expect.poll(readNotice, PATIENCE).toContain('This browser cannot play protected videos.');
});

test('a page plays in a frame of another origin', async () => {
  sitePage = `<!doctype html><link rel="icon" href="data:,">
<iframe allow="autoplay" width="480" height="270" src="${urlOf(shown, '?muted=true')}"></iframe>
<script src="${fixture.edge.base}/playerjs/playerjs-latest.min.js"></script>`;
  await webkit.goto(`http://localhost:${(site.address() as AddressInfo).port}`);
  const sec = await webkit.evaluate(
    () =>
      new Promise<number>((resolve) => {
        // The client's script has just defined the variable.
        const { playerjs } = window as unknown as { playerjs: { Player: new (frame: unknown) => Client } };
        type Client = { on(event: string, run: (value: { seconds: number }) => void): void };
        const player = new playerjs.Player(document.querySelector('iframe'));
        player.on('timeupdate', ({ seconds }) => {
          if (seconds > 0.5) resolve(seconds);
        });
      }),
  );
  expect(sec).toBeGreaterThan(0.5);
});
