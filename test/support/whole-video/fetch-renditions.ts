import { setTimeout as sleep } from 'node:timers/promises';
import { parse, type types } from 'hls-parser';
import { expect } from 'vitest';
import { checkPlaylist } from '../rfc8216/check-playlist.ts';
import { readSegmentTimes, readTimescale, type SegmentTimes } from './read-moof.ts';

export type FetchedSegment = { uri: string; extinfSec: number; bytes: Buffer; times: SegmentTimes };

/** A rendition as a player gets it: the playlist's claims and all bytes. */
export type FetchedRendition = {
  kind: 'video' | 'audio';
  url: string;
  init: Buffer;
  timescale: number;
  targetDurationSec: number;
  segments: FetchedSegment[];
};

export type FetchedVariant = {
  bandwidth: number;
  averageBandwidth: number;
  codecs: string[];
  resolution: { width: number; height: number } | null;
  frameRate: number | null;
  rendition: FetchedRendition;
  /** URLs of the renditions of its audio group. */
  audioUrls: string[];
};

export type FetchedVideo = { variants: FetchedVariant[]; audio: FetchedRendition[] };

/** `mayBeAway`: the service was just disrupted, so requests that get a 503 are retried. */
export type FetchOptions = { mayBeAway?: boolean };

type Get = (url: string) => Promise<Buffer>;

const AWAY_TRIES = 20;

/** Fetches a finished video as a player does, only from its playlists, and checks each playlist against RFC 8216. */
export async function fetchRenditions(
  playlistUrl: string,
  { mayBeAway = false }: FetchOptions = {},
): Promise<FetchedVideo> {
  const get = (url: string) => getBytes(url, mayBeAway ? AWAY_TRIES : 0);
  const multivariant = parseStrictly(await textOf(get, playlistUrl));
  if (!multivariant.isMasterPlaylist) throw new Error('Expected a multivariant playlist.');
  const variants = (multivariant as types.MasterPlaylist).variants.filter(({ isIFrameOnly }) => !isIFrameOnly);
  const audioUris = new Set(variants.flatMap(({ audio }) => audio.map(({ uri }) => uri)));
  const audio = await inTurn([...audioUris], (uri) => fetchRendition(get, 'audio', resolve(uri, playlistUrl)));
  const fetched = await inTurn(variants, async (variant): Promise<FetchedVariant> => {
    const kind = variant.resolution === undefined ? 'audio' : 'video';
    return {
      bandwidth: variant.bandwidth,
      averageBandwidth: variant.averageBandwidth ?? 0,
      codecs: variant.codecs?.split(',') ?? [],
      resolution: variant.resolution ?? null,
      frameRate: variant.frameRate ?? null,
      rendition: await fetchRendition(get, kind, resolve(variant.uri, playlistUrl)),
      audioUrls: variant.audio.map(({ uri }) => resolve(uri, playlistUrl)),
    };
  });
  return { variants: fetched, audio };
}

async function fetchRendition(get: Get, kind: 'video' | 'audio', url: string): Promise<FetchedRendition> {
  const text = await textOf(get, url);
  const playlist = parseStrictly(text);
  if (playlist.isMasterPlaylist) throw new Error('Expected a media playlist.');
  const media = playlist as types.MediaPlaylist;
  expect({ url, end: media.endlist, type: media.playlistType }).toEqual({ url, end: true, type: 'VOD' });
  const extinfSec = [...text.matchAll(/^#EXTINF:([\d.]+),/gm)].map((match) => Number(match[1]));
  const map = media.segments[0]?.map?.uri;
  const init = await get(resolve(map, url));
  const segments = await inTurn(media.segments, async ({ uri }, index) => {
    const bytes = await get(resolve(uri, url));
    return { uri: resolve(uri, url), extinfSec: extinfSec[index] ?? 0, bytes, times: readSegmentTimes(bytes) };
  });
  return { kind, url, init, timescale: readTimescale(init), targetDurationSec: media.targetDuration, segments };
}

function parseStrictly(text: string): types.MasterPlaylist | types.MediaPlaylist {
  expect(checkPlaylist(text)).toEqual([]);
  return parse(text);
}

function resolve(uri: string | undefined, base: string): string {
  if (uri === undefined) throw new Error(`Expected a URL in ${base}.`);
  return new URL(uri, base).href;
}

async function textOf(get: Get, url: string): Promise<string> {
  return (await get(url)).toString('utf8');
}

/** Fetches bytes. If an outage is expected, retries a bounded number of times, as players do. */
async function getBytes(url: string, triesLeft: number): Promise<Buffer> {
  const response = await fetch(url);
  const bytes = Buffer.from(await response.arrayBuffer());
  const againSec = response.headers.get('retry-after');
  if (response.status === 503 && againSec !== null && triesLeft > 0) {
    await sleep(Number(againSec) * 1000);
    return getBytes(url, triesLeft - 1);
  }
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${bytes.toString('utf8', 0, 300)}`);
  if (bytes.length === 0) throw new Error(`${url} is empty.`);
  return bytes;
}

async function inTurn<T, U>(items: readonly T[], action: (item: T, index: number) => Promise<U>): Promise<U[]> {
  const answers: U[] = [];
  for (const [index, item] of items.entries()) answers.push(await action(item, index));
  return answers;
}
