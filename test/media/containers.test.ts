import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { checkFinished } from '../jobs/check-video.ts';
import { addLibrary, loadMedia, startWorkerFixture, until, type WorkerFixture } from '../jobs/worker-fixture.ts';
import { writeDiscSubtitles } from './disc-subtitles.ts';
import { GROUP_LIMIT_SEC, keyOf, requireFinished, type Source, uploadMany } from './many.ts';

const DURATION_SEC = 3;
const source = (size: string, channels = 2, hz = 48_000) => [
  ...['-f', 'lavfi', '-i', `testsrc=s=${size}:r=25:d=${DURATION_SEC}`],
  ...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=${hz}:d=${DURATION_SEC}`, '-ac', String(channels)],
];
const small = source('160x120');
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];

const SOURCES: Source[] = [
  { name: 'packed pictures.avi', argv: [...small, '-c:v', 'libxvid', '-bf', '2', '-q:v', '5', '-c:a', 'libmp3lame'] },
  { name: 'web.webm', argv: [...small, '-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'] },
  { name: 'broken tail.ts', argv: [...small, ...H264] },
  { name: 'programme.mpg', argv: [...small, '-c:v', 'mpeg2video', '-c:a', 'mp2', '-f', 'mpeg'] },
  { name: 'flash.flv', argv: [...source('160x120', 2, 44_100), '-c:v', 'flv', '-c:a', 'libmp3lame'] },
  { name: 'phone.3gp', argv: [...source('176x144', 1, 8000), '-c:v', 'h263', '-c:a', 'aac'] },
  { name: 'windows.wmv', argv: [...small, '-c:v', 'wmv2', '-c:a', 'wmav2'] },
  { name: 'broadcast.mxf', argv: [...source('720x576'), '-c:v', 'mpeg2video', '-b:v', '4M', '-c:a', 'pcm_s16le'] },
  { name: 'prores.mov', argv: [...small, '-c:v', 'prores_ks', '-profile:v', '2', '-c:a', 'pcm_s24le'] },
];

const ASS = `[Script Info]
ScriptType: v4.00+
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,Guten Tag
`;
const DISC = 'disc.mkv';

/** Creates a source like a copied disc: DTS audio, bitmap subtitles and text subtitles, losslessly encoded. */
async function discSource(): Promise<Source> {
  const [pictures, text] = [path.join(fixture.clips, 'disc.sup'), path.join(fixture.clips, 'disc.ass')];
  await writeFile(pictures, writeDiscSubtitles());
  await writeFile(text, ASS);
  const maps = ['0:v', '1:a', '2', '3'].flatMap((stream) => ['-map', stream]);
  const tags = ['-metadata:s:s:0', 'language=eng', '-metadata:s:s:1', 'language=ger'];
  const sound = ['-c:a', 'dca', '-strict', '-2'];
  const codecs = ['-c:v', 'ffv1', '-pix_fmt', 'yuv444p', ...sound, '-c:s', 'copy'];
  return { name: DISC, argv: [...small, '-i', pictures, '-i', text, ...maps, ...codecs, ...tags] };
}

let fixture: WorkerFixture;
let keys: Map<string, MediaKey>;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  const libraryId = await addLibrary(fixture, { encoding: { rungs: [240] } });
  await fixture.startWorker();
  keys = await uploadMany(fixture, libraryId, [...SOURCES, await discSource()], breakTail);
}, GROUP_LIMIT_SEC * 1000);
afterAll(() => fixture.stop());

/** Creates a recording that ends in the middle of a packet, followed by garbage. */
async function breakTail(file: string, name: string): Promise<string> {
  if (name !== 'broken tail.ts') return file;
  const bytes = await readFile(file);
  const rubbish = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 131) % 251));
  await writeFile(file, Buffer.concat([bytes.subarray(0, bytes.length - 1000), rubbish]));
  return file;
}

test.each([...SOURCES.map(({ name }) => name), DISC])('%s plays completely', async (name) => {
  const key = keyOf(keys, name);
  await requireFinished(fixture, key);
  const made = await checkFinished(fixture, key);
  expect(made.map(({ kind }) => kind)).toEqual(['video', 'audio']);
  for (const { durationSec } of made) expect(Math.abs(durationSec - DURATION_SEC)).toBeLessThan(0.25);
  expect(made.map(({ warnings }) => warnings)).toEqual(['', '']);
  const { duration_ms: durationMs } = await loadMedia(fixture, key);
  expect(Math.abs(durationMs / 1000 - DURATION_SEC)).toBeLessThan(0.25);
});

test('the text subtitles of a disc become captions', async () => {
  const key = keyOf(keys, DISC);
  const captionsOf = async () => (await loadMedia(fixture, key)).captions.map(({ srclang }) => srclang);
  await until(async () => (await captionsOf()).length > 0, 'captions');
  expect(await captionsOf()).toEqual(['de']);
});
