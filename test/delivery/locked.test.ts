import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bumpPublication } from '../../src/catalog/db.ts';
import { imageKey } from '../../src/catalog/images/image-key.ts';
import { signFolder } from '../../src/catalog/pull-zones/verify-url-token.ts';
import { createShieldEventStore, dayOf } from '../../src/catalog/shield/events/shield-event-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { planStoryboard } from '../../src/media/images/storyboard.ts';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { encode } from '../support/media/read-test-media.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { BASIC, type DrmFixture, FRAMES, openDrmFixture, type Shown } from './drm-fixture.ts';
import { HLS_JS } from './in-page.ts';

const run = promisify(execFile);
const OWNER = 'owner.test';
const FOREIGN = 'foreign.test';
/** A video that plays only on the owner's pages, by token. */
type Locked = { shown: Shown; zoneId: number; securityKey: string };

/** Timeout that only a hang exceeds. */
const PATIENCE_MS = 60_000;

let fixture: DrmFixture;
let browser: Browser;
let pages: Server;
/** A test video with keys per play session, and an otherwise identical video without encryption. */
let film: Locked;
let clearFilm: Locked;

beforeAll(async () => {
  fixture = await openDrmFixture();
  // Both names resolve to this machine, so no request leaves it.
  browser = await openBrowser(['--host-resolver-rules=MAP *.test 127.0.0.1']);
  pages = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end('<!doctype html><link rel="icon" href="data:,"><video muted></video><img>');
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  film = await lockFilm(BASIC);
  clearFilm = await lockFilm({});
});

async function lockFilm(settings: object): Promise<Locked> {
  const shown = await fixture.publish({ ...settings, access: { allowedReferrers: [OWNER], blockNoneReferrer: true } });
  await addCaptionsAndStoryboard(shown);
  const { db } = fixture.database;
  const zone = await db
    .selectFrom('pull_zone')
    .select(['id', 'security_key_sealed'])
    .where('library_id', '=', shown.libraryId)
    .executeTakeFirstOrThrow();
  const securityKey = createSecretBox(TEST_SECRET).open(zone.security_key_sealed);
  await setZone(zone.id, {});
  return { shown, zoneId: zone.id, securityKey };
}

afterAll(async () => {
  await browser?.close();
  pages?.close();
  await fixture?.close();
});

async function setZone(zoneId: number, settings: object): Promise<void> {
  await fixture.database.db
    .updateTable('pull_zone')
    .set({ settings: JSON.stringify({ tokenRequired: true, ...settings }) })
    .where('id', '=', zoneId)
    .execute();
}

async function addCaptionsAndStoryboard(shown: Shown): Promise<void> {
  const { libraryId, mediaId } = shown;
  const set = {
    timelineId: newGuid(),
    folder: 'one-1',
    board: planStoryboard({ widthPx: 16, heightPx: 9 }, 5_000),
    posters: 5,
    previews: [],
  };
  const picture = await encode(['-f', 'lavfi', '-i', 'testsrc2=s=320x180', '-frames:v', '1', '-f', 'mjpeg']);
  await fixture.edgeFixture.storage.write(imageKey(shown, set, 'seek/_0.jpg'), picture);
  const vtt = Buffer.from('WEBVTT\n\n00:00:00.000 --> 00:00:05.000\nA caption of the film\n');
  const key = await fixture.edgeFixture.storage.write(`${libraryId}/${mediaId}/captions/en-1.vtt`, vtt);
  const captions = [{ srclang: 'en', label: 'English', version: 1, key, sizeBytes: vtt.length }];
  await fixture.database.db.transaction().execute(async (tx) => {
    await tx
      .updateTable('media')
      .set({ images: JSON.stringify(set), captions: JSON.stringify(captions) })
      .where('id', '=', mediaId)
      .execute();
    await bumpPublication(tx, shown);
  });
}

/** The folder of the video as signed by an owner's server, and the query after each file name in it. */
type Signed = { folder: string; query: string };

