import { aacConfig } from '../tracks/aac-config.ts';
import type { LiveEvent, TrackConfig } from '../tracks/access-unit.ts';
import { LeftOut } from '../tracks/left-out.ts';
import { av1Config, avcConfig, hevcConfig } from '../tracks/video-config.ts';
import { readExtendedPacket } from './extended-packet.ts';

/** An audio (8) or video (9) message of RTMP, or a tag of FLV: Adobe's FLV specification 10.1, annex E.4. */
export type FlvTag = { type: 8 | 9; timestampMs: number; body: Buffer };

type VideoCodec = 'h264' | 'hevc' | 'av1';

const AVC = 7;
/** Codec id of HEVC in plain tags, which some encoders send with the layout of H.264. */
const HEVC = 12;
/** Codec names of FLV 10.1 annex E.4.2.1 and E.4.3.1. */
const AUDIO_NAMES: Readonly<Record<number, string>> = {
  0: 'PCM',
  1: 'ADPCM',
  2: 'MP3',
  3: 'PCM',
  4: 'Nellymoser',
  5: 'Nellymoser',
  6: 'Nellymoser',
  7: 'G.711 A-law',
  8: 'G.711 mu-law',
  11: 'Speex',
  14: '8 kHz MP3',
};
const VIDEO_NAMES: Readonly<Record<number, string>> = {
  2: 'Sorenson H.263',
  3: 'screen video',
  4: 'VP6',
  5: 'VP6',
  6: 'screen video',
};
const AAC = 10;
/** Top bit of the first byte, which indicates that a FourCC follows (enhanced RTMP v2). */
const EXTENDED = 0x80;
/** Names of codecs by FourCC (enhanced RTMP v2) that are not accepted. */
const FOURCC_NAMES: Readonly<Record<string, string>> = {
  vp08: 'VP8',
  vp09: 'VP9',
  vvc1: 'H.266',
  Opus: 'Opus',
  fLaC: 'FLAC',
  '.mp3': 'MP3',
  'ac-3': 'AC-3',
  'ec-3': 'E-AC-3',
};
const FOURCCS: Readonly<Record<string, VideoCodec>> = { avc1: 'h264', hvc1: 'hevc', av01: 'av1' };

/** Packet types of enhanced RTMP. */
const SEQUENCE_START = 0;
const CODED_FRAMES = 1;
const SEQUENCE_END = 2;
const CODED_FRAMES_X = 3;
const MULTITRACK = 6;
const MULTITRACK_AUDIO = 5;

const KEY_FRAME = 1;
const COMMAND_FRAME = 5;

/**
 * Reads one tag. Returns null for tags without media: the end of a sequence, seek commands and metadata. `frameRate` is
 * the rate declared by the encoder (onMetaData). Throws BrokenMedia for a damaged tag, and LeftOut for codecs other
 * than H.264, HEVC, AV1 and AAC, and for additional tracks.
 */
export function readFlvTag(tag: FlvTag, frameRate: number): LiveEvent | null {
  if (tag.body.length < 2) return null;
  return tag.type === 8 ? readAudio(tag) : readVideo(tag, frameRate);
}

function readAudio({ timestampMs, body }: FlvTag): LiveEvent | null {
  const format = body.readUInt8(0) >> 4;
  if (format === 9) return readExtendedAudio({ type: 8, timestampMs, body });
  if (format !== AAC) throw leftOut('sound', AUDIO_NAMES[format] ?? `FLV format ${format}`);
  const data = body.subarray(2);
  if (body.readUInt8(1) === 0) return { type: 'config', config: aacConfig(data) };
  return audioUnit(timestampMs, data);
}

/** Follows ExAudioTagHeader of enhanced RTMP v2: the packet type in the low bits, then a FourCC. */
function readExtendedAudio({ timestampMs, body }: FlvTag): LiveEvent | null {
  const head = readExtendedPacket(body, MULTITRACK_AUDIO);
  if (head === null) return null;
  if (head === 'further') throw additionalTrack('audio');
  const { packet, fourCc, data } = head;
  if (packet > CODED_FRAMES) return null;
  if (fourCc !== 'mp4a') throw leftOut('sound', nameOf(fourCc));
  return packet === SEQUENCE_START ? { type: 'config', config: aacConfig(data) } : audioUnit(timestampMs, data);
}

