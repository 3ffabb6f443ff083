import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { listHeardTracks } from '../../src/catalog/renditions/loudness-store.ts';
import { checkWhole } from '../jobs/check-video.ts';
import { addLibrary, loadMedia, startWorkerFixture, type WorkerFixture } from '../jobs/worker-fixture.ts';
import { forever } from '../support/media/run-clip.ts';
import { GROUP_LIMIT_SEC, keyOf, requireFinished, type Source, uploadMany } from './many.ts';
import { fields, firstFile, playlistOf, samples, share } from './rendition-file.ts';

const run = promisify(execFile);
const lavfi = (graph: string) => ['-f', 'lavfi', '-i', graph];
const picture = lavfi('testsrc=s=160x120:r=10:d=4');
const tone = (hz: number) => lavfi(`sine=frequency=${hz}:sample_rate=48000:d=4`);
const VIDEO = ['-c:v', 'mpeg4', '-q:v', '6'];
const quiet = lavfi('anoisesrc=c=pink:r=48000:d=12:a=0.5:s=7,volume=-20dB');
const steady = (db: number) => lavfi(`sine=frequency=997:sample_rate=48000:duration=8,volume=${db}dB`);
const CLICKS = "aevalsrc='0.01*sin(2*PI*500*t)+0.5*sin(2*PI*900*t)*between(mod(t,4),2,2.005)':s=48000:d=8";
const CENTRE = "aevalsrc=exprs='0|0|0.3*sin(2*PI*500*t)|0|0|0':c=5.1:s=48000:d=4";
const LOUD_TONES = [300, 400, 500, 60, 600, 700].map((hz) => `0.9*sin(2*PI*${hz}*t)`).join('|');
const LOUD = `aevalsrc=exprs='${LOUD_TONES}':c=5.1:s=48000:d=4`;
const COVERED = [
  ...tone(440),
  '-f',
  'lavfi',
  '-i',
  'testsrc=s=64x64:d=0.1:r=10',
  '-map',
  '0',
  '-map',
  '1:v',
  '-frames:v',
  '1',
];
const COVER = ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-disposition:v', 'attached_pic'];

const SOURCES: Source[] = [
  { name: 'no sound.avi', argv: [...picture, ...VIDEO] },
  { name: 'podcast.mp3', argv: [...COVERED, ...COVER, '-c:a', 'libmp3lame'] },
  { name: 'album.flac', argv: [...COVERED, ...COVER, '-c:a', 'flac'] },
  { name: 'silence.mkv', argv: [...picture, ...lavfi('anullsrc=r=44100:cl=stereo:d=4'), ...VIDEO, '-c:a', 'ac3'] },
  { name: 'surround.mkv', argv: [...picture, ...lavfi(CENTRE), ...VIDEO, '-c:a', 'ac3'] },
  { name: 'telephone.mov', argv: [...picture, ...tone(440), ...VIDEO, '-ac', '1', '-ar', '8000', '-c:a', 'pcm_mulaw'] },
  { name: 'quiet.wav', argv: quiet },
  { name: 'plain-peaks.wav', argv: [...lavfi(CLICKS), '-ac', '2'] },
  { name: 'stereo.mp4', argv: [...picture, ...tone(440), ...VIDEO, '-c:a', 'aac', '-ac', '2', '-b:a', '96k'] },
  { name: 'loud.mkv', argv: [...picture, ...lavfi(LOUD), ...VIDEO, '-c:a', 'ac3', '-b:a', '448k'] },
];

const AAC = ['-c:a', 'aac', '-ac', '2', '-b:a', '128k'];
/** Sources for a library that normalises to -16 LUFS. A sine wave of -30 dB in two channels has -30 LUFS. */
const LEVELLED: Source[] = [
  { name: 'soft.wav', argv: [...steady(-8.9), '-ac', '2'] },
  { name: 'loud.wav', argv: [...steady(13.1), '-ac', '2'] },
  { name: 'peaks.wav', argv: [...lavfi(CLICKS), '-ac', '2'] },
  { name: 'soft.mp4', argv: [...picture, ...steady(-8.9), ...VIDEO, ...AAC] },
  { name: 'right.mp4', argv: [...picture, ...steady(5.1), ...VIDEO, ...AAC] },
];

