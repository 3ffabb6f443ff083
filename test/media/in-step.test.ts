import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FLASH_AT_SEC, flashAndBeep, PLAYERS } from '../support/media/flash-and-beep.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { createVideo, FINISHED, playlistUrl, untilVideo, uploadFile } from '../support/videos.ts';

const run = promisify(execFile);

/** Players begin with the first video or the first audio frame: up to one audio frame later, 21 ms. */
const START_SEC = 0.05;
/** GStreamer ignores edit lists, so video and audio are both late by the presentation delay. */
const DELAY_SEC = 0.2;
/** Half a frame at 24 frames a second, below what a viewer notices. */
const STEP_SEC = 0.02;

const B_FRAMES = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-bf', '3', '-x264-params'];
const SOURCES = [
  { what: 'a copied rung', file: 'copied.mp4', rate: 24, codec: [...B_FRAMES, 'b-adapt=0:keyint=48', '-c:a', 'aac'] },
  { what: 'an encoded rung', file: 'encoded.mkv', rate: 24, codec: ['-c:v', 'ffv1', '-c:a', 'flac'] },
  {
    what: 'a low frame rate',
    file: 'slow.mp4',
    rate: 5,
    codec: [...B_FRAMES, 'b-adapt=0:keyint=10', '-c:a', 'aac'],
  },
];

let service: Service;
let folder: string;
const urls = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-step-'));
  service = await startService(null);
  const guids = new Map<string, string>();
  for (const { file, rate, codec } of SOURCES) {
    const clip = path.join(folder, file);
    await run('ffmpeg', ['-nostdin', '-v', 'error', ...flashAndBeep(rate), ...codec, clip]);
    const guid = await createVideo(service, file);
    expect((await uploadFile(service, guid, clip)).status).toBe(200);
    guids.set(file, guid);
  }
  for (const [file, guid] of guids) {
    await untilVideo(service, guid, ({ status }) => status === FINISHED);
    urls.set(file, playlistUrl(service, guid));
  }
}, 300_000);
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

describe.each(Object.entries(PLAYERS))('audio and video sync in %s', (name, play) => {
  const laterSec = name === 'GStreamer' ? DELAY_SEC : 0;
  test.each(SOURCES)(
    'flash and beep of $what coincide at the expected time',
    async ({ file, rate }) => {
      const { flashesSec, beepsSec } = await play(urls.get(file) ?? '', folder);
      expect(flashesSec).toHaveLength(FLASH_AT_SEC.length);
      expect(beepsSec).toHaveLength(FLASH_AT_SEC.length);
      const last = FLASH_AT_SEC.length - 1;
      expect(Math.abs((flashesSec[last] ?? 0) - (beepsSec[last] ?? 0)), `${flashesSec}, ${beepsSec}`).toBeLessThan(
        STEP_SEC,
      );
      for (const [index, sec] of FLASH_AT_SEC.entries()) {
        expect(Math.abs((flashesSec[index] ?? 0) - sec - laterSec), `at ${rate} a second: ${flashesSec}`).toBeLessThan(
          START_SEC,
        );
      }
    },
    200_000,
  );
});
