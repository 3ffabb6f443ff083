import type { PlaylistTag } from './playlist.ts';

/** Timescale below which microseconds distinguish any two ticks. */
const MICROSECOND_TIMESCALE_LIMIT = 400_000;

type Timed = { startTick: number; endTick: number; uri: string };

/**
 * Writes the segments of a playlist (RFC 8216 section 4.3.2.1). Each EXTINF is the difference of two rounded times, so
 * that sums never drift from the ticks.
 */
export function timedSegments(timescale: number, segments: readonly Timed[]): PlaylistTag[] {
  const decimals = timescale < MICROSECOND_TIMESCALE_LIMIT ? 6 : 9;
  const timeOf = (tick: number) => Number((tick / timescale).toFixed(decimals));
  return segments.map(({ startTick, endTick, uri }) => {
    return { tag: 'segment', durationSec: timeOf(endTick) - timeOf(startTick), decimals, uri };
  });
}
