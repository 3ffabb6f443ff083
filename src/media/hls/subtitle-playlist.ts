import type { TextKind } from '../probe/source-facts.ts';
import { writePlaylist } from './playlist.ts';

/** A caption track as listed in the multivariant playlist. `address` is its URL, relative to the video's folder. */
export type SubtitleTrack = { language: string; name: string; kind: TextKind; address: string };

/**
 * Writes the media playlist of a caption file (RFC 8216 sections 3.5 and 4.3.3): one WebVTT segment as long as the
 * video. The file has no X-TIMESTAMP-MAP, so its times start at 0 like the presentation. `address` is relative to the
 * playlist. Throws if the duration is not positive.
 */
export function writeSubtitlePlaylist(durationSec: number, address: string): string {
  if (!(durationSec > 0)) throw new Error(`Expected a positive video duration in seconds, got ${durationSec}.`);
  return writePlaylist([
    { tag: 'version', version: 7 },
    { tag: 'target-duration', sec: Math.ceil(durationSec) },
    { tag: 'media-sequence', number: 0 },
    { tag: 'playlist-type', type: 'VOD' },
    { tag: 'segment', durationSec, decimals: 3, uri: address },
    { tag: 'end-list' },
  ]);
}
