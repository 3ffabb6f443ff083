import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { firstFile, samples } from '../media/rendition-file.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { checkFinished } from './check-video.ts';
import {
  addLibrary,
  loadMedia,
  loadRenditions,
  makeClip,
  startWorkerFixture,
  untilState,
  upload,
  type WorkerFixture,
} from './worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

let fixture: WorkerFixture;
let libraryId: number;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  libraryId = await addLibrary(fixture, { encoding: { rungs: [240] } });
  await fixture.startWorker();
});
afterAll(() => fixture.stop());

test('keeps audio whose format changes, and reports for how long damaged audio is silent', async () => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=160x96:r=25:d=3'];
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:d=3'];
  const stereo = await makeClip(
    fixture,
    'stereo.ts',
    ...picture,
    ...sound,
    '-c:v',
    'mpeg2video',
    '-c:a',
    'ac3',
    '-ac',
    '2',
  );
  const surround = await makeClip(
    fixture,
    'six.ts',
    ...picture,
    ...sound,
    '-c:v',
    'mpeg2video',
    '-c:a',
    'ac3',
    '-ac',
    '6',
  );
  const list = path.join(path.dirname(stereo), 'list.txt');
  await writeFile(list, [stereo, surround].map((part) => `file '${part}'\n`).join(''));
  const joined = await makeClip(fixture, 'joined.ts', '-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy');
  // Removes half a second of audio packets from the file.
  const bytes = await readFile(joined);
  const packets = Array.from({ length: bytes.length / 188 }, (_, index) =>
    bytes.subarray(index * 188, (index + 1) * 188),
  );
  const sounding = packets.filter((packet) => (packet.readUInt16BE(1) & 0x1fff) === 0x101);
  const lost = new Set(sounding.slice(Math.floor(sounding.length * 0.7), Math.floor(sounding.length * 0.8)));
  await writeFile(joined, Buffer.concat(packets.filter((packet) => !lost.has(packet))));
  const key = await upload(fixture, libraryId, joined);
  await untilState(fixture, key, 'finished');
  const renditions = await checkFinished(fixture, key);
  expect(renditions.filter(({ kind }) => kind === 'audio')).toHaveLength(1);
  const { messages } = await loadMedia(fixture, key);
  expect(JSON.stringify(messages)).toMatch(/0\.\d of 6\.\d seconds of the audio could not be decoded and are silent/);
});

test.each([
  { name: 'ts', codecs: ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-c:a', 'aac'] },
  { name: 'mpg', codecs: ['-c:v', 'mpeg2video', '-g', '25', '-c:a', 'mp2'] },
])('appended recordings in .$name, each with its own clock, become one video with a message', async (container) => {
  const { name, codecs } = container;
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=160x96:r=25:d=4', '-f', 'lavfi', '-i', 'sine=frequency=440:d=4'];
  const one = await makeClip(fixture, `one.${name}`, ...inputs, ...codecs);
  const later = await makeClip(fixture, `later.${name}`, '-i', one, '-c', 'copy', '-output_ts_offset', '500');
  const appended = path.join(path.dirname(one), `appended.${name}`);
  await writeFile(appended, Buffer.concat(await Promise.all([one, one, later].map((part) => readFile(part)))));
  const key = await upload(fixture, libraryId, appended);
  await untilState(fixture, key, 'finished');
  const renditions = await checkFinished(fixture, key);
  expect(renditions).toMatchObject([{ kind: 'video' }, { kind: 'audio' }]);
  for (const { durationSec } of renditions) expect(Math.abs(durationSec - 12)).toBeLessThan(0.3);
  const { messages } = await loadMedia(fixture, key);
  expect(JSON.stringify(messages)).toContain('The clock of the file jumps 2 times');
});

test('an MP3 that begins with 200 kB of other data plays from its first frame without noise', async () => {
  const good = await makeClip(fixture, 'good.mp3', '-f', 'lavfi', '-i', 'sine=frequency=440:d=4', '-c:a', 'libmp3lame');
  const random = seededRandom(17);
  const garbage = Buffer.from(Array.from({ length: 200_000 }, () => random.below(256)));
  const file = path.join(path.dirname(good), 'garbage.mp3');
  await writeFile(file, Buffer.concat([garbage, await readFile(good)]));
  const key = await upload(fixture, libraryId, file);
  await untilState(fixture, key, 'finished');
  const [track] = await checkFinished(fixture, key);
  expect(Math.abs((track?.durationSec ?? 0) - 4)).toBeLessThan(0.1);
  const sound = await samples(await firstFile(fixture, key, 'aac'));
  // The level of the tone itself is an eighth of full scale.
  expect(sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)).toBeLessThan(0.2);
  const { messages } = await loadMedia(fixture, key);
  expect(JSON.stringify(messages)).toMatch(/The first 2000\d\d bytes of the file are not audio/);
});

