import type { HlsKey } from '../drm/signalling/hls-key.ts';
import { runLength, type SegmentRun } from '../presentation/segment-run.ts';
import { type PlaylistTag, writePlaylist } from './playlist.ts';
import { timedSegments } from './timed-segments.ts';

/**
 * Position of a media playlist: the relative URL of the rendition's folder, empty or ending with `/`, its keys
 * (EXT-X-KEY) and its EXT-X-TARGETDURATION.
 */
export type MediaPlaylistPlace = { folder: string; keys?: readonly HlsKey[]; targetSec: number };

/**
 * Segments from `first` (inclusive) to `end` (exclusive). `wallMs` returns the wall-clock time of the segment that
 * begins at `sec` of the timeline, in ms since 1970.
 */
export type SegmentSpan = { first: number; end: number; wallMs(sec: number): number | null };

/**
 * Writes a media playlist (RFC 8216 section 4.3.3). A complete run is VOD with an end. A growing one is EVENT and
 * starts at 0, because players would otherwise start at its live edge. A `span` of a recording keeps its segment
 * numbers and has EXT-X-PROGRAM-DATE-TIME.
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
  const segments = Array.from({ length: end - span.first }, (_, index) => {
    const segment = span.first + index;
    return { startTick: tickOf(segment), endTick: tickOf(segment + 1), uri: `${folder}${segment}.m4s` };
  });
  // Write the date once. Players derive later times from the durations, because a jump of the clock would need
  // EXT-X-DISCONTINUITY.
  const firstMs = segments.length === 0 ? null : span.wallMs(origin / run.timescale);
  if (firstMs !== null) tags.push({ tag: 'program-date-time', timeMs: Math.round(firstMs) });
  tags.push(...timedSegments(run.timescale, segments));
  if (isWhole) tags.push({ tag: 'end-list' });
  return writePlaylist(tags);
}
