import { expect } from 'vitest';
import type { Service } from '../service.ts';
import { FINISHED, getVideo, playlistUrl } from '../videos.ts';
import { checkRates } from './check-rates.ts';
import { type DecodedSegment, decodeSegment } from './decode-segment.ts';
import { type FetchedRendition, type FetchedVariant, type FetchOptions, fetchRenditions } from './fetch-renditions.ts';

const SYNC_LIMIT_SEC = 0.04;

/** A video as viewers get it, fully checked. Times are in seconds. */
export type WholeVideo = {
  /** Short sides of the video variants, highest first. */
  rungs: number[];
  videoEndSec: number | null;
  audioEndSec: number | null;
  frames: number;
  frameSec: number;
  segments: number;
};

/**
 * Checks over HTTP, as a player would, everything that a finished video promises: playlists that conform to RFC 8216
 * and state true values, segments that decode alone and without warnings from a keyframe, the same cuts in all video
 * renditions, durations without drift or gaps, audio that begins at 0 and ends with the video.
 */
export async function checkWholeVideo(service: Service, guid: string, options: FetchOptions = {}): Promise<WholeVideo> {
  const video = await getVideo(service, guid);
  expect(video).toMatchObject({ status: FINISHED, encodeProgress: 100 });
  const { variants, audio } = await fetchRenditions(playlistUrl(service, guid), options);
  const pictures = variants.filter(({ rendition }) => rendition.kind === 'video');
  const sounds = [...audio, ...variants.map(({ rendition }) => rendition).filter(({ kind }) => kind === 'audio')];
  for (const { rendition } of pictures) checkTimes(rendition);
  for (const sound of sounds) checkTimes(sound);
  checkOneCutList(pictures.map(({ rendition }) => rendition));
  for (const variant of variants) checkRates(variant, audio);
  for (const sound of sounds) await checkDecodes(sound);
  for (const variant of pictures) checkPicture(variant, await checkDecodes(variant.rendition));
  const whole = summarise(pictures, sounds);
  expect(namedRungs(video.availableResolutions)).toEqual(whole.rungs);
  if (whole.videoEndSec !== null && whole.audioEndSec !== null) {
    expect(Math.abs(whole.videoEndSec - whole.audioEndSec)).toBeLessThanOrEqual(SYNC_LIMIT_SEC);
  }
  return whole;
}

/** Composition offsets include this delay, and the edit list of the init segment subtracts it. */
const PRESENTATION_DELAY_SEC = 0.2;

/**
 * Checks that segments follow each other from 0 without gaps or overlaps, and that each EXTINF is the true length of
 * its segment.
 */
function checkTimes({ url, segments, timescale, targetDurationSec }: FetchedRendition): void {
  let nextTick = 0;
  let sumSec = 0;
  for (const { uri, times, extinfSec } of segments) {
    expect({ uri, beginsAt: times.baseTick, firstOffset: times.firstCtsTicks }).toEqual({
      uri,
      beginsAt: nextTick,
      firstOffset: Math.round(PRESENTATION_DELAY_SEC * timescale),
    });
    nextTick += times.durationTicks;
    sumSec += extinfSec;
    expect(Math.abs(extinfSec * timescale - times.durationTicks), `EXTINF of ${uri}`).toBeLessThanOrEqual(1);
    expect(Math.round(extinfSec)).toBeLessThanOrEqual(targetDurationSec);
  }
  expect(Math.abs(sumSec - nextTick / timescale), `sum of EXTINF of ${url}`).toBeLessThan(1e-5);
}

/** Players switch at any segment, so each segment must begin on the same tick in every rendition. */
function checkOneCutList(renditions: readonly FetchedRendition[]): void {
  const cuts = renditions.map(({ timescale, segments }) => ({
    timescale,
    startTicks: segments.map(({ times }) => times.baseTick),
    frames: segments.map(({ times }) => times.samples),
    endTick: endTick(segments),
  }));
  for (const cut of cuts) expect(cut).toEqual(cuts[0]);
}

async function checkDecodes(rendition: FetchedRendition): Promise<DecodedSegment[]> {
  const decoded: DecodedSegment[] = [];
  for (const { uri, bytes, times } of rendition.segments) {
    const segment = await decodeSegment(rendition.init, bytes);
    expect({ uri, ...segment, stream: null }).toEqual({
      uri,
      warnings: '',
      isFirstKey: true,
      frames: times.samples,
      stream: null,
    });
    expect(segment.stream.codec_type).toBe(rendition.kind);
    decoded.push(segment);
  }
  return decoded;
}

function checkPicture({ resolution, frameRate, rendition }: FetchedVariant, decoded: readonly DecodedSegment[]): void {
  for (const { stream } of decoded) {
    expect({ width: stream.width, height: stream.height }).toEqual(resolution);
  }
  const frames = decoded.reduce((sum, segment) => sum + segment.frames, 0);
  const { segments, timescale } = rendition;
  const slowest = (frames * timescale) / endTick(segments);
  const fastest = timescale / Math.min(...segments.map(({ times }) => times.shortestTicks));
  // FRAME-RATE is the constant rate, or a value between the mean and the maximum rate if the rate is variable.
  expect(frameRate, 'FRAME-RATE').toBeGreaterThan(slowest - 0.002);
  expect(frameRate, 'FRAME-RATE').toBeLessThan(fastest + 0.002);
}

function summarise(pictures: readonly FetchedVariant[], sounds: readonly FetchedRendition[]): WholeVideo {
  const first = pictures[0]?.rendition;
  const frames = first?.segments.reduce((sum, { times }) => sum + times.samples, 0) ?? 0;
  const videoEndSec = first === undefined ? null : endTick(first.segments) / first.timescale;
  const soundEnds = sounds.map((sound) => endTick(sound.segments) / sound.timescale);
  return {
    rungs: pictures.map(({ resolution }) => Math.min(resolution?.width ?? 0, resolution?.height ?? 0)).sort(descending),
    videoEndSec,
    audioEndSec: soundEnds.length === 0 ? null : Math.max(...soundEnds),
    frames,
    frameSec: videoEndSec === null || frames === 0 ? 0 : videoEndSec / frames,
    segments: first?.segments.length ?? sounds[0]?.segments.length ?? 0,
  };
}

function endTick(segments: FetchedRendition['segments']): number {
  const last = segments.at(-1);
  return last === undefined ? 0 : last.times.baseTick + last.times.durationTicks;
}

function namedRungs(availableResolutions: string): number[] {
  const names = availableResolutions === '' ? [] : availableResolutions.split(',');
  return names.map((name) => Number.parseInt(name, 10)).sort(descending);
}

function descending(a: number, b: number): number {
  return b - a;
}