let fixture: WorkerFixture;
let keys: Map<string, MediaKey>;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  const libraryId = await addLibrary(fixture, { encoding: { rungs: [240], normaliseLoudness: false } });
  const levelled = await addLibrary(fixture, { encoding: { rungs: [240], normaliseLoudness: true } });
  await fixture.startWorker();
  keys = new Map([
    ...(await uploadMany(fixture, libraryId, SOURCES)),
    ...(await uploadMany(fixture, levelled, LEVELLED)),
  ]);
}, GROUP_LIMIT_SEC * 1000);
afterAll(() => fixture.stop());

async function checked(name: string): Promise<MediaKey> {
  const key = keyOf(keys, name);
  await requireFinished(fixture, key);
  await checkWhole(fixture, key);
  return key;
}

test('a video without audio has no audio in its playlists', async () => {
  const playlist = await playlistOf(fixture, await checked('no sound.avi'));
  expect(playlist).not.toMatch(/AUDIO|mp4a/);
});

test.each(['podcast.mp3', 'album.flac'])('%s plays as audio only, even with a cover picture', async (name) => {
  const key = await checked(name);
  const playlist = await playlistOf(fixture, key);
  expect(playlist).toMatch(/CODECS="mp4a\.40\.2"/);
  expect(playlist).not.toContain('RESOLUTION');
  expect(share(await samples(await firstFile(fixture, key, 'aac')), 440)).toBeGreaterThan(0.9);
  const { thumbnail_key: thumbnail } = await loadMedia(fixture, key);
  if (thumbnail === null) throw new Error('Expected the cover as thumbnail.');
  const jpeg = path.join(fixture.clips, 'cover.jpg');
  await writeFile(jpeg, await fixture.storage.readBytes(thumbnail, null, forever));
  expect(await fields(jpeg, 'width', 'height')).toEqual(['64', '64']);
});

test('keeps a silent audio track', async () => {
  const key = await checked('silence.mkv');
  const sound = await samples(await firstFile(fixture, key, 'aac'));
  expect(sound.length).toBeGreaterThan(31_000);
  expect(sound.every((sample) => Math.abs(sample) < 0.001)).toBe(true);
});

test('downmixes 5.1 with the centre channel on both sides', async () => {
  const file = await firstFile(fixture, await checked('surround.mkv'), 'aac');
  expect(await fields(file, 'channels', 'sample_rate')).toEqual(['2', '48000']);
  for (const side of ['c0', 'c1']) {
    const sound = await samples(file, `pan=mono|c0=${side}`);
    expect(share(sound, 500)).toBeGreaterThan(0.9);
    expect(Math.max(...sound)).toBeGreaterThan(0.03);
  }
});

test('converts one channel at 8 kHz to two at 48 kHz', async () => {
  const file = await firstFile(fixture, await checked('telephone.mov'), 'aac');
  expect(await fields(file, 'channels', 'sample_rate')).toEqual(['2', '48000']);
  expect(share(await samples(file), 440)).toBeGreaterThan(0.9);
});

/** Returns a hash of each packet of the first audio stream. */
async function packetHashes(file: string): Promise<string[]> {
  const shown = [
    '-select_streams',
    'a:0',
    '-show_entries',
    'packet=data_hash',
    '-show_data_hash',
    'md5',
    '-of',
    'csv=p=0',
  ];
  const { stdout } = await run('ffprobe', ['-v', 'error', ...shown, file]);
  return stdout.split('\n').flatMap((line) => line.split(',').filter((part) => part.startsWith('MD5:')));
}

test('copies AAC-LC of two channels at 48 kHz without its priming', async () => {
  const key = await checked('stereo.mp4');
  const { source_key: original } = await loadMedia(fixture, key);
  if (original === null) throw new Error('Expected an original.');
  const source = path.join(fixture.clips, 'stereo-original.mp4');
  await writeFile(source, await fixture.storage.readBytes(original, null, forever));
  const hashes = await packetHashes(await firstFile(fixture, key, 'aac'));
  expect(hashes.length).toBeGreaterThan(180);
  expect(hashes).toEqual((await packetHashes(source)).slice(1, 1 + hashes.length));
});