function sign(
  { shown, securityKey }: Locked,
  form: 'path' | 'query',
  { edge = fixture.edge, expiresSec = Math.round(Date.now() / 1000) + 600 } = {},
): Signed {
  const token = signFolder({ key: securityKey, folder: `/${shown.mediaId}/`, expiresSec, address: null });
  const base = `${edge.base}/vz-${shown.libraryId}`;
  return form === 'path'
    ? { folder: `${base}/${token}/${shown.mediaId}`, query: '' }
    : { folder: `${base}/${shown.mediaId}`, query: `?token=${token.slice('bcdn_token='.length)}` };
}

/** Opens a page of a host, and collects the rules that refused its requests. */
async function openPage(host: string): Promise<{ page: Page; refusals: string[] }> {
  const { port } = pages.address() as AddressInfo; // The server listens on TCP.
  const page = await browser.newPage(SMALL_PAGE);
  const refusals: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400)
      refusals.push(`${response.status()} ${response.headers()['x-millrace-rule'] ?? response.url()}`);
  });
  await page.goto(`http://${host}:${port}/`);
  await page.addScriptTag({ path: HLS_JS });
  return { page, refusals };
}

/** Plays with captions on until the video ends or is refused. Returns the captions shown and the errors. */
const PLAY = `async ({ source, isNative }) => {
  const video = document.querySelector('video');
  const errors = [];
  const cues = new Set();
  const hls = isNative ? null : new Hls();
  const over = new Promise((resolve) => {
    setTimeout(() => resolve(errors.push('not over in time')), ${PATIENCE_MS});
    video.addEventListener('ended', () => resolve());
    video.addEventListener('error', () => resolve(errors.push(video.error.message)));
    hls?.on(Hls.Events.ERROR, (_, { details, response }) => {
      errors.push(details);
      if ([403, 429].includes(response?.code)) resolve();
    });
  });
  video.addEventListener('timeupdate', () => {
    for (const track of video.textTracks) for (const { text } of track.activeCues ?? []) cues.add(text);
    if (cues.size > 0 || isNative) video.playbackRate = 3;
  });
  if (isNative) video.src = source;
  else {
    // Waits until hls.js has applied its default, which is no subtitles.
    hls.once(Hls.Events.SUBTITLE_TRACKS_UPDATED, () => setTimeout(() => {
      hls.subtitleDisplay = true;
      hls.subtitleTrack = 0;
    }));
    hls.loadSource(source);
    hls.attachMedia(video);
  }
  video.play().catch(() => undefined);
  await over;
  const { totalVideoFrames: frames } = video.getVideoPlaybackQuality();
  const endedSec = video.currentTime;
  hls?.destroy();
  return { errors, cues: [...cues], frames, endedSec };
}`;

type Played = { errors: string[]; cues: string[]; frames: number; endedSec: number };

async function play(page: Page, { folder, query }: Signed, isNative = false): Promise<Played> {
  const asked = JSON.stringify({ source: `${folder}/playlist.m3u8${query}`, isNative });
  return (await page.evaluate(`(${PLAY})(${asked})`)) as Played;
}

/** Returns the width of the storyboard's first image, as shown by the page. */
async function showStoryboard(page: Page, { folder, query }: Signed): Promise<number> {
  return page.evaluate(async (address) => {
    const board = await (await fetch(address)).text();
    const [picture = ''] = /^\S+\.jpg\S*$/m.exec(board) ?? [];
    const image = document.querySelector('img') as HTMLImageElement;
    image.src = new URL(picture, address).href;
    await image.decode();
    return image.naturalWidth;
  }, `${folder}/seek/thumbnails.vtt${query}`);
}

async function rulesLogged({ zoneId }: Locked): Promise<Set<string>> {
  const store = createShieldEventStore(fixture.database.db);
  const events = await store.read({ zoneId, day: dayOf(Date.now()), afterSeq: 0 }, 1_000);
  return new Set(events.map(({ ruleId }) => ruleId));
}

