import { type HlsKey, writeKeyAttributes } from '../drm/signalling/hls-key.ts';

/** A resource or a byte range of it. */
export type Resource = { uri: string; byteRange?: { length: number; offset: number } };

/** EXT-X-SERVER-CONTROL (RFC 8216bis section 4.4.3.8). Times are in seconds. */
export type ServerControl = {
  canBlockReload: boolean;
  canSkipUntilSec?: number;
  holdBackSec?: number;
  partHoldBackSec?: number;
};

/**
 * Common attributes of variants and I-frame variants (RFC 8216bis sections 4.4.6.2 and 4.4.6.3), in bits per second and
 * pixels.
 */
type Stream = {
  peakBps: number;
  averageBps?: number;
  codecs: string;
  resolution?: { widthPx: number; heightPx: number } | null;
  uri: string;
};

/**
 * One or two lines of a playlist, named as in RFC 8216bis section 4.4. Durations are in seconds, times in ms since
 * 1970.
 */
export type PlaylistTag =
  | { tag: 'version'; version: number }
  | { tag: 'independent-segments' }
  | { tag: 'start'; offsetSec: number }
  | { tag: 'target-duration'; sec: number }
  | { tag: 'media-sequence'; number: number }
  | { tag: 'discontinuity-sequence'; number: number }
  | { tag: 'playlist-type'; type: 'VOD' | 'EVENT' }
  | { tag: 'i-frames-only' }
  | ({ tag: 'server-control' } & ServerControl)
  | { tag: 'part-inf'; targetSec: number }
  | { tag: 'skip'; segments: number }
  | ({ tag: 'map' } & Resource)
  | { tag: 'key'; key: HlsKey }
  | { tag: 'session-key'; key: HlsKey }
  | { tag: 'discontinuity' }
  | { tag: 'program-date-time'; timeMs: number }
  | { tag: 'gap' }
  | ({ tag: 'segment'; durationSec: number; decimals?: number } & Resource)
  | ({ tag: 'part'; durationSec: number; isIndependent: boolean } & Resource)
  | ({ tag: 'preload-hint'; type: 'PART' | 'MAP' } & Resource)
  | { tag: 'rendition-report'; uri: string; lastSequence: number; lastPart: number | null }
  | { tag: 'end-list' }
  | {
      tag: 'media';
      type: 'AUDIO' | 'SUBTITLES';
      groupId: string;
      name: string;
      language?: string | null;
      isDefault: boolean;
      /** Whether players may select it automatically. Default: true. */
      isAutoSelected?: boolean;
      /** Subtitles only for foreign speech, shown automatically (RFC 8216 section 4.3.4.1). */
      isForced?: boolean;
      /** Uniform Type Identifiers. */
      characteristics?: readonly string[];
      channels?: number | null;
      uri: string;
    }
  | ({ tag: 'stream-inf'; frameRate?: number; videoRange?: string | null; audio?: string; subtitles?: string } & Stream)
  | ({ tag: 'i-frame-stream-inf'; videoRange?: string | null } & Stream);

/**
 * Captions are separate tracks. Without this attribute, players offer a track of captions embedded in the video. If one
 * variant has it, all must have it (RFC 8216 section 4.3.4.2).
 */
const NO_CLOSED_CAPTIONS = 'CLOSED-CAPTIONS=NONE';

/** Writes a playlist with tags in the given order. */
export function writePlaylist(tags: readonly PlaylistTag[]): string {
  return `#EXTM3U\n${tags.map((tag) => `${writeTag(tag)}\n`).join('')}`;
}

function writeTag(tag: PlaylistTag): string {
  switch (tag.tag) {
    case 'version':
      return `#EXT-X-VERSION:${tag.version}`;
    case 'independent-segments':
      return '#EXT-X-INDEPENDENT-SEGMENTS';
    case 'start':
      return `#EXT-X-START:TIME-OFFSET=${tag.offsetSec}`;
    case 'target-duration':
      return `#EXT-X-TARGETDURATION:${tag.sec}`;
    case 'media-sequence':
      return `#EXT-X-MEDIA-SEQUENCE:${tag.number}`;
    case 'discontinuity-sequence':
      return `#EXT-X-DISCONTINUITY-SEQUENCE:${tag.number}`;
    case 'playlist-type':
      return `#EXT-X-PLAYLIST-TYPE:${tag.type}`;
    case 'i-frames-only':
      return '#EXT-X-I-FRAMES-ONLY';
    case 'server-control':
      return writeServerControl(tag);
    case 'part-inf':
      return `#EXT-X-PART-INF:PART-TARGET=${seconds(tag.targetSec)}`;
    case 'skip':
      return `#EXT-X-SKIP:SKIPPED-SEGMENTS=${tag.segments}`;
    case 'map':
      return `#EXT-X-MAP:${resource(tag)}`;
    case 'key':
      return `#EXT-X-KEY:${writeKeyAttributes(tag.key)}`;
    case 'session-key':
      return `#EXT-X-SESSION-KEY:${writeKeyAttributes(tag.key)}`;
    case 'discontinuity':
      return '#EXT-X-DISCONTINUITY';
    case 'program-date-time':
      return `#EXT-X-PROGRAM-DATE-TIME:${new Date(tag.timeMs).toISOString()}`;
    case 'gap':
      return '#EXT-X-GAP';
    case 'segment':
      return writeSegment(tag);
    case 'part':
      return writePart(tag);
    case 'preload-hint':
      return `#EXT-X-PRELOAD-HINT:TYPE=${tag.type},${resource(tag)}`;
    case 'rendition-report':
      return writeReport(tag);
    case 'end-list':
      return '#EXT-X-ENDLIST';
    case 'media':
      return writeMedia(tag);
    case 'stream-inf':
      return writeStreamInf(tag);
    case 'i-frame-stream-inf':
      return writeIFrameStreamInf(tag);
  }
}

