import { inflateSync } from 'node:zlib';
import { findBox, readBoxes } from '../bmff/boxes.ts';
import { colourFilters } from '../encode/colour-filters.ts';
import { type Colours, HLG, PQ } from '../probe/colours.ts';
import { type IccColours, isSrgb, readIccProfile } from './icc-profile.ts';
import type { ImageKind } from './image-kind.ts';

/** Colours that an image declares: an embedded profile, or code points of ITU-T H.273. Null for sRGB. */
export type ImageColours = { kind: 'profile'; profile: IccColours } | { kind: 'coded'; colours: Colours } | null;

const MAX_PROFILE_BYTES = 4 * 2 ** 20;
const SRGB_PRIMARIES = 1;
const UNSPECIFIED = 2;
const SRGB_TRANSFER = 13;
const ST240M = 7;

/**
 * Reads the colours that an image declares. Returns null (sRGB) for a damaged image, because the decoder reports the
 * damage.
 */
export function readImageColours(bytes: Buffer, kind: ImageKind): ImageColours {
  try {
    const found = READERS[kind](bytes);
    if (Buffer.isBuffer(found)) {
      const profile = readIccProfile(found);
      return profile === null || isSrgb(profile) ? null : { kind: 'profile', profile };
    }
    if (found === null || ([SRGB_PRIMARIES, UNSPECIFIED].includes(found.primaries) && !isHdr(found))) return null;
    return { kind: 'coded', colours: found };
  } catch {
    return null;
  }
}

/** Returns filters that convert a decoded image to sRGB, each followed by a comma. Returns an empty string for sRGB. */
export function toSrgbFilters(declared: ImageColours): string {
  if (declared === null) return '';
  return declared.kind === 'profile' ? profileFilters(declared.profile) : codedFilters(declared.colours);
}

/** Returns filters that convert from a profile to sRGB, in linear light with 16 bits. */
function profileFilters({ curves, matrix }: IccColours): string {
  const toLight = ['r', 'g', 'b'].map((part, index) => {
    return `${part}='st(0,val/65535);65535*clip(${curves[index]?.expression},0,1)'`;
  });
  const toCode = ['r', 'g', 'b'].map((part) => {
    const curve = 'if(lte(ld(0),0.0031308),12.92*ld(0),1.055*pow(ld(0),1/2.4)-0.055)';
    return `${part}='st(0,val/65535);65535*${curve}'`;
  });
  const mixed = matrix.flatMap((row, y) => row.map((part, x) => `${'rgb'[y]}${'rgb'[x]}=${part.toFixed(6)}`));
  const steps = [`lutrgb=${toLight.join(':')}`, `colorchannelmixer=${mixed.join(':')}`, `lutrgb=${toCode.join(':')}`];
  return ['format=gbrap16le', ...steps].map((step) => `${step},`).join('');
}

function codedFilters(colours: Colours): string {
  const { primaries, transfer, matrix, isFullRange } = colours;
  if (isHdr(colours)) {
    const hdr = transfer === PQ ? ('pq' as const) : ('hlg' as const);
    const described = { colours, hdr, colorMatrix: 'bt2020' as const, pixelFormat: '' };
    return `${colourFilters(described, 'iw:ih')},scale=in_color_matrix=bt709:in_range=tv,format=gbrp,`;
  }
  const known = transfer === ST240M ? SRGB_PRIMARIES : transfer;
  const from = `min=${matrix}:pin=${primaries}:tin=${known}:rin=${isFullRange ? 'full' : 'limited'}`;
  // Subsampled images may have odd sides, which zscale rejects.
  const to = `m=0:p=${SRGB_PRIMARIES}:t=${SRGB_TRANSFER}:r=full`;
  return `crop=trunc(iw/2)*2:trunc(ih/2)*2,zscale=${from}:${to},format=gbrp,`;
}

function isHdr({ transfer }: Colours): boolean {
  return transfer === PQ || transfer === HLG;
}

const READERS: Readonly<Record<ImageKind, (bytes: Buffer) => Buffer | Colours | null>> = {
  jpeg: readJpeg,
  png: readPng,
  webp: readWebp,
  avif: readAvif,
};

/** Returns the profile of a JPEG, which is split into APP2 segments, in order (ICC.1 annex B.4). */
function readJpeg(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1];
    if (marker === 0xda) break;
    if (marker !== 0xe2 || bytes.toString('latin1', at + 4, at + 15) !== 'ICC_PROFILE') continue;
    parts.push(bytes.subarray(at + 18, at + 2 + bytes.readUInt16BE(at + 2)));
  }
  return parts.length === 0 ? null : Buffer.concat(parts);
}

/**
 * Returns the colours of a PNG: cICP, which takes precedence, or else iCCP (PNG third edition, sections 11.3.2.6 and
 * 11.3.2.3).
 */
function readPng(bytes: Buffer): Buffer | Colours | null {
  let profile: Buffer | null = null;
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const data = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at));
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') break;
    if (type === 'cICP') return { primaries: data[0] ?? 1, transfer: data[1] ?? 1, matrix: 0, isFullRange: true };
    if (type !== 'iCCP') continue;
    profile = inflateSync(data.subarray(data.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE_BYTES });
  }
  return profile;
}

/** Returns the profile of a WebP file (RFC 9649 section 2.7.1.4). */
function readWebp(bytes: Buffer): Buffer | null {
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    if (bytes.toString('latin1', at, at + 4) === 'ICCP') return bytes.subarray(at + 8, at + 8 + size);
    at += 8 + size + (size % 2);
  }
  return null;
}

/** Returns the colours of an AVIF file: the first `colr` property (ISO/IEC 14496-12 section 12.1.5). */
function readAvif(bytes: Buffer): Buffer | Colours | null {
  const meta = readBoxes(bytes, { isLenient: true }).find(({ type }) => type === 'meta');
  if (meta === undefined) return null;
  const full = readBoxes(bytes.subarray(meta.payloadStart + 4, meta.end), { isLenient: true });
  const colr = findBox(full, 'iprp', 'ipco', 'colr');
  if (colr === null) return null;
  const data = colr.bytes.subarray(colr.payloadStart, colr.end);
  if (['prof', 'rICC'].includes(data.toString('latin1', 0, 4))) return data.subarray(4);
  const [primaries, transfer, matrix] = [4, 6, 8].map((at) => data.readUInt16BE(at));
  const isFullRange = ((data[10] ?? 0) & 0x80) !== 0;
  return { primaries: primaries ?? 1, transfer: transfer ?? 1, matrix: matrix ?? 1, isFullRange };
}
