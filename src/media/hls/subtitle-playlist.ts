/** A caption track as the multivariant playlist signals it. `address` is relative to the video's folder. */
export type SubtitleTrack = { language: string; name: string; address: string };

/**
 * Writes the media playlist of a caption file (RFC 8216 sections 3.5 and 4.3.3): one WebVTT segment as long as the
 * video. The file has no X-TIMESTAMP-MAP, so its times are those of the presentation, which begins at 0.
 * `address` is relative to the playlist. Throws unless the duration is positive.
 */
export function writeSubtitlePlaylist(durationSec: number, address: string): string {
  if (!(durationSec > 0)) throw new Error(`Expected the length of a video in seconds, got ${durationSec}.`);
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${Math.ceil(durationSec)}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXTINF:${durationSec.toFixed(3)},`,
    address,
    '#EXT-X-ENDLIST',
    '',
  ].join('\n');
}
