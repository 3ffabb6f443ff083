import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addLibrary,
  loadMedia,
  loadRenditions,
  makeClip,
  startWorkerFixture,
  until,
  upload,
  type WorkerFixture,
} from '../jobs/worker-fixture.ts';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { renditionFiles } from './rendition-file.ts';

const run = promisify(execFile);
const DAMAGED_BYTES = 200;

let fixture: WorkerFixture;
let browser: Browser;
beforeAll(async () => {
  [fixture, browser] = await Promise.all([startWorkerFixture(), openBrowser()]);
  await fixture.startWorker();
});
afterAll(async () => {
  await browser.close();
  await fixture.stop();
});

/** Plays a rung to the end through Media Source in Chromium, like HLS and DASH players. */
async function playByMediaSource(
  file: Buffer,
  codec: string,
): Promise<{ endedAtSec: number | null; fault: string | null }> {
  const page = await browser.newPage(SMALL_PAGE);
  await page.route('http://rung.test/*', (route) => {
    const isPage = route.request().url().endsWith('page.html');
    return isPage ? route.fulfill({ contentType: 'text/html', body: '<video muted>' }) : route.fulfill({ body: file });
  });
  await page.goto('http://rung.test/page.html');
  const played = await page.evaluate(async (type) => {
    const video = document.querySelector('video') as HTMLVideoElement;
    const source = new MediaSource();
    video.src = URL.createObjectURL(source);
    await new Promise((resolve) => source.addEventListener('sourceopen', resolve, { once: true }));
    const buffer = source.addSourceBuffer(type);
    const bytes = await (await fetch('http://rung.test/rung.mp4')).arrayBuffer();
    const over = new Promise<void>((resolve) => {
      for (const end of ['ended', 'error']) video.addEventListener(end, () => resolve());
    });
    buffer.addEventListener('updateend', () => source.readyState === 'open' && source.endOfStream(), { once: true });
    buffer.appendBuffer(bytes);
    video.playbackRate = 3;
    await video.play().catch(() => undefined);
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 30_000))]);
    return { endedAtSec: video.ended ? Math.round(video.currentTime) : null, fault: video.error?.message ?? null };
  }, `video/mp4; codecs="${codec}"`);
  await page.close();
  return played;
}

type Packet = { pos: string; size: string; flags: string };

async function readVideoPackets(file: string): Promise<Packet[]> {
  const entries = ['-select_streams', 'v', '-show_entries', 'packet=pos,size,flags', '-of', 'json', file];
  const { stdout } = await run('ffprobe', ['-v', 'error', ...entries]);
  return JSON.parse(stdout).packets;
}

/** Overwrites the head of one packet, so that its frame does not decode. */
async function damage(file: string, choose: (packets: Packet[]) => Packet | undefined): Promise<void> {
  const packet = choose(await readVideoPackets(file));
  if (packet === undefined) throw new Error('Expected a packet to damage.');
  const bytes = await readFile(file);
  bytes.fill(0x5a, Number(packet.pos), Number(packet.pos) + Math.min(DAMAGED_BYTES, Number(packet.size)));
  await writeFile(file, bytes);
}

test.each([
  {
    what: 'one frame',
    origin: 'pass-through',
    choose: (packets: Packet[]) => packets.filter(({ flags }) => !flags.startsWith('K'))[61],
  },
  {
    // The frame is no longer an IDR picture, so a segment cannot begin with it.
    what: 'a keyframe at a cut',
    origin: 'encode',
    choose: (packets: Packet[]) => packets.filter(({ flags }) => flags.startsWith('K'))[2],
  },
])(
  'H.264 with $what damaged is encoded in all rungs',
  async ({ what, origin: topOrigin, choose }) => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=640x480:r=24:d=9', '-f', 'lavfi', '-i', 'anullsrc=d=9'];
    const codec = [
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-bf',
      '3',
      '-g',
      '48',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'aac',
    ];
    const clip = await makeClip(fixture, `${path.basename(what).replaceAll(' ', '-')}.mp4`, ...picture, ...codec);
    await damage(clip, choose);
    const libraryId = await addLibrary(fixture, { encoding: { rungs: [480, 360, 240] } });
    const key = await upload(fixture, libraryId, clip);
    await until(
      async () => ['finished', 'failed'].includes((await loadMedia(fixture, key)).state),
      'the end of the encode task',
    );
    const renditions = (await loadRenditions(fixture, key)).filter(({ kind }) => kind === 'video');
    expect(renditions.map(({ rung, origin, state }) => `${rung} ${origin} ${state}`).sort()).toEqual([
      '240 encode finished',
      '360 encode finished',
      `480 ${topOrigin} finished`,
    ]);
    const [top] = (await renditionFiles(fixture, key)).filter(({ row }) => row.rung === 480);
    if (top === undefined) throw new Error('Expected the rung of 480p.');
    const { endedAtSec, fault } = await playByMediaSource(await readFile(top.file), top.row.codec_string ?? '');
    expect({ endedAtSec, fault }).toEqual({ endedAtSec: 9, fault: null });
  },
  300_000,
);
