import type { HlsKey } from '../drm/signalling/hls-key.ts';
import { averageOfSegments, peakOfWindows } from '../presentation/peak-of-windows.ts';
import { type IFrame, iFrameSizeBytes } from './i-frame.ts';
import { type PlaylistTag, writePlaylist } from './playlist.ts';
import { timedSegments } from './timed-segments.ts';

/** I-frames of a rendition from its start, in order of time. */
export type IFrameRun = {
  timescale: number;
  frames: readonly IFrame[];
  /** Whether the run is complete. */
  isWhole: boolean;
};

/** Bits per second of the I-frame segments, rounded up. */
export type IFrameRates = { peakBps: number; averageBps: number };

/**
 * Writes an I-frame playlist (RFC 8216 section 4.3.3.6). `folder` is the relative URL of the rendition's folder, empty
 * or ending with `/`. The URL of an I-frame is `i/{startTick}.m4s` in it, which stays valid when chunks are merged.
 * `keys` (EXT-X-KEY) follow the map. Throws for an empty run.
 */
export function writeIFramePlaylist(run: IFrameRun, folder: string, keys: readonly HlsKey[] = []): string {
  const tags: PlaylistTag[] = [
    { tag: 'version', version: 7 },
    { tag: 'target-duration', sec: targetDurationSec(run) },
    { tag: 'media-sequence', number: 0 },
    { tag: 'playlist-type', type: run.isWhole ? 'VOD' : 'EVENT' },
    { tag: 'i-frames-only' },
    { tag: 'map', uri: `${folder}init.mp4` },
    ...keys.map((key): PlaylistTag => ({ tag: 'key', key })),
  ];
  const segments = run.frames.map(({ startTick, durationTicks }) => {
    return { startTick, endTick: startTick + durationTicks, uri: `${folder}${iFrameAddress(startTick)}` };
  });
  tags.push(...timedSegments(run.timescale, segments));
  if (run.isWhole) tags.push({ tag: 'end-list' });
  return writePlaylist(tags);
}

/** Returns the URL of an I-frame relative to its rendition's folder. */
export function iFrameAddress(startTick: number): string {
  return `i/${startTick}.m4s`;
}

/** Returns the bit rates of an I-frame playlist. A single briefly shown frame does not determine the peak. */
export function computeIFrameRates(run: IFrameRun): IFrameRates {
  const pictures = run.frames.map((frame) => {
    return { bytes: iFrameSizeBytes(frame), sec: frame.durationTicks / run.timescale };
  });
  return { peakBps: peakOfWindows(pictures, targetDurationSec(run)), averageBps: averageOfSegments(pictures) };
}

function targetDurationSec({ frames, timescale }: IFrameRun): number {
  if (frames.length === 0) throw new Error('Expected at least one frame in an I-frame playlist, got none.');
  const longestTicks = frames.reduce((longest, frame) => Math.max(longest, frame.durationTicks), 0);
  return Math.max(1, Math.round(longestTicks / timescale));
}
