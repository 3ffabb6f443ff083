import { runLength, type SegmentRun } from '../presentation/segment-run.ts';
import { type PlaylistTag, writePlaylist } from './playlist-tags.ts';
import { timedSegments } from './timed-segments.ts';

/**
 * Writes a media playlist (RFC 8216 section 4.3.3). `folder` is the relative address of the rendition's
 * own folder, empty or ending in `/`; `keyLines` (EXT-X-KEY) stand after the map. A whole run is VOD with an end; a growing one is EVENT and starts
 * at 0, because players else begin at its live edge.
 */
export function writeMediaPlaylist(run: SegmentRun, folder: string, keyLines: readonly string[] = []): string {
  const tags: PlaylistTag[] = [
    { tag: 'version', version: 7 },
    { tag: 'target-duration', sec: Math.max(1, Math.round(run.longestTicks / run.timescale)) },
    { tag: 'media-sequence', number: 0 },
    { tag: 'playlist-type', type: run.isWhole ? 'VOD' : 'EVENT' },
    { tag: 'independent-segments' },
  ];
  if (!run.isWhole) tags.push({ tag: 'start', offsetSec: 0 });
  tags.push({ tag: 'map', uri: `${folder}init.mp4` });
  for (const line of keyLines) tags.push({ tag: 'key', line });
  const origin = run.boundaryTicks[0] ?? 0;
  const tickOf = (segment: number) => (run.boundaryTicks[segment] ?? 0) - origin;
  const segments = Array.from({ length: runLength(run) }, (_, segment) => {
    return { startTick: tickOf(segment), endTick: tickOf(segment + 1), uri: `${folder}${segment}.m4s` };
  });
  tags.push(...timedSegments(run.timescale, segments));
  if (run.isWhole) tags.push({ tag: 'end-list' });
  return writePlaylist(tags);
}