test.each(['path', 'query'] as const)(
  "on the owner's page, hls.js plays a protected video with a token in its %s, including captions, storyboard and keys",
  async (form) => {
    const { page, refusals } = await openPage(OWNER);
    const signed = sign(film, form);
    const { errors, cues, frames } = await play(page, signed);
    expect({ errors, refusals, cues }).toEqual({ errors: [], refusals: [], cues: ['A caption of the film'] });
    expect(frames).toBeGreaterThan(100);
    expect(await showStoryboard(page, signed)).toBe(320);
    await page.close();
    expect(await rulesLogged(film)).toEqual(new Set());
  },
);

/** Chromium's own HLS supports AES-128 only for transport streams, so the test uses the film in the clear. */
test.each(['path', 'query'] as const)(
  'the native HLS player of the browser plays a video with a token in its %s',
  async (form) => {
    const { page, refusals } = await openPage(OWNER);
    const { errors, endedSec } = await play(page, sign(clearFilm, form), true);
    expect({ errors, refusals }).toEqual({ errors: [], refusals: [] });
    expect(endedSec).toBeGreaterThan(4);
    await page.close();
    expect(await rulesLogged(clearFilm)).toEqual(new Set());
  },
);

test.each(['path', 'query'] as const)(
  'mpv, which has no page, plays the whole video with a token in its %s',
  async (form) => {
    const { folder, query } = sign(film, form);
    const output = ['--no-config', '--no-audio', '--of=framecrc', '--ovc=rawvideo', '--o=-', '--really-quiet'];
    const argv = [...output, `--referrer=http://${OWNER}/app`, `${folder}/playlist.m3u8${query}`];
    const { stdout } = await run('mpv', argv, { timeout: PATIENCE_MS, killSignal: 'SIGKILL' });
    expect(stdout.split('\n').filter((line) => /^\d/.test(line)).length).toBeGreaterThanOrEqual(FRAMES - 1);
    expect(await rulesLogged(film)).toEqual(new Set());
  },
);

test("the player page plays the video in a frame on the owner's page", async () => {
  const { page, refusals } = await openPage(OWNER);
  await page.evaluate((address) => {
    const frame = document.createElement('iframe');
    frame.src = address;
    frame.allow = 'autoplay';
    document.body.append(frame);
  }, `${fixture.edge.base}/embed/${film.shown.libraryId}/${film.shown.mediaId}?muted=true`);
  const video = page.frameLocator('iframe').locator('video');
  const frames = () =>
    video.evaluate((element: HTMLVideoElement) => element.getVideoPlaybackQuality().totalVideoFrames);
  await expect.poll(frames, { timeout: PATIENCE_MS }).toBeGreaterThan(24);
  expect(refusals).toEqual([]);
  await page.close();
  expect(await rulesLogged(film)).toEqual(new Set());
});

test("refuses an expired token, another site's page, a blocked country and excess requests, by rule", async () => {
  const refusedOn = async (host: string, signed: Signed) => {
    const { page, refusals } = await openPage(host);
    const { errors } = await play(page, signed);
    await page.close();
    expect(errors).not.toEqual([]);
    return refusals[0];
  };
  expect(await refusedOn(OWNER, sign(film, 'path', { expiresSec: 1_000_000_000 }))).toBe('403 10102');
  expect(await refusedOn(OWNER, sign(film, 'query', { expiresSec: 1_000_000_000 }))).toBe('403 10102');
  expect(await refusedOn(FOREIGN, sign(film, 'path'))).toBe('403 10130');
  await setZone(film.zoneId, { blockedCountries: ['XX'], requestsPerSec: 1 });
  const abroad = await fixture.edgeFixture.start({ locator: { locate: () => ({ country: 'XX', asn: '64500' }) } });
  onTestFinished(() => abroad.close());
  expect(await refusedOn(OWNER, sign(film, 'path', { edge: abroad }))).toBe('403 10120');
  const fresh = await fixture.edgeFixture.start();
  expect(await refusedOn(OWNER, sign(film, 'query', { edge: fresh }))).toBe('429 10140');
  await fresh.close();
  await expect.poll(() => rulesLogged(film)).toEqual(new Set(['10102', '10130', '10120', '10140']));
});
