import Hls, { type Level } from 'hls.js';
import { isWorthRaising, type Piece } from '../line/is-worth-raising.ts';
import { chooseStartLevel, highestAllowed, highestShown, type PlayerSize, type Rung } from '../line/start-level.ts';
import type { Opening } from './hls-options.ts';
import { keepRungOnJump } from './keep-rung-on-jump.ts';

/**
 * Maximum size, in bytes, of the first segment of a video that is loaded before playback is requested. With the page,
 * the poster and two segments of audio, the total stays below 1 MB.
 */
const MAX_PRELOAD_BYTES = 550_000;
/** Buffer limits before playback is requested. hls.js fetches whole segments, so it fetches one segment. */
const PRELOADED = { maxBufferLength: 0.1, maxBufferSize: 0 };

/**
 * Starts with the rung that suits the connection and the size of the player. Unless the connection is metered or the
 * viewer saves data, buffered segments are later replaced by higher rungs.
 */
export function followLine(hls: Hls, video: HTMLVideoElement, { readLine, isLive, buffersPaused }: Opening): void {
  const isLimited = !isLive && !buffersPaused && video.paused && video.played.length === 0;
  if (isLimited) limitUntilPlayed(hls, video);
  if (!isLive) keepRungOnJump(hls, video);
  hls.once(Hls.Events.MANIFEST_PARSED, () => {
    const [line, rungs] = [readLine(), hls.levels.map(toRung)];
    if (line.bps !== null) hls.bandwidthEstimate = line.bps;
    hls.startLevel = chooseStartLevel(rungs, {
      ...{ line, size: sizeOf(video) },
      maxBytes: isLimited && video.paused ? MAX_PRELOAD_BYTES : undefined,
    });
    hls.autoLevelCapping = highestAllowed(rungs, line);
    if (!isLive && line.care === 'none') raiseBuffered(hls, video);
  });
}

/**
 * Replaces buffered segments as soon as the connection sustains a higher rung that is useful at the player's size.
 * hls.js itself keeps the lower segments and uses the higher rung only after them.
 */
function raiseBuffered(hls: Hls, video: HTMLVideoElement): void {
  const pieces = new Map<number | string, Piece>();
  hls.on(Hls.Events.FRAG_BUFFERED, (_, { frag }) => {
    if (frag.type !== 'main' || frag.sn === 'initSegment') return;
    pieces.set(frag.sn, { startSec: frag.start, endSec: frag.end, level: frag.level });
    if (!hls.autoLevelEnabled || hls.levels[frag.level]?.details?.live !== false) return;
    const highest = highestShown(hls.levels.map(toRung), sizeOf(video));
    const level = Math.min(hls.nextAutoLevel, highest);
    const peakBps = hls.levels[level]?.maxBitrate;
    if (peakBps === undefined) return;
    const { currentTime: atSec, playbackRate: rate } = video;
    const ahead = [...pieces.values()].filter(({ endSec }) => endSec > atSec);
    if (!isWorthRaising(ahead, { atSec, rate, level, peakBps, lineBps: hls.bandwidthEstimate })) return;
    pieces.clear();
    // Remove the segments that can be replaced in time, and fetch them again with automatic selection.
    hls.nextLevel = -1;
  });
}

/** Limits the buffer to one segment until playback is requested. */
function limitUntilPlayed({ config }: Hls, video: HTMLVideoElement): void {
  const { maxBufferLength, maxBufferSize } = config;
  Object.assign(config, PRELOADED);
  video.addEventListener('play', () => Object.assign(config, { maxBufferLength, maxBufferSize }), { once: true });
}

function toRung({ width, height, averageBitrate, maxBitrate }: Level): Rung {
  return { widthPx: width, heightPx: height, averageBps: averageBitrate, peakBps: maxBitrate };
}

/** Returns the size of the player in device pixels. If the player has no layout, returns the size of the page. */
function sizeOf({ clientWidth, clientHeight }: HTMLVideoElement): PlayerSize {
  const ratio = window.devicePixelRatio;
  return { widthPx: (clientWidth || innerWidth) * ratio, heightPx: (clientHeight || innerHeight) * ratio };
}
