import Hls, { type ErrorData } from 'hls.js';
import { type Fault, segmentOf } from './recovery.ts';

const NOT_FOUND = [404, 410];
const DECODED_AHEAD_SEC = 0.25;
const MISSING_TRIES = 2;

/**
 * Classifies an error of hls.js at a playback position: a fault of the connection or of the decoder, with its segment.
 */
export function faultOf(hls: Hls, { type, response, frag }: ErrorData, sec: number): Fault {
  if (type !== Hls.ErrorTypes.MEDIA_ERROR) {
    const isMissing = frag !== undefined && isNotFound(response);
    return { kind: 'line', segment: isMissing ? segmentOf(frag, hls.latestLevelDetails) : null };
  }
  // The decoder is slightly ahead of the displayed frame.
  const atSec = sec + DECODED_AHEAD_SEC;
  const details = hls.levels[hls.currentLevel]?.details ?? null;
  const broken = details?.fragments.find(({ start, end }) => start <= atSec && atSec < end);
  return { kind: 'media', segment: broken === undefined ? null : segmentOf(broken, details) };
}

/**
 * Returns whether a segment was missing repeatedly, in all rungs. Without this check, hls.js would keep requesting it
 * for half a minute.
 */
export function staysMissing({ frag, response, errorAction }: ErrorData): boolean {
  const { retryCount = 0, nextAutoLevel } = errorAction ?? {};
  return frag !== undefined && isNotFound(response) && nextAutoLevel === undefined && retryCount + 1 >= MISSING_TRIES;
}

function isNotFound(response: ErrorData['response']): boolean {
  return NOT_FOUND.includes(response?.code ?? 0);
}