type Tag<Name extends PlaylistTag['tag']> = Extract<PlaylistTag, { tag: Name }>;

function writeMedia({ type, groupId, name, language, uri, ...media }: Tag<'media'>): string {
  const { isDefault, isAutoSelected = true, isForced = false, characteristics = [], channels = null } = media;
  const attributes = [`TYPE=${type}`, `GROUP-ID=${quoted(groupId)}`, `NAME=${quoted(name)}`];
  if (language != null) attributes.push(`LANGUAGE=${quoted(language)}`);
  attributes.push(`DEFAULT=${isDefault ? 'YES' : 'NO'}`, `AUTOSELECT=${isAutoSelected ? 'YES' : 'NO'}`);
  if (isForced) attributes.push('FORCED=YES');
  if (characteristics.length > 0) attributes.push(`CHARACTERISTICS=${quoted(characteristics.join(','))}`);
  if (channels !== null) attributes.push(`CHANNELS=${quoted(String(channels))}`);
  attributes.push(`URI=${quoted(uri)}`);
  return `#EXT-X-MEDIA:${attributes.join(',')}`;
}

function writeStreamInf({ frameRate = 0, videoRange, audio, subtitles, ...stream }: Tag<'stream-inf'>): string {
  const attributes = streamAttributes(stream);
  if (frameRate > 0) attributes.push(`FRAME-RATE=${frameRate.toFixed(3)}`);
  if (videoRange != null) attributes.push(`VIDEO-RANGE=${videoRange}`);
  if (audio !== undefined) attributes.push(`AUDIO=${quoted(audio)}`);
  if (subtitles !== undefined) attributes.push(`SUBTITLES=${quoted(subtitles)}`);
  attributes.push(NO_CLOSED_CAPTIONS);
  return `#EXT-X-STREAM-INF:${attributes.join(',')}\n${stream.uri}`;
}

function writeIFrameStreamInf({ videoRange, uri, ...stream }: Tag<'i-frame-stream-inf'>): string {
  const attributes = streamAttributes({ ...stream, uri });
  if (videoRange != null) attributes.push(`VIDEO-RANGE=${videoRange}`);
  return `#EXT-X-I-FRAME-STREAM-INF:${[...attributes, `URI=${quoted(uri)}`].join(',')}`;
}

function streamAttributes({ peakBps, averageBps, codecs, resolution }: Stream): string[] {
  const attributes = [`BANDWIDTH=${peakBps}`];
  if (averageBps !== undefined) attributes.push(`AVERAGE-BANDWIDTH=${averageBps}`);
  attributes.push(`CODECS=${quoted(codecs)}`);
  if (resolution != null) attributes.push(`RESOLUTION=${resolution.widthPx}x${resolution.heightPx}`);
  return attributes;
}

/**
 * Writes a quoted-string, which must not contain line breaks or double quotes (RFC 8216 section 4.2). Some parsers also
 * treat an apostrophe as a quote, so both are replaced by typographic quotes.
 */
function quoted(text: string): string {
  const plain = text.replaceAll('"', '”').replaceAll("'", '’');
  return `"${plain.replaceAll(/[\r\n]+/g, ' ')}"`;
}

function writeServerControl(control: Tag<'server-control'>): string {
  const attributes = [
    control.canBlockReload ? 'CAN-BLOCK-RELOAD=YES' : null,
    control.canSkipUntilSec === undefined ? null : `CAN-SKIP-UNTIL=${seconds(control.canSkipUntilSec)}`,
    control.holdBackSec === undefined ? null : `HOLD-BACK=${seconds(control.holdBackSec)}`,
    control.partHoldBackSec === undefined ? null : `PART-HOLD-BACK=${seconds(control.partHoldBackSec)}`,
  ];
  return `#EXT-X-SERVER-CONTROL:${attributes.filter((attribute) => attribute !== null).join(',')}`;
}

function writeSegment({ durationSec, decimals = 5, uri, byteRange }: Tag<'segment'>): string {
  const lines = [`#EXTINF:${durationSec.toFixed(decimals)},`];
  if (byteRange !== undefined) lines.push(`#EXT-X-BYTERANGE:${byteRange.length}@${byteRange.offset}`);
  return [...lines, uri].join('\n');
}

function writePart({ durationSec, isIndependent, ...place }: Tag<'part'>): string {
  return `#EXT-X-PART:DURATION=${seconds(durationSec)},${resource(place)}${isIndependent ? ',INDEPENDENT=YES' : ''}`;
}

function writeReport({ uri, lastSequence, lastPart }: Tag<'rendition-report'>): string {
  const part = lastPart === null ? '' : `,LAST-PART=${lastPart}`;
  return `#EXT-X-RENDITION-REPORT:URI="${uri}",LAST-MSN=${lastSequence}${part}`;
}

function resource({ uri, byteRange }: Resource): string {
  if (byteRange === undefined) return `URI="${uri}"`;
  return `URI="${uri}",BYTERANGE="${byteRange.length}@${byteRange.offset}"`;
}

/** Formats a decimal-floating-point without trailing zeros. */
function seconds(sec: number): string {
  return String(Number(sec.toFixed(5)));
}
