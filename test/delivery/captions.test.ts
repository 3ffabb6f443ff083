import { parse } from 'hls-parser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaptionTrack } from '../../src/catalog/schema.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import { HLS_JS, openScriptPage } from './in-page.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';

const PLAY_LIMIT_MS = 60_000;

/** Plays a playlist in hls.js with its first subtitles on. Returns the first cues shown. */
const SHOW_CUES = `async (playlistUrl) => {
  const video = document.createElement('video');
  video.muted = true;
  document.body.append(video);
  const hls = new Hls();
  hls.loadSource(playlistUrl);
  hls.attachMedia(video);
  await new Promise((resolve) => hls.once(Hls.Events.SUBTITLE_TRACKS_UPDATED, resolve));
  hls.subtitleDisplay = true;
  hls.subtitleTrack = 0;
  await video.play();
  const deadline = performance.now() + 15000;
  for (;;) {
    const active = [...video.textTracks].flatMap((track) => [...(track.activeCues ?? [])]);
    if (active.length > 0 || performance.now() > deadline) {
      const shownCues = active.map(({ text, startTime, endTime }) => [text, startTime, endTime]);
      return { at: video.currentTime, shownCues };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}`;

let fixture: PlayerFixture;
let shown: PublishedFilm;
let folder: string;

beforeAll(async () => {
  fixture = await openPlayerFixture(240, [90]);
  shown = await publish({});
  folder = `${fixture.edge.base}/vz-${shown.libraryId}/${shown.mediaId}`;
});
afterAll(() => fixture.close());

/** Publishes a finished video of 10 s with captions in two languages that have the same label. */
async function publish(settings: Record<string, unknown>): Promise<PublishedFilm> {
  const published = await fixture.publish(settings);
  const text = 'WEBVTT\n\n00:00:01.000 --> 00:00:09.000\nHello from the playlist\n';
  const track = async (srclang: string, label: string): Promise<CaptionTrack> => {
    const name = `${published.libraryId}/${published.mediaId}/captions/${srclang}-1.vtt`;
    const key = await fixture.edges.storage.write(name, Buffer.from(text));
    return { srclang, label, version: 1, key, sizeBytes: text.length };
  };
  const captions = [await track('en', `"US" English's`), await track('pt-BR', `"US" English's`)];
  await fixture.database.db
    .updateTable('media')
    .set({ captions: JSON.stringify(captions), duration_ms: 10_010 })
    .where('id', '=', published.mediaId)
    .execute();
  return published;
}
const fetchText = async (address: string) => (await fetch(address)).text();

test('captions form a group of the multivariant playlist that both validators accept', async () => {
  const text = await fetchText(`${folder}/playlist.m3u8`);
  expect(checkPlaylist(text)).toEqual([]);
  const parsed = parse(text);
  if (!parsed.isMasterPlaylist) throw new Error('Expected a multivariant playlist.');
  const group = [
    { language: 'en', name: '”US” English’s', uri: 'captions/en.m3u8' },
    { language: 'pt-BR', name: '”US” English’s 2', uri: 'captions/pt-BR.m3u8' },
  ];
  const variants = parsed.variants.filter(({ isIFrameOnly }) => !isIFrameOnly);
  // Two variants: video with audio, and audio only.
  expect(
    variants.map(({ subtitles }) => subtitles.map(({ language, name, uri }) => ({ language, name, uri }))),
  ).toEqual([group, group]);
  expect(text).not.toContain('DEFAULT=YES,AUTOSELECT=YES,URI="captions');
});

test('each language has a playlist of one WebVTT segment as long as the video', async () => {
  const response = await fetch(`${folder}/captions/PT-br.m3u8`);
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('application/vnd.apple.mpegurl');
  expect(checkPlaylist(text)).toEqual([]);
  const parsed = parse(text);
  if (parsed.isMasterPlaylist) throw new Error('Expected a media playlist.');
  expect(parsed.segments.map(({ uri, duration }) => [uri, duration])).toEqual([['pt-BR.vtt', 10.01]]);
  expect((await fetch(`${folder}/captions/pt_BR.vtt`)).status).toBe(200);
  const file = await fetch(new URL('pt-BR.vtt', `${folder}/captions/PT-br.m3u8`));
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/vtt; charset=utf-8']);
});

test.each(['captions/fr.m3u8', 'captions/en.srt', 'captions/../en.m3u8', 'captions/en%0a.m3u8'])(
  '%s returns 404',
  async (name) => {
    expect((await fetch(`${folder}/${name}`)).status).toBe(404);
  },
);

test('with the setting disabled, the playlist does not list captions, but the files remain available', async () => {
  const quiet = await publish({ player: { captionsInPlaylist: false } });
  const base = `${fixture.edge.base}/vz-${quiet.libraryId}/${quiet.mediaId}`;
  const silent = await fetch(`${base}/playlist.m3u8`);
  expect(await silent.text()).not.toContain('SUBTITLES');
  expect((await fetch(`${base}/captions/en.vtt`)).status).toBe(200);
  await fixture.database.db.updateTable('library').set({ settings: '{}' }).where('id', '=', quiet.libraryId).execute();
  await expect.poll(() => fetchText(`${base}/playlist.m3u8`), { timeout: PLAY_LIMIT_MS }).toContain('TYPE=SUBTITLES');
  expect((await fetch(`${base}/playlist.m3u8`)).headers.get('etag')).not.toBe(silent.headers.get('etag'));
});

test('hls.js in a browser shows the cue at its time', async () => {
  const page = await openScriptPage(fixture.browser, fixture.edge.base, HLS_JS);
  const cues = (await page.evaluate(`(${SHOW_CUES})(${JSON.stringify(`${folder}/playlist.m3u8`)})`)) as {
    at: number;
    shownCues: unknown[];
  };
  await page.close();
  expect(cues.shownCues).toEqual([['Hello from the playlist', 1, 9]]);
  expect(cues.at).toBeGreaterThanOrEqual(1);
});

test('the player lists each language once', async () => {
  const page = await fixture.browser.newPage();
  await page.goto(`${fixture.edge.base}/embed/${shown.libraryId}/${shown.mediaId}?muted=true&autoplay=true`);
  const video = page.locator('video');
  await page.locator('media-controller[ready]').waitFor({ timeout: PLAY_LIMIT_MS });
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.readyState), { timeout: PLAY_LIMIT_MS })
    .toBeGreaterThan(2);
  const labels = await video.evaluate((element: HTMLVideoElement) =>
    [...element.textTracks].map(({ language }) => language),
  );
  await page.close();
  expect(labels).toEqual(['en', 'pt-BR']);
});
