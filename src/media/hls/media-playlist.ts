import { runLength, type SegmentRun } from '../presentation/segment-run.ts';

/** Below this many ticks a second, microseconds tell any two ticks apart. */
const MICROSECOND_TIMESCALE_LIMIT = 400_000;

/**
 * Writes a media playlist (RFC 8216 section 4.3.3). `folder` is the relative address of the rendition's
 * own folder, empty or ending in `/`; `keyLines` (EXT-X-KEY) stand after the map. A whole run is VOD with an end; a growing one is EVENT and starts
 * at 0, because players else begin at its live edge. Each EXTINF is the difference of two rounded times,
 * so that sums of them never drift from the ticks.
 */
export function writeMediaPlaylist(run: SegmentRun, folder: string, keyLines: readonly string[] = []): string {
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${Math.max(1, Math.round(run.longestTicks / run.timescale))}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    `#EXT-X-PLAYLIST-TYPE:${run.isWhole ? 'VOD' : 'EVENT'}`,
    '#EXT-X-INDEPENDENT-SEGMENTS',
  ];
  if (!run.isWhole) lines.push('#EXT-X-START:TIME-OFFSET=0');
  lines.push(`#EXT-X-MAP:URI="${folder}init.mp4"`, ...keyLines);
  const decimals = run.timescale < MICROSECOND_TIMESCALE_LIMIT ? 6 : 9;
  const origin = run.boundaryTicks[0] ?? 0;
  let before = 0;
  for (let segment = 0; segment < runLength(run); segment += 1) {
    const after = roundTime(((run.boundaryTicks[segment + 1] ?? 0) - origin) / run.timescale, decimals);
    lines.push(`#EXTINF:${(after - before).toFixed(decimals)},`, `${folder}${segment}.m4s`);
    before = after;
  }
  if (run.isWhole) lines.push('#EXT-X-ENDLIST');
  return `${lines.join('\n')}\n`;
}

function roundTime(sec: number, decimals: number): number {
  return Number(sec.toFixed(decimals));
}
