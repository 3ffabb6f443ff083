import { checkMediaPlaylist } from './check-media-playlist.ts';
import { checkMultivariant } from './check-multivariant.ts';
import { PlaylistLines } from './playlist-lines.ts';

/**
 * Checks a playlist strictly against RFC 8216 (and the rules of its successor draft that this project relies on).
 * Returns every fault; empty for a valid playlist.
 */
export function checkPlaylist(text: string): string[] {
  const faults: string[] = [];
  if (text.startsWith('\uFEFF')) faults.push('the playlist begins with a byte order mark');
  if (!text.startsWith('#EXTM3U\n')) faults.push('the first line is not #EXTM3U');
  if (!text.endsWith('\n')) faults.push('the last line is not ended');
  if (/\r(?!\n)/.test(text)) faults.push('a lone carriage return ends a line');
  const rows = text.split('\n').slice(0, -1);
  if (rows.some((row) => row !== row.trim())) faults.push('a line begins or ends with white space');
  const lines = new PlaylistLines(rows);
  if (lines.places('EXT-X-VERSION').length !== 1) faults.push('EXT-X-VERSION must be there once');
  for (const { text: address } of lines.addresses) {
    if (!URL.canParse(address, 'http://host/folder/')) faults.push(`address ${address} cannot be read`);
  }
  const isMultivariant = lines.tags.some(({ tag }) => tag === 'EXT-X-STREAM-INF' || tag === 'EXT-X-MEDIA');
  return [...faults, ...(isMultivariant ? checkMultivariant(lines) : checkMediaPlaylist(lines))];
}
