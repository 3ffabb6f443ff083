import { BT709, type Colours, coloursOf, HLG, PQ } from '../probe/colours.ts';
import { statedPeakNit } from '../probe/hdr-metadata.ts';
import type { VideoFacts } from '../probe/source-facts.ts';

/** Luminance of reference white (ITU-R BT.2408), in cd/m2: white of SDR, and what SDR pictures have at most. */
const REFERENCE_WHITE_NIT = 203;
/** A picture without metadata is taken to be made for a display of this luminance, in cd/m2, as most are. */
const USUAL_PEAK_NIT = 1000;
/**
 * Bounds of what metadata states, in cd/m2. From 500 on reference white becomes 225 to 230 of 255. Brighter than 4,000
 * are displays that nobody masters on.
 */
const MIN_PEAK_NIT = 500;
const MAX_PEAK_NIT = 4000;
/** Up to here, in cd/m2, the curve changes nothing: the luminance of 75 % bars is 101. */
const KNEE_NIT = 102;

/** Code values of the scale filter's `in_color_matrix` by ITU-T H.273: the others are converted by zimg. */
export const SWSCALE_MATRICES: Readonly<Record<number, string>> = {
  ...{ 1: 'bt709', 4: 'fcc', 5: 'bt470', 6: 'smpte170m', 7: 'smpte240m', 9: 'bt2020' },
};
/** Transfer functions of one curve: BT.709, BT.601, BT.2020, and what xvYCC and BT.1361 extend. */
const VIDEO_CURVES = [1, 6, 7, 11, 12, 14, 15];
const ST240M = 7;
const BT1361 = 12;
const ST428 = 17;
const BT2020 = 9;

/** The colours in which an HDR picture is encoded that stays HDR. */
export function hdrColours(video: VideoFacts): Colours {
  return { primaries: BT2020, transfer: coloursOf(video).transfer, matrix: BT2020, isFullRange: false };
}

/**
 * Filters that bring a decoded picture to a size and to other colours, 8-bit or, where these are HDR, 10-bit 4:2:0.
 * Primaries and transfer are converted in linear light where they differ, HDR is tone-mapped to SDR; else only the
 * matrix and the range are, without leaving the code values' domain.
 */
export function colourFilters(video: VideoFacts, size: string, to: Colours = BT709): string {
  const from = coloursOf(video);
  const isHdr = to.transfer === PQ || to.transfer === HLG;
  const format = `format=${isHdr ? 'yuv420p10le' : 'yuv420p'}`;
  if (isSameLight(from, to)) {
    const matrix = from.matrix === 0 ? [] : [`in_color_matrix=${SWSCALE_MATRICES[from.matrix]}`];
    const range = `in_range=${rangeOf(from)}:out_range=${rangeOf(to)}`;
    const parts = [`scale=${size}`, ...matrix, `out_color_matrix=${SWSCALE_MATRICES[to.matrix]}`, range];
    return `${parts.join(':')},${format}`;
  }
  const input = readBy(from);
  // Without both ranges the scale filter makes limited range of full, and says nothing of it.
  const scale = `scale=${size}:in_range=${rangeOf(from)}:out_range=${rangeOf(from)}`;
  if (isHdr || (from.transfer !== PQ && from.transfer !== HLG)) {
    return `${scale},zscale=${input}:${writeBy(to)},${format}`;
  }
  const linear = { primaries: BT2020, transfer: PQ, matrix: 0, isFullRange: true };
  return [
    scale,
    `zscale=${input}:${writeBy(linear)}`,
    'format=gbrp12le',
    toneCurve(peakNit(video)),
    `zscale=${readBy(linear)}:${writeBy(to)}:npl=${REFERENCE_WHITE_NIT}`,
    format,
  ].join(',');
}

/** A filter and a comma where stored 8-bit pictures have other primaries or another transfer than BT.709, else empty. */
export function toBt709Light(from: Colours): string {
  return isSameLight(from, BT709) ? '' : `zscale=${readBy(from)}:${writeBy(BT709)},format=yuv420p,`;
}

/** Encoder options that name the colours of what is encoded: ffmpeg's take code points of ITU-T H.273. */
export function colourArgv({ primaries, transfer, matrix, isFullRange }: Colours): string[] {
  return [
    ...['-colorspace', String(matrix), '-color_primaries', String(primaries), '-color_trc', String(transfer)],
    ...['-color_range', isFullRange ? 'pc' : 'tv'],
  ];
}

/**
 * The curve of HDR to SDR, on each component of R'G'B' in PQ: unchanged up to the knee, from there on towards
 * reference white, which the peak reaches. It is that of ITU-R BT.2390 section 5.4 with another shoulder: the spline's
 * puts reference white anywhere from 210 to 244 of 255, by a number in the metadata that is often wrong.
 */
function toneCurve(peak: number): string {
  const knee = toPq(KNEE_NIT);
  const white = toPq(REFERENCE_WHITE_NIT);
  // x / (1 + x / bend) has a slope of 1 at the knee.
  const [rise, length] = [white - knee, toPq(peak) - knee];
  const bend = (rise * length) / (length - rise);
  const [k, w, b] = [knee, white, bend].map((value) => value.toFixed(7));
  const above = `(val/maxval-${k})`;
  const curve = `maxval*if(lt(val,maxval*${k}),val/maxval,min(${w},${k}+${above}/(1+${above}/${b})))`;
  return `lutrgb=${['r', 'g', 'b'].map((part) => `${part}='${curve}'`).join(':')}`;
}

function peakNit(video: VideoFacts): number {
  // HLG is relative to the display: 1,000 cd/m2 by ITU-R BT.2100.
  const stated = coloursOf(video).transfer === HLG ? null : statedPeakNit(video.hdrMetadata);
  return Math.min(MAX_PEAK_NIT, Math.max(MIN_PEAK_NIT, stated ?? USUAL_PEAK_NIT));
}

/** SMPTE ST 2084. */
function toPq(nit: number): number {
  const y = (nit / 10_000) ** (2610 / 16_384);
  return ((3424 / 4096 + (2413 / 128) * y) / (1 + (2392 / 128) * y)) ** (2523 / 32);
}

function isSameLight(from: Colours, to: Colours): boolean {
  const isReadable = from.matrix === 0 || from.matrix in SWSCALE_MATRICES;
  if (!isReadable || from.primaries !== to.primaries) return false;
  return from.transfer === to.transfer || [from, to].every(({ transfer }) => VIDEO_CURVES.includes(transfer));
}

function readBy({ primaries, transfer, matrix, isFullRange }: Colours): string {
  return `min=${matrix}:pin=${primaries}:tin=${knownTransfer(transfer)}:rin=${isFullRange ? 'full' : 'limited'}`;
}

function writeBy({ primaries, transfer, matrix, isFullRange }: Colours): string {
  return `m=${matrix}:p=${primaries}:t=${knownTransfer(transfer)}:r=${isFullRange ? 'full' : 'limited'}`;
}

/** ffmpeg 5.1 does not hand all transfer functions on to zimg. */
function knownTransfer(transfer: number): number {
  return [ST240M, BT1361, ST428].includes(transfer) ? 1 : transfer;
}

/** A range as the scale filter names it. */
export function rangeOf({ isFullRange }: Colours): string {
  return isFullRange ? 'pc' : 'tv';
}