test('the chapters of a file become the chapters of its video', async () => {
  const bare = await makeClip(
    fixture,
    'bare.mp4',
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=160x96:r=25:d=3',
    '-c:v',
    'libx264',
  );
  const list = path.join(path.dirname(bare), 'chapters.txt');
  const chapter = (title: string, from: number, to: number) =>
    `[CHAPTER]\nTIMEBASE=1/1\nSTART=${from}\nEND=${to}\ntitle=${title}\n`;
  await writeFile(list, `;FFMETADATA1\n${chapter('One', 0, 1)}${chapter('Two', 1, 3)}`);
  const clip = await makeClip(fixture, 'chapters.mp4', '-i', bare, '-i', list, '-map_metadata', '1', '-c', 'copy');
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'finished');
  const { chapters } = await loadMedia(fixture, key);
  expect(chapters).toEqual([
    { title: 'One', start: 0, end: 1 },
    { title: 'Two', start: 1, end: 3 },
  ]);
});

/**
 * Creates a clip of two parts of different sizes. The second starts at 2.5 s, within a segment, with in-band parameter
 * sets.
 */
async function makeResized(name: string, ...options: string[]): Promise<string> {
  const parts: string[] = [];
  for (const size of ['320x180', '240x320']) {
    const picture = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=20:d=2.5`, '-c:v', 'libx264', '-preset', 'ultrafast'];
    parts.push(await makeClip(fixture, `${size}-${name}.ts`, ...picture, '-g', '10', '-pix_fmt', 'yuv420p'));
  }
  const joined = `concat:${parts.join('|')}`;
  return await makeClip(fixture, name, '-i', joined, '-c', 'copy', ...options);
}

test.each([
  { what: 'upright', name: 'resized.mp4', options: [], size: { width_px: 320, height_px: 180 } },
  {
    what: 'turned',
    name: 'turned.mp4',
    options: ['-metadata:s:v', 'rotate=90'],
    size: { width_px: 180, height_px: 320 },
  },
])('an MP4, $what, whose frame size changes between two cuts is encoded completely at its first size', async (made) => {
  const clip = await makeResized(made.name, ...made.options);
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'finished');
  const [decoded] = await checkFinished(fixture, key);
  expect(decoded).toMatchObject({ origin: 'encode', frames: 100, warnings: '' });
  const active = (await loadRenditions(fixture, key)).filter((rendition) => rendition.active);
  expect(active).toMatchObject([made.size]);
});

test('a video of variable rate has the rate of its shortest frames, also if it is copied', async () => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=50:d=8', '-vf', "select='if(lt(t,4),not(mod(n,5)),1)'"];
  const codec = ['-vsync', 'vfr', '-c:v', 'libx264', '-crf', '40', '-bf', '0', '-g', '40', '-pix_fmt', 'yuv420p'];
  const clip = await makeClip(fixture, 'variable.mp4', ...picture, ...codec, '-video_track_timescale', '90000');
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'finished');
  expect(await checkFinished(fixture, key)).toMatchObject([{ origin: 'pass-through' }]);
  expect((await loadMedia(fixture, key)).frame_rate).toBeCloseTo(50, 0);
});
