import type { HlsKey } from '../drm/signalling/hls-key.ts';
import { runLength, type SegmentRun } from '../presentation/segment-run.ts';
import { type PlaylistTag, writePlaylist } from './playlist-tags.ts';
import { timedSegments } from './timed-segments.ts';

/** Times that are further from what durations say are named anew. */
const CLOCK_STEP_MS = 1;

/** Relative address of the rendition's own folder, empty or ending in `/`; EXT-X-KEY; EXT-X-TARGETDURATION. */
export type MediaPlaylistPlace = { folder: string; keys?: readonly HlsKey[]; targetSec: number };

/** Segments from `first` up to `end`, excluded; `wallMs` is when one was taken that begins at `sec` of the timeline. */
export type SegmentSpan = { first: number; end: number; wallMs(sec: number): number | null };

/**
 * Writes a media playlist (RFC 8216 section 4.3.3). A whole run is VOD with an end; a
 * growing one is EVENT and starts at 0, because players else begin at its live edge. A `span` of a recording is listed
 * under the numbers that its segments have, with EXT-X-PROGRAM-DATE-TIME.
 */
export function writeMediaPlaylist(
  run: SegmentRun,
  { folder, keys = [], targetSec }: MediaPlaylistPlace,
  span: SegmentSpan = { first: 0, end: runLength(run), wallMs: () => null },
): string {
  const isWhole = run.isWhole || span.end < runLength(run);
  const tags: PlaylistTag[] = [
    { tag: 'version', version: 7 },
    { tag: 'target-duration', sec: targetSec },
    { tag: 'media-sequence', number: span.first },
    { tag: 'playlist-type', type: isWhole ? 'VOD' : 'EVENT' },
    { tag: 'independent-segments' },
  ];
  if (!isWhole) tags.push({ tag: 'start', offsetSec: 0 });
  tags.push({ tag: 'map', uri: `${folder}init.mp4` });
  for (const key of keys) tags.push({ tag: 'key', key });
  const origin = run.boundaryTicks[span.first] ?? 0;
  const tickOf = (segment: number) => (run.boundaryTicks[segment] ?? 0) - origin;
  const end = Math.min(span.end, runLength(run));
  const segments = Array.from({ length: end - span.first }, (_, at) => {
    const segment = span.first + at;
    return { startTick: tickOf(segment), endTick: tickOf(segment + 1), uri: `${folder}${segment}.m4s` };
  });
  const times = segments.map(({ startTick }) => span.wallMs((startTick + origin) / run.timescale));
  for (const [at, segment] of timedSegments(run.timescale, segments).entries()) {
    const timeMs = times[at] ?? null;
    if (timeMs !== null && isStep(segments, times, { at, timescale: run.timescale })) {
      tags.push({ tag: 'program-date-time', timeMs: Math.round(timeMs) });
    }
    tags.push(segment);
  }
  if (isWhole) tags.push({ tag: 'end-list' });
  return writePlaylist(tags);
}

/** Whether a segment was taken at another time than the durations before it say. */
function isStep(
  segments: readonly { startTick: number }[],
  times: readonly (number | null)[],
  { at, timescale }: { at: number; timescale: number },
): boolean {
  const [before, now] = [times[at - 1] ?? null, times[at] ?? null];
  if (before === null || now === null) return true;
  const durationMs = (((segments[at]?.startTick ?? 0) - (segments[at - 1]?.startTick ?? 0)) * 1000) / timescale;
  return Math.abs(now - before - durationMs) > CLOCK_STEP_MS;
}
