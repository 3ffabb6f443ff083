import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkFinished } from './check-video.ts';
import { addLibrary, type Lab, loadMedia, makeClip, startLab, untilState, upload } from './lab.ts';

let lab: Lab;
let libraryId: number;
beforeAll(async () => {
  lab = await startLab();
  libraryId = await addLibrary(lab, { encoding: { rungs: [240, 360] } });
  await lab.startWorker();
});
afterAll(() => lab.stop());

const picture = (rate: string, seconds: number, size = '320x240') => ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=${rate}:d=${seconds}`];
const sound = (seconds: number) => ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:d=${seconds}`];
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-bf', '2'];

test('an H.264 source is its own top rendition, the rung below has the same cuts', async () => {
  const clip = await makeClip(lab, 'pass.mp4', ...picture('25', 12, '480x360'), ...sound(12), ...h264, '-g', '70', '-c:a', 'aac', '-shortest');
  const key = await upload(lab, libraryId, clip);
  await untilState(lab, key, 'finished');
  const renditions = await checkFinished(lab, key);
  expect(renditions).toEqual([
    { kind: 'video', origin: 'pass-through', rung: 360, frames: 300, durationSec: 12, segments: 5, warnings: '' },
    { kind: 'video', origin: 'encode', rung: 240, frames: 300, durationSec: 12, segments: 5, warnings: '' },
    expect.objectContaining({ kind: 'audio', warnings: '' }),
  ]);
  expect(Math.abs((renditions[2]?.durationSec ?? 0) - 12)).toBeLessThan(0.04);
});
