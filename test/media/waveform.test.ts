import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { listUndrawn } from '../../src/catalog/images/waveform-store.ts';
import { drawWaveforms } from '../../src/jobs/housekeeping/draw-waveforms.ts';
import { addLibrary } from '../delivery/publish.ts';
import type { TestEdge } from '../delivery/start-test-edge.ts';
import { loadMedia, makeClip, untilState, upload, type Worker } from '../jobs/worker-fixture.ts';
import { type OnDemandFixture, startOnDemandFixture } from '../on-demand/on-demand-fixture.ts';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { GROUP_LIMIT_SEC } from './many.ts';

const forever = new AbortController().signal;
const PATIENCE = { timeout: 60_000 };
/** Four seconds in stereo: a tone of half of full scale for two, then silence. */
const TONE = '0.5*sin(2*PI*440*t)*lt(t,2)';
const HALF = `aevalsrc='${TONE}|${TONE}':s=48000:d=4`;

let fixture: OnDemandFixture;
let edge: TestEdge;
let worker: Worker;
let sound: MediaKey;
let mute: MediaKey;
let covered: MediaKey;
let short: MediaKey;
beforeAll(async () => {
  fixture = await startOnDemandFixture();
  edge = await fixture.edgeFixture.start({ storage: fixture.storage });
  worker = await fixture.startWorker();
  const library = await addLibrary(fixture.database.db, { encoding: { rungs: [240] } });
  sound = await upload(fixture, library, await makeClip(fixture, 'half.wav', '-f', 'lavfi', '-i', HALF));
  const picture = ['-f', 'lavfi', '-i', 'testsrc=s=320x240:r=10:d=2', '-c:v', 'mpeg4'];
  mute = await upload(fixture, library, await makeClip(fixture, 'mute.avi', ...picture));
  const cover = ['-f', 'lavfi', '-i', 'testsrc=s=200x200:d=1', '-map', '0', '-map', '1', '-frames:v', '1'];
  const album = ['-f', 'lavfi', '-i', HALF, ...cover, '-c:v', 'mjpeg', '-disposition:v', 'attached_pic'];
  covered = await upload(fixture, library, await makeClip(fixture, 'album.mp3', ...album));
  const phone = ['-f', 'lavfi', '-i', 'sine=440:r=8000:d=1', '-ac', '1', '-c:a', 'pcm_mulaw'];
  short = await upload(fixture, library, await makeClip(fixture, 'phone.wav', ...phone));
  for (const key of [sound, mute, covered, short]) await untilState(fixture, key, 'finished');
}, GROUP_LIMIT_SEC * 1000);
afterAll(async () => {
  await edge?.close();
  await fixture?.stop();
});

const folder = ({ libraryId, mediaId }: MediaKey) => `${edge.base}/vz-${libraryId}/${mediaId}`;

async function isDue({ mediaId }: MediaKey): Promise<boolean> {
  return (await listUndrawn(fixture.database.db, 100)).some((video) => video.mediaId === mediaId);
}

test('the waveform of the default audio is computed once, and served as peaks and as an image', async () => {
  // The worker's own job, which runs every minute, may already have drawn it.
  const isDrawn = (await loadMedia(fixture, sound)).waveform !== null;
  expect(await isDue(sound)).toBe(!isDrawn);
  expect(await isDue(mute)).toBe(false);
  await drawWaveforms.run({}, worker.deps, forever);
  expect(await isDue(sound)).toBe(false);
  await expect.poll(async () => (await fetch(`${folder(sound)}/waveform.json`)).status, PATIENCE).toBe(200);
  const response = await fetch(`${folder(sound)}/waveform.json`);
  const { durationMs, peaks } = (await response.json()) as { durationMs: number; peaks: number[] };
  // Audio alone ends with a whole AAC frame. There are 20 peaks a second.
  expect([durationMs, peaks.length]).toEqual([4011, 81]);
  for (const peak of peaks.slice(1, 39)) expect(Math.abs(peak - 128)).toBeLessThan(8);
  for (const peak of peaks.slice(42)) expect(peak).toBeLessThan(3);
  const brief = (await (await fetch(`${folder(short)}/waveform.json`)).json()) as { peaks: number[] };
  expect(brief.peaks.length).toBe(21);
  expect(Math.min(...brief.peaks)).toBeGreaterThan(10);
  const image = await fetch(`${folder(sound)}/waveform.svg`);
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect((await fetch(`${folder(mute)}/waveform.json`)).status).toBe(404);
});

test('the player page of an audio file shows its waveform, and its cover picture if it has one', async () => {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage(SMALL_PAGE);
    await page.goto(`${edge.base}/embed/${sound.libraryId}/${sound.mediaId}`);
    const width = () =>
      page.evaluate(() => {
        const poster = document.querySelector('bunny-poster-image');
        return poster?.shadowRoot?.querySelector<HTMLImageElement>('.waveform.loaded')?.naturalWidth ?? 0;
      });
    await expect.poll(width, PATIENCE).toBeGreaterThan(0);
    await page.goto(`${edge.base}/embed/${covered.libraryId}/${covered.mediaId}`);
    const shown = () =>
      page.evaluate(() => {
        const images = document.querySelector('bunny-poster-image')?.shadowRoot?.querySelectorAll('img.loaded') ?? [];
        return [...images].map((image) => [image.className, getComputedStyle(image).display]);
      });
    await expect.poll(shown, PATIENCE).toEqual([
      ['loaded', expect.not.stringContaining('none')],
      ['waveform loaded', expect.not.stringContaining('none')],
    ]);
  } finally {
    await browser.close();
  }
});

test('a new default audio track gets a new waveform, which is deleted with its video', async () => {
  const { db } = fixture.database;
  await db.updateTable('rendition').set({ is_default: true }).where('media_id', '=', sound.mediaId).execute();
  expect(await isDue(sound)).toBe(true);
  const [before] = await listUndrawn(db, 1);
  await db.updateTable('rendition').set({ is_default: true }).where('media_id', '=', sound.mediaId).execute();
  const [after] = await listUndrawn(db, 1);
  expect(after?.changes).toBe((before?.changes ?? 0) + 1);
  expect((await loadMedia(fixture, sound)).waveform?.length).toBe(81);
  await sql`delete from media where id = ${sound.mediaId}`.execute(db);
  expect(await isDue(sound)).toBe(false);
});
