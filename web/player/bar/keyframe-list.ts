/** A keyframe from an I-frame playlist. `sequence` is the media sequence number of its segment. */
export type Keyframe = { sequence: number; url: string; initUrl: string };

/**
 * Returns the I-frame playlist with the lowest bitrate in a multivariant playlist, and its codec. Returns null if there
 * is none.
 */
export function findKeyframeList(text: string, base: string): { url: string; codec: string } | null {
  const lists = text
    .split('\n')
    .filter((line) => line.startsWith('#EXT-X-I-FRAME-STREAM-INF:'))
    .flatMap((line) => {
      const [rate, codec, uri] = [/[:,]BANDWIDTH=(\d+)/, /CODECS="([^",]+)/, /URI="([^"]+)"/].map(
        (pattern) => pattern.exec(line)?.[1],
      );
      if (rate === undefined || codec === undefined || uri === undefined) return [];
      return [{ bps: Number(rate), codec, url: new URL(uri, base).href }];
    });
  return lists.sort((one, other) => one.bps - other.bps)[0] ?? null;
}

/** Reads the keyframes of an I-frame playlist (RFC 8216 section 4.3.3.6). Gaps have no keyframes. */
export function readKeyframes(text: string, base: string): Keyframe[] {
  const frames: Keyframe[] = [];
  let sequence = Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1] ?? 0);
  let initUrl = '';
  let isGap = false;
  for (const line of text.split('\n')) {
    const map = /^#EXT-X-MAP:URI="([^"]+)"/.exec(line)?.[1];
    if (map !== undefined) initUrl = new URL(map, base).href;
    if (line === '#EXT-X-GAP') isGap = true;
    if (line === '' || line.startsWith('#')) continue;
    if (!isGap) frames.push({ sequence, url: new URL(line, base).href, initUrl });
    isGap = false;
    sequence += 1;
  }
  return frames;
}
