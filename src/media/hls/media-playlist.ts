import { runLength, type SegmentRun } from '../presentation/segment-run.ts';
import { type MediaTag, writeMediaTags } from './media-tags.ts';

/** Below this many ticks a second, microseconds distinguish any two ticks. */
const MICROSECOND_TIMESCALE_LIMIT = 400_000;

/**
 * Writes a media playlist (RFC 8216 section 4.3.3). `folder` is the relative address of the rendition's
 * own folder, empty or ending in `/`; `keyLines` (EXT-X-KEY) stand after the map. A whole run is VOD with an end; a growing one is EVENT and starts
 * at 0, because players else begin at its live edge. Each EXTINF is the difference of two rounded times,
 * so that sums of them never drift from the ticks.
 */
export function writeMediaPlaylist(run: SegmentRun, folder: string, keyLines: readonly string[] = []): string {
  const tags: MediaTag[] = [
    { tag: 'version', version: 7 },
    { tag: 'target-duration', sec: Math.max(1, Math.round(run.longestTicks / run.timescale)) },
    { tag: 'media-sequence', number: 0 },
    { tag: 'playlist-type', type: run.isWhole ? 'VOD' : 'EVENT' },
    { tag: 'independent-segments' },
  ];
  if (!run.isWhole) tags.push({ tag: 'start', offsetSec: 0 });
  tags.push({ tag: 'map', uri: `${folder}init.mp4` });
  for (const line of keyLines) tags.push({ tag: 'key', line });
  const decimals = run.timescale < MICROSECOND_TIMESCALE_LIMIT ? 6 : 9;
  const origin = run.boundaryTicks[0] ?? 0;
  let before = 0;
  for (let segment = 0; segment < runLength(run); segment += 1) {
    const after = roundTime(((run.boundaryTicks[segment + 1] ?? 0) - origin) / run.timescale, decimals);
    tags.push({ tag: 'segment', durationSec: after - before, decimals, uri: `${folder}${segment}.m4s` });
    before = after;
  }
  if (run.isWhole) tags.push({ tag: 'end-list' });
  return writeMediaTags(tags);
}

function roundTime(sec: number, decimals: number): number {
  return Number(sec.toFixed(decimals));
}
