import type { FieldReader } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { readEntryBox, readEntryColours, type SampleEntry } from './sample-entry.ts';

/**
 * Returns the `codecs` parameter of a sample entry (RFC 6381 section 3.3, RFC 8216 section 4.3.4.2): avc1, hvc1, vp09,
 * av01, mp4a, opus. Throws BrokenMedia on any other entry and on a damaged configuration.
 */
export function readCodecString(entry: SampleEntry): string {
  switch (entry.type) {
    case 'avc1':
    case 'avc3':
      return avcString(entry);
    case 'hvc1':
    case 'hev1':
      return hevcString(entry);
    case 'vp09':
      return vp9String(entry);
    case 'av01':
      return av1String(entry);
    case 'mp4a':
      return mp4aString(entry);
    case 'Opus':
      return 'opus';
    default:
      throw new BrokenMedia(
        `Expected a sample entry avc1, avc3, hvc1, hev1, vp09, av01, mp4a or Opus, got ${entry.type}.`,
      );
  }
}

/**
 * Returns the codec string of an AVC entry (RFC 6381 section 3.3): the profile, compatibility and level bytes of `avcC`
 * (ISO 14496-15 section 5.3.3) in hex, such as `avc1.64001f`. The first byte, the version, is not part of it.
 */
function avcString(entry: SampleEntry): string {
  const fields = readEntryBox(entry, 'avcC');
  fields.skip(1);
  return `${entry.type}.${fields.take(3).toString('hex')}`;
}

/**
 * Follows ISO 14496-15 annex E.3: profile space and number, reversed compatibility bits, tier and level, constraints.
 */
function hevcString(entry: SampleEntry): string {
  const fields = readEntryBox(entry, 'hvcC');
  fields.skip(1);
  const profile = fields.u8();
  const space = ['', 'A', 'B', 'C'][profile >> 6] ?? '';
  const compatibility = reverseBits(fields.u32()).toString(16);
  const constraints = [...fields.take(6)];
  while (constraints.at(-1) === 0) constraints.pop();
  const level = `${profile & 0x20 ? 'H' : 'L'}${fields.u8()}`;
  const parts = [entry.type, `${space}${profile & 0x1f}`, compatibility, level];
  return [...parts, ...constraints.map((byte) => byte.toString(16))].join('.');
}

function reverseBits(word: number): number {
  let reversed = 0;
  for (let bit = 0; bit < 32; bit += 1) if ((word >>> bit) & 1) reversed += 2 ** (31 - bit);
  return reversed;
}

/**
 * Follows "VP Codec ISO Media File Format Binding" section 6. Uses the long form only if the colours are not the
 * defaults.
 */
function vp9String(entry: SampleEntry): string {
  const fields = readEntryBox(entry, 'vpcC');
  fields.skip(4);
  const profile = fields.u8();
  const level = fields.u8();
  const depth = fields.u8();
  const colours = [fields.u8(), fields.u8(), fields.u8()];
  const chroma = (depth >> 1) & 7;
  const parts = [profile, level, depth >> 4];
  // 2 means "unspecified", as the short form does.
  const plain = chroma <= 1 && (depth & 1) === 0 && colours.every((colour) => colour === 1 || colour === 2);
  if (!plain) parts.push(chroma, ...colours, depth & 1);
  return ['vp09', ...parts.map(twoDigits)].join('.');
}

/**
 * Follows "AV1 Codec ISO Media File Format Binding" section 5: profile, level and tier, bit depth. Includes chroma and
 * colours only if they are not the defaults.
 */
function av1String(entry: SampleEntry): string {
  const fields = readEntryBox(entry, 'av1C');
  fields.skip(1);
  const profileLevel = fields.u8();
  const bits = fields.u8();
  const depth = bits & 0x40 ? (bits & 0x20 ? 12 : 10) : 8;
  const tier = bits & 0x80 ? 'H' : 'M';
  const short = `av01.${profileLevel >> 5}.${twoDigits(profileLevel & 0x1f)}${tier}.${twoDigits(depth)}`;
  const colours = readEntryColours(entry);
  // 2 means "unspecified", as the short form does.
  const codes = colours === null ? [] : [colours.primaries, colours.transfer, colours.matrix];
  const isPlain = codes.every((code) => code === 1 || code === 2) && colours?.isFullRange !== true;
  if (isPlain) return short;
  const chroma = [(bits >> 3) & 1, (bits >> 2) & 1, (bits & 0x0c) === 0x0c ? bits & 3 : 0].join('');
  return [short, (bits >> 4) & 1, chroma, ...codes.map(twoDigits), colours?.isFullRange === true ? 1 : 0].join('.');
}

/** Follows ISO 14496-1 section 7.2.6: the object type of the decoder configuration, then the AAC object type. */
function mp4aString(entry: SampleEntry): string {
  const { objectType, config } = readDecoderConfig(entry);
  if (config === null) return `mp4a.${objectType.toString(16).padStart(2, '0')}`;
  const first = config.u8();
  const audioObjectType = first >> 3 === 31 ? 32 + ((first & 7) << 3) + (config.u8() >> 5) : first >> 3;
  return `mp4a.40.${audioObjectType}`;
}

/** Channels of each channelConfiguration (ISO 14496-3 table 1.19), from 1 on. */
const CONFIGURED_CHANNELS = [1, 2, 3, 4, 5, 6, 8];

/**
 * Returns the number of channels of an AAC track from its AudioSpecificConfig, because many MP4 files have 2 in the
 * sample entry whatever the number is. Returns null for other codecs, and if only the frames describe the channels.
 */
export function readAacChannels(entry: SampleEntry): number | null {
  if (entry.type !== 'mp4a') return null;
  const { config } = readDecoderConfig(entry);
  if (config === null) return null;
  const [first, second] = [config.u8(), config.u8()];
  const [audioObjectType, rateIndex] = [first >> 3, ((first & 7) << 1) | (second >> 7)];
  if (audioObjectType === 31 || rateIndex === 15) return null;
  return CONFIGURED_CHANNELS[((second >> 3) & 15) - 1] ?? null;
}

/** Returns the object type of an esds box, and its AudioSpecificConfig if it is MPEG-4 audio. */
function readDecoderConfig(entry: SampleEntry): { objectType: number; config: FieldReader | null } {
  const fields = readEntryBox(entry, 'esds');
  fields.skip(4);
  expectDescriptor(fields, 0x03);
  fields.skip(2);
  const streamFlags = fields.u8();
  if (streamFlags & 0x80) fields.skip(2);
  if (streamFlags & 0x40) fields.skip(fields.u8());
  if (streamFlags & 0x20) fields.skip(2);
  expectDescriptor(fields, 0x04);
  const objectType = fields.u8();
  if (objectType !== 0x40) return { objectType, config: null };
  fields.skip(12);
  expectDescriptor(fields, 0x05);
  return { objectType, config: fields };
}

function expectDescriptor(fields: FieldReader, tag: number): void {
  const received = fields.u8();
  if (received !== tag) throw new BrokenMedia(`Expected descriptor ${tag} in esds, got ${received}.`);
  // The length has at most four bytes and continues while the top bit is set.
  for (let index = 0; index < 4 && fields.u8() & 0x80; index += 1);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
