import Hls, { type Level } from 'hls.js';
import { isWorthRaising, type Piece } from '../line/is-worth-raising.ts';
import { chooseStartLevel, highestAllowed, highestShown, type PlayerSize, type Rung } from '../line/start-level.ts';
import type { Opening } from './hls-options.ts';
import { keepRungOnJump } from './keep-rung-on-jump.ts';

/** Maximum size of the first segment of a video that may never be played. */
const MAX_PRELOAD_BYTES = 700_000;
/** Buffer of such a video. The segment that contains it is fetched as a whole. */
const PRELOADED = { maxBufferLength: 0.1, maxBufferSize: 0 };

/**
 * Starts with the rung for this connection and this size of the player. If the connection needs no care, buffered
 * segments are later fetched again in higher rungs.
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
 * Fetches buffered segments again as soon as the connection sustains a higher rung that the player's size shows. hls.js
 * itself keeps the lower ones and continues behind them.
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
    // Removes the segments that can be replaced in time, and continues with automatic selection in their place.
    hls.nextLevel = -1;
  });
}

/** Fetches one segment, and continues once playback is requested. */
function limitUntilPlayed({ config }: Hls, video: HTMLVideoElement): void {
  const { maxBufferLength, maxBufferSize } = config;
  Object.assign(config, PRELOADED);
  video.addEventListener('play', () => Object.assign(config, { maxBufferLength, maxBufferSize }), { once: true });
}

function toRung({ width, height, averageBitrate, maxBitrate }: Level): Rung {
  return { widthPx: width, heightPx: height, averageBps: averageBitrate, peakBps: maxBitrate };
}

/** Returns the size of the player in device pixels. One that is not laid out has the size of its page. */
function sizeOf({ clientWidth, clientHeight }: HTMLVideoElement): PlayerSize {
  const ratio = window.devicePixelRatio;
  return { widthPx: (clientWidth || innerWidth) * ratio, heightPx: (clientHeight || innerHeight) * ratio };
}
