import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { createPublicationStore } from '../../src/catalog/publications/publication-store.ts';
import { writeMultivariant } from '../../src/media/hls/multivariant.ts';
import { chooseListedSet } from '../../src/media/presentation/listed-set.ts';
import { loadChunks, loadRenditions, type WorkerFixture } from '../jobs/worker-fixture.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';

const run = promisify(execFile);
const forever = new AbortController().signal;

export type RenditionRow = Awaited<ReturnType<typeof loadRenditions>>[number];

/** Assembles the active renditions of a video as files, each with its init segment and its chunks. */
export async function renditionFiles(
  fixture: WorkerFixture,
  key: MediaKey,
): Promise<{ row: RenditionRow; file: string }[]> {
  const chunks = await loadChunks(fixture, key);
  const files: { row: RenditionRow; file: string }[] = [];
  for (const row of await loadRenditions(fixture, key)) {
    if (!row.active) continue;
    const parts = [row.init ?? Buffer.alloc(0)];
    for (const chunk of chunks.filter(({ rendition_id: id }) => id === row.id)) {
      parts.push(await fixture.storage.readBytes(chunk.storage_key, null, forever));
    }
    const file = path.join(fixture.clips, `${row.id}.mp4`);
    await writeFile(file, Buffer.concat(parts));
    files.push({ row, file });
  }
  return files;
}

/** Returns the file of the first rendition with this codec. Throws if there is none. */
export async function firstFile(fixture: WorkerFixture, key: MediaKey, codec: string): Promise<string> {
  const found = (await renditionFiles(fixture, key)).find(({ row }) => row.codec === codec);
  if (found === undefined) throw new Error(`Expected a rendition of ${codec}, found none.`);
  return found.file;
}

/** Returns ffprobe's fields for the first stream of a file, in the given order. */
export async function fields(file: string, ...names: string[]): Promise<string[]> {
  const shown = ['-show_entries', `stream=${names.join(',')}`, '-of', 'default=nw=1'];
  const { stdout } = await run('ffprobe', ['-v', 'error', ...shown, file]);
  const all = new Map(stdout.split('\n').map((line) => [line.split('=')[0] ?? '', line.split('=')[1] ?? '']));
  return names.map((name) => all.get(name) ?? '');
}

/**
 * Returns presentation times of keyframes in seconds after the first frame, because ffmpeg shifts a whole track with
 * negative composition offsets.
 */
export async function keyframes(file: string): Promise<number[]> {
  const shown = ['-show_entries', 'packet=pts_time,flags', '-of', 'csv=p=0'];
  const { stdout } = await run('ffprobe', ['-v', 'error', ...shown, file]);
  const times = stdout.split('\n').flatMap((line) => (/,K/.test(line) ? [Number(line.split(',')[0])] : []));
  return times.map((sec) => sec - Math.min(...times)).sort((a, b) => a - b);
}

type Lit = { sec: number; luma: number };

/** Returns each decoded frame: its time after the first one, and its mean brightness (0 to 255) after a filter. */
export async function brightness(file: string, filter = 'null'): Promise<Lit[]> {
  const argv = ['-nostdin', '-hide_banner', '-i', file, ...brightnessArgv(filter)];
  const { stderr } = await run('ffmpeg', argv, { maxBuffer: 2 ** 26 });
  return readBrightness(stderr);
}

function brightnessArgv(filter: string): string[] {
  const graph = `${filter},scale=1:1:flags=area,format=gray,showinfo`;
  return ['-map', '0:v:0', '-vf', graph, '-fps_mode', 'passthrough', '-f', 'null', '-'];
}

function readBrightness(stderr: string): Lit[] {
  const shown = [...stderr.matchAll(/ pts_time:(-?[\d.]+) .* mean:\[(\d+)\]/g)];
  const firstSec = Number(shown[0]?.[1]);
  return shown.map((match) => ({ sec: Number(match[1]) - firstSec, luma: Number(match[2]) }));
}

/** Returns the audio of a file as one channel of floats at 8 kHz, from presentation time 0. */
export async function samples(file: string, filter = 'anull'): Promise<Float32Array> {
  const argv = ['-nostdin', '-v', 'error', '-i', file, ...samplesArgv('0:a:0', filter)];
  const { stdout } = await run('ffmpeg', argv, { encoding: 'buffer', maxBuffer: 2 ** 28 });
  return new Float32Array(new Uint8Array(stdout).buffer);
}

function samplesArgv(stream: string, filter: string): string[] {
  const graph = `${filter},aresample=8000:async=1:first_pts=0`;
  return ['-map', stream, '-af', graph, '-ac', '1', '-f', 'f32le', '-'];
}

/**
 * Returns the brightness of one file's frames and the audio of another. One process decodes both, because starting one
 * is expensive.
 */
export async function brightnessAndSamples(
  picture: string,
  sound: string,
): Promise<{ pictures: Lit[]; sound: Float32Array }> {
  const inputs = ['-nostdin', '-hide_banner', '-i', picture, '-i', sound];
  const argv = [...inputs, ...brightnessArgv('null'), ...samplesArgv('1:a:0', 'anull')];
  const { stdout, stderr } = await run('ffmpeg', argv, { encoding: 'buffer', maxBuffer: 2 ** 28 });
  return { pictures: readBrightness(stderr.toString()), sound: new Float32Array(new Uint8Array(stdout).buffer) };
}

/** Returns the multivariant playlist of a video, after it passed the checker. */
export async function playlistOf(fixture: WorkerFixture, key: MediaKey): Promise<string> {
  const publication = await createPublicationStore(fixture.database.db).load(key, null);
  const playlist = writeMultivariant(chooseListedSet(publication?.renditions ?? []), 10);
  expect(checkPlaylist(playlist)).toEqual([]);
  return playlist;
}

/** Returns the fraction of the audio's power that a tone has, 0 to 1. */
export function share(sound: Float32Array, hz: number): number {
  let [re, im, power] = [0, 0, 0];
  sound.forEach((sample, index) => {
    re += sample * Math.cos((2 * Math.PI * hz * index) / 8000);
    im += sample * Math.sin((2 * Math.PI * hz * index) / 8000);
    power += sample * sample;
  });
  return power === 0 ? 0 : (2 * (re * re + im * im)) / (sound.length * power);
}
