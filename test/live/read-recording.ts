import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readNumbers } from '../soak/players/measure-recording.ts';
import { type ListedMedia, readLivePlaylist } from '../support/rfc8216/live/read-live-playlist.ts';
import { readText } from './live-service.ts';

/** Live playlists and those of videos have different numbers of decimals. */
const ROUNDING_SEC = 0.0001;

/** Returns the URL of the first video media playlist. Throws if there is none. */
export async function mediaPlaylistOf(base: string): Promise<string> {
  const multivariant = (await readText(`${base}/playlist.m3u8`)) ?? '';
  const found = /^r\/.*\.m3u8$/m.exec(multivariant)?.[0];
  if (found === undefined) throw new Error(`Expected a media playlist of ${base}.`);
  return `${base}/${found}`;
}

/** Returns the URLs of the video variants of a multivariant playlist, without the audio-only variant. */
export function videoAddressesOf(multivariant: string): string[] {
  return [...multivariant.matchAll(/^#EXT-X-STREAM-INF:.*RESOLUTION=.*\n(r\/.*)$/gm)].map(
    ([, address]) => address ?? '',
  );
}

/** Reads the first video media playlist. Returns null while there is none, for polling. */
export async function readMedia(base: string): Promise<string | null> {
  const address = await mediaPlaylistOf(base).catch(() => null);
  return address === null ? null : readText(address);
}

/** Returns the whole segments of a playlist, without gaps. */
export function segmentsOf(text: string): ListedMedia[] {
  return readLivePlaylist(text).media.filter(({ uri, isGap }) => uri !== null && !isGap);
}

/** Counts the segments of a stream so far, including those that left its window. */
export async function countSegments(base: string): Promise<number> {
  const last = segmentsOf((await readMedia(base)) ?? '#EXTM3U\n').at(-1);
  return last === undefined ? 0 : last.sequence + 1;
}

/**
 * Decodes each period of a media playlist and returns the numbers shown by its frames, as runs that rise by one. Each
 * publisher of a numbered clip is one run from 0 on. A lost or duplicated frame splits a run.
 */
export async function readRuns(address: string): Promise<{ from: number; to: number }[]> {
  const runs: { from: number; to: number }[] = [];
  for (const numbers of await readPeriods(address, readNumbers)) addRuns(runs, numbers);
  return runs;
}

/** Writes each period of a media playlist to a file, and returns the results of `read`. */
export async function readPeriods<T>(address: string, read: (file: string) => Promise<T>): Promise<T[]> {
  const text = (await readText(address)) ?? '';
  const periods = Map.groupBy(segmentsOf(text), ({ map }) => map);
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-recording-'));
  const answers: T[] = [];
  try {
    for (const [map, segments] of periods) {
      const file = path.join(folder, 'period.mp4');
      const uris = [map ?? '', ...segments.map(({ uri }) => uri ?? '')];
      await writeFile(file, Buffer.concat(await Promise.all(uris.map((uri) => fetchBytes(new URL(uri, address))))));
      answers.push(await read(file));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return answers;
}

/** Returns segments that viewers received and that are missing from the recording, or have a different length there. */
export function missingOf(address: string, live: string, recording: string): string[] {
  const pathOf = ({ uri }: ListedMedia) => new URL(uri ?? '', address).pathname;
  const recorded = new Map(segmentsOf(recording).map((segment) => [pathOf(segment), segment]));
  const missing = segmentsOf(live).filter((segment) => {
    const same = recorded.get(pathOf(segment));
    return Math.abs((same?.durationSec ?? Number.POSITIVE_INFINITY) - (segment.durationSec ?? 0)) > ROUNDING_SEC;
  });
  return missing.map((segment) => `${pathOf(segment)} of ${segment.durationSec} s`);
}

async function fetchBytes(address: URL): Promise<Buffer> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`Expected ${address} to be there, got ${response.status}.`);
  return Buffer.from(await response.arrayBuffer());
}

function addRuns(runs: { from: number; to: number }[], numbers: readonly (number | null)[]): void {
  for (const number of numbers) {
    if (number === null) throw new Error('Expected each frame to show a number.');
    const run = runs.at(-1);
    if (run !== undefined && number === run.to + 1) run.to = number;
    else runs.push({ from: number, to: number });
  }
}