function audioUnit(timestampMs: number, bytes: Buffer): LiveEvent | null {
  if (bytes.length === 0) return null;
  return { type: 'unit', unit: { kind: 'audio', dtsMs: timestampMs, ptsMs: timestampMs, isKey: true, bytes } };
}

function readVideo(tag: FlvTag, frameRate: number): LiveEvent | null {
  const first = tag.body.readUInt8(0);
  if ((first & EXTENDED) !== 0) return readExtendedVideo(tag, frameRate);
  const codec = first & 0x0f;
  if (codec !== AVC && codec !== HEVC) throw leftOut('picture', VIDEO_NAMES[codec] ?? `FLV codec ${codec}`);
  if (first >> 4 === COMMAND_FRAME || tag.body.length < 5) return null;
  const packet = tag.body.readUInt8(1);
  const described = codec === AVC ? 'h264' : 'hevc';
  if (packet === 0) return { type: 'config', config: configOf(described, tag.body.subarray(5), frameRate) };
  if (packet !== 1) return null;
  return videoUnit(tag.timestampMs, {
    isKey: first >> 4 === KEY_FRAME,
    offsetMs: readI24(tag.body, 2),
    bytes: tag.body.subarray(5),
  });
}

function readExtendedVideo({ timestampMs, body }: FlvTag, frameRate: number): LiveEvent | null {
  const frame = (body.readUInt8(0) >> 4) & 7;
  const head = readExtendedPacket(body, MULTITRACK);
  if (frame === COMMAND_FRAME) return null;
  if (head === null) return null;
  if (head === 'further') throw additionalTrack('video');
  const { packet, fourCc, data } = head;
  if (packet === SEQUENCE_END || packet > CODED_FRAMES_X) return null;
  const codec = FOURCCS[fourCc];
  if (codec === undefined) throw leftOut('picture', nameOf(fourCc));
  if (packet === SEQUENCE_START) return { type: 'config', config: configOf(codec, data, frameRate) };
  const isKey = frame === KEY_FRAME;
  if (packet === CODED_FRAMES_X || (packet === CODED_FRAMES && codec === 'av1')) {
    return videoUnit(timestampMs, { isKey, offsetMs: 0, bytes: data });
  }
  if (packet !== CODED_FRAMES || data.length < 3) return null;
  return videoUnit(timestampMs, { isKey, offsetMs: readI24(data, 0), bytes: data.subarray(3) });
}

function nameOf(fourCc: string): string {
  return FOURCC_NAMES[fourCc] ?? `FourCC ${JSON.stringify(fourCc)}`;
}

function additionalTrack(what: 'video' | 'audio'): LeftOut {
  return new LeftOut(`An additional ${what} track is left out: only one of each is used. Send it as the first track.`);
}

function leftOut(what: 'picture' | 'sound', codec: string): LeftOut {
  const taken = what === 'picture' ? 'H.264, HEVC or AV1' : 'AAC';
  return new LeftOut(`The ${what} is left out: expected ${taken} over RTMP, got ${codec}. Choose it in the encoder.`);
}

function configOf(codec: VideoCodec, description: Buffer, frameRate: number): TrackConfig {
  switch (codec) {
    case 'h264':
      return avcConfig(description, frameRate);
    case 'hevc':
      return hevcConfig(description, frameRate);
    case 'av1':
      return av1Config(description, frameRate);
  }
}

function videoUnit(dtsMs: number, frame: { isKey: boolean; offsetMs: number; bytes: Buffer }): LiveEvent | null {
  if (frame.bytes.length === 0) return null;
  const { isKey, offsetMs, bytes } = frame;
  return { type: 'unit', unit: { kind: 'video', dtsMs, ptsMs: dtsMs + offsetMs, isKey, bytes } };
}

function readI24(bytes: Buffer, at: number): number {
  return bytes.readIntBE(at, 3);
}
