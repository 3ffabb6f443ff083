import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { openDashboard, WAIT_MS } from './dashboard.ts';
import { openCatalogue } from './leftovers.ts';
import { discard, type Service, startService } from './service.ts';
import { call, createVideo, FINISHED, untilVideo, uploadFile } from './videos.ts';

/** Frames per second and length of the videos. */
export const RATE = 25;
export const LENGTH_SEC = 20;

const SCENE = ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=${RATE}:d=${LENGTH_SEC}`];
const SOUND = ['-f', 'lavfi', '-i', `aevalsrc='0.8*sin(2*PI*t/3)*sin(440*2*PI*t)':d=${LENGTH_SEC}`];

/** A service with the dashboard in a browser, and functions that operate the timeline of its editors. */
export type TimelinePage = Awaited<ReturnType<typeof openTimelinePage>>;

export async function openTimelinePage() {
  const folder = await mkdtemp(path.join(tmpdir(), 'mr-timeline-'));
  const [service, browser] = await Promise.all([startService(null), openBrowser()]);
  const page = await openDashboard(service, browser);
  page.context().setDefaultTimeout(WAIT_MS);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  return {
    ...{ service, browser, page, faults },
    ...operate(page),
    /** Uploads a video with frames and sound, or a file with sound alone, and draws its waveform. */
    async upload(name: 'film.mp4' | 'sound.m4a'): Promise<string> {
      const file = path.join(folder, name);
      const frames = name === 'film.mp4' ? [...SCENE, ...SOUND, '-c:v', 'libx264', '-preset', 'ultrafast'] : SOUND;
      await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...frames, '-c:a', 'aac', file]);
      const videoId = await createVideo(service, name);
      await uploadFile(service, videoId, file);
      await untilVideo(service, videoId, ({ status }) => status === FINISHED);
      await drawWaveform(service, videoId);
      return videoId;
    },
    async open(videoId: string, tab: string): Promise<void> {
      await page.goto(`${service.apiUrl}/dashboard/library/1/videos/${videoId}/${tab}`);
    },
    close: () => close({ folder, service, browser }),
  };
}

async function close(fixture: { folder: string; service: Service; browser: Browser }): Promise<void> {
  await fixture.browser.close();
  await discard(fixture.service);
  await rm(fixture.folder, { recursive: true, force: true });
}

/** Draws a waveform, which the service does once a minute. */
async function drawWaveform(service: Service, videoId: string): Promise<void> {
  const { db, close: closeDatabase } = openCatalogue(service);
  const peaks = Buffer.from(Array.from({ length: 400 }, (_, index) => 40 + Math.abs(Math.sin(index / 9)) * 200));
  await db.updateTable('media').set({ waveform: peaks }).where(sql`id`, '=', videoId).execute();
  await closeDatabase();
}

function operate(page: Page) {
  const slider = (name: string) => page.getByRole('slider', { name });
  return {
    slider,
    head: () => slider('Position in the video'),
    secOf: async (name: string) => Number(await slider(name).getAttribute('aria-valuenow')),
    press: (name: string) => page.getByRole('button', { name, exact: true }).click(),
    textbox: (name: string) => page.getByRole('textbox', { name }),
    /** Drags a handle by seconds, with all of the video visible. */
    async drag(name: string, bySec: number): Promise<void> {
      await slider(name).scrollIntoViewIfNeeded();
      const box = await slider(name).boundingBox();
      if (box === null) throw new Error(`Expected the handle ${name} on the page.`);
      const area = await page.locator('.tl-area').boundingBox();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 10, y, { steps: 2 });
      await page.mouse.move(x + (bySec * (area?.width ?? 0)) / LENGTH_SEC, y, { steps: 4 });
      await page.mouse.up();
    },
  };
}

/** Stores captions of a video. */
export async function addCaptions(service: Service, videoId: string, cues: readonly string[]): Promise<void> {
  const captionsFile = Buffer.from(`WEBVTT\n\n${cues.join('\n\n')}\n`).toString('base64');
  const body = { srclang: 'en', label: 'English', captionsFile };
  await call(service, 'POST', `/library/1/videos/${videoId}/captions/en`, body);
}