test('limits full-scale 5.1 when it is downmixed', async () => {
  const file = await firstFile(fixture, await checked('loud.mkv'), 'aac');
  const { stderr } = await run('ffmpeg', ['-nostdin', '-hide_banner', '-i', file, '-af', 'astats', '-f', 'null', '-']);
  const peaksDb = [...stderr.matchAll(/Peak level dB: (-?[\d.]+)/g)].map((match) => Number(match[1]));
  expect(Math.max(...peaksDb)).toBeLessThanOrEqual(0);
  expect(Math.max(...peaksDb)).toBeGreaterThan(-4);
});

/** Returns integrated loudness in LUFS and true peak in dBTP (EBU R 128). */
async function loudness(file: string): Promise<{ lufs: number; dbtp: number }> {
  const meter = ['-af', 'ebur128=peak=true', '-f', 'null', '-'];
  const { stderr } = await run('ffmpeg', ['-nostdin', '-hide_banner', '-i', file, ...meter], { maxBuffer: 2 ** 24 });
  const last = (pattern: RegExp) => Number([...stderr.matchAll(pattern)].at(-1)?.[1]);
  return { lufs: last(/I:\s+(-[\d.]+) LUFS/g), dbtp: last(/Peak:\s+(-?[\d.]+) dBFS/g) };
}

test.each(['soft.wav', 'loud.wav', 'soft.mp4', 'right.mp4'])(
  'a library with loudness normalisation encodes %s at -16 LUFS',
  async (name) => {
    const { lufs } = await loudness(await firstFile(fixture, await checked(name), 'aac'));
    expect(Math.abs(lufs - -16)).toBeLessThan(1);
  },
);

test('applies one constant gain, reduced if peaks would exceed -1 dBTP', async () => {
  const key = await checked('peaks.wav');
  const before = await firstFile(fixture, await checked('plain-peaks.wav'), 'aac');
  const after = await firstFile(fixture, key, 'aac');
  const { lufs, dbtp } = await loudness(after);
  expect(lufs).toBeLessThan(-20);
  expect(Math.abs(dbtp - -1)).toBeLessThan(0.7);
  const [track] = await listHeardTracks(fixture.database.db, key);
  const factor = 10 ** ((track?.gainDb ?? 0) / 20);
  expect(factor).toBeGreaterThan(1.5);
  const [plain, levelled] = [await samples(before), await samples(after)];
  const error = plain.map((sample, index) => Math.abs(sample * factor - (levelled[index] ?? 0)));
  expect(Math.max(...error)).toBeLessThan(0.1);
});

test('measures every track, and leaves it unchanged without loudness normalisation', async () => {
  const key = await checked('quiet.wav');
  const { lufs, dbtp } = await loudness(await firstFile(fixture, key, 'aac'));
  const [track] = await listHeardTracks(fixture.database.db, key);
  expect(track?.gainDb).toBe(0);
  expect(lufs).toBeLessThan(-24);
  expect(Math.abs((track?.loudness?.integratedLufs ?? 0) - lufs)).toBeLessThan(1);
  expect(Math.abs((track?.loudness?.truePeakDbtp ?? 0) - dbtp)).toBeLessThan(0.7);
  const [copied] = await listHeardTracks(fixture.database.db, await checked('stereo.mp4'));
  expect(copied?.loudness?.integratedLufs).toBeLessThan(-20);
  const [silent] = await listHeardTracks(fixture.database.db, await checked('silence.mkv'));
  expect(silent?.loudness).toMatchObject({ integratedLufs: null, rangeLu: 0 });
  expect(silent?.loudness?.truePeakDbtp ?? -Infinity).toBeLessThan(-90);
});

test('copies AAC that needs no gain even with loudness normalisation', async () => {
  const ofSource = async (name: string) => {
    const key = await checked(name);
    const { source_key: original } = await loadMedia(fixture, key);
    if (original === null) throw new Error('Expected an original.');
    const source = path.join(fixture.clips, `original-${name}`);
    await writeFile(source, await fixture.storage.readBytes(original, null, forever));
    const kept = new Set(await packetHashes(source));
    const hashes = await packetHashes(await firstFile(fixture, key, 'aac'));
    return hashes.filter((hash) => kept.has(hash)).length / hashes.length;
  };
  expect(await ofSource('right.mp4')).toBeGreaterThan(0.95);
  expect(await ofSource('soft.mp4')).toBeLessThan(0.05);
});
