import { BT709, type Colours, coloursOf, HLG, PQ } from '../probe/colours.ts';
import { statedPeakNit } from '../probe/hdr-metadata.ts';
import type { VideoFacts } from '../probe/source-facts.ts';

/** Luminance of reference white (ITU-R BT.2408), in cd/m2. It is SDR white and the maximum of SDR video. */
const REFERENCE_WHITE_NIT = 203;
/** Assumed mastering display luminance of video without metadata, in cd/m2. Most video has this value. */
const USUAL_PEAK_NIT = 1000;
/**
 * Limits of the luminance in metadata, in cd/m2. From 500 on, reference white becomes 225 to 230 out of 255. No
 * mastering display is brighter than 4,000.
 */
const MIN_PEAK_NIT = 500;
const MAX_PEAK_NIT = 4000;
/** Luminance in cd/m2 up to which the tone curve is the identity. 75 % colour bars have 101. */
const KNEE_NIT = 102;

/** ITU-T H.273 matrices that the scale filter supports as `in_color_matrix`. zimg converts the others. */
export const SWSCALE_MATRICES: Readonly<Record<number, string>> = {
  ...{ 1: 'bt709', 4: 'fcc', 5: 'bt470', 6: 'smpte170m', 7: 'smpte240m', 9: 'bt2020' },
};
/** Transfer functions with the same curve: BT.709, BT.601, BT.2020, and the extended ones of xvYCC and BT.1361. */
const VIDEO_CURVES = [1, 6, 7, 11, 12, 14, 15];
const ST240M = 7;
const BT1361 = 12;
const ST428 = 17;
const BT2020 = 9;

/** Colours of a video, and the luminance from its metadata. */
type DescribedColours = Pick<VideoFacts, 'colours' | 'hdr' | 'hdrMetadata' | 'colorMatrix' | 'pixelFormat'>;

/** Returns the output colours of an HDR encode that stays HDR. */
export function hdrColours(video: VideoFacts): Colours {
  return { primaries: BT2020, transfer: coloursOf(video).transfer, matrix: BT2020, isFullRange: false };
}

/**
 * Builds filters that convert decoded frames to a size and to output colours, in 4:2:0 with 8 bits or, for HDR, 10
 * bits. If the primaries or the transfer function differ, converts in linear light and tone-maps HDR to SDR. Otherwise
 * converts only the matrix and range, directly on the code values. If a graph contains several of these chains, each
 * needs a different `label`.
 */
export function colourFilters(video: DescribedColours, size: string, to: Colours = BT709, label = ''): string {
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
  // Without both ranges, the scale filter silently converts full range to limited.
  const scale = `scale=${size}:in_range=${rangeOf(from)}:out_range=${rangeOf(from)}`;
  if (isHdr || (from.transfer !== PQ && from.transfer !== HLG)) {
    return `${scale},zscale=${input}:${writeBy(to)},${format}`;
  }
  const rgb = { primaries: BT2020, matrix: 0, isFullRange: true };
  const isHlg = from.transfer === HLG;
  return [
    scale,
    `zscale=${input}:${writeBy({ ...rgb, transfer: isHlg ? HLG : PQ })}`,
    `format=gbrp12le${isHlg ? showHlg(`hlg${label}`) : ''}`,
    toneCurve(peakNit(video)),
    `zscale=${readBy({ ...rgb, transfer: PQ })}:${writeBy(to)}:npl=${REFERENCE_WHITE_NIT}`,
    format,
  ].join(',');
}

/**
 * Returns a conversion filter and a comma if the primaries or the transfer function of stored 8-bit video differ from
 * BT.709, else an empty string.
 */
export function toBt709Light(from: Colours): string {
  return isSameLight(from, BT709) ? '' : `zscale=${readBy(from)}:${writeBy(BT709)},format=yuv420p,`;
}

/** Returns encoder options that tag the output's colours with the code points of ITU-T H.273. */
export function colourArgv({ primaries, transfer, matrix, isFullRange }: Colours): string[] {
  return [
    ...['-colorspace', String(matrix), '-color_primaries', String(primaries), '-color_trc', String(transfer)],
    ...['-color_range', isFullRange ? 'pc' : 'tv'],
  ];
}

/**
 * Returns the tone curve from HDR to SDR for each component of R'G'B' in PQ: the identity up to the knee, then a rise
 * to reference white at the peak. It follows ITU-R BT.2390 section 5.4 with a different shoulder: the spline there maps
 * reference white to values from 210 to 244 out of 255, depending on a number in the metadata that is often wrong.
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

/**
 * Level of the colour table below. The table has the square of this number of nodes per side: 36, with a colour error
 * of at most 5 out of 255.
 */
const TABLE_LEVEL = 6;

/**
 * Returns the end of a filter chain that converts R'G'B' of HLG to PQ, as shown on a display of 1,000 cd/m2. In ITU-R
 * BT.2100 table 5, the OOTF with gamma 1.2 depends on the luminance of all components. The OOTF of zimg in ffmpeg 5.1
 * depends on each component alone, so the graph computes a colour table and applies it with `haldclut`. Interpolation
 * is accurate because both signals are smooth. In ffmpeg 5.1, the second input of `haldclut` reads the planes G, B, R
 * as R, G, B.
 */
function showHlg(label: string): string {
  const light = (code: string) =>
    `if(lte(${code},0.5),${code}*${code}/3,(exp((${code}-0.55991073)/0.17883277)+0.28466892)/12)`;
  const read = ['r', 'g', 'b']
    .map((part, index) => `st(${index},${part}(X,Y)/4095);st(${index},${light(`ld(${index})`)})`)
    .join(';');
  const luminance = 'st(3,pow(max(1e-9,0.2627*ld(0)+0.678*ld(1)+0.0593*ld(2)),0.2))';
  const shown = (at: number) => `st(4,pow(0.1*ld(3)*ld(${at}),2610/16384))`;
  const toCode = '4095*pow((3424/4096+2413/128*ld(4))/(1+2392/128*ld(4)),2523/32)';
  const planes = ['g', 'b', 'r'].map((plane, index) => `${plane}='${read};${luminance};${shown(index)};${toCode}'`);
  const table = [
    `haldclutsrc=level=${TABLE_LEVEL}`,
    'trim=end_frame=1',
    'format=gbrp12le',
    `geq=${planes.join(':')}`,
    // Frames before the first frame of the table would pass unchanged.
    'setpts=PTS-1000000/TB',
  ];
  return `[${label}];${table.join(',')}[${label}table];[${label}][${label}table]haldclut`;
}

function peakNit(video: DescribedColours): number {
  // HLG is relative to the display, for which ITU-R BT.2100 uses 1,000 cd/m2.
  const stated = coloursOf(video).transfer === HLG ? null : statedPeakNit(video.hdrMetadata);
  return Math.min(MAX_PEAK_NIT, Math.max(MIN_PEAK_NIT, stated ?? USUAL_PEAK_NIT));
}

/** Converts luminance in cd/m2 to a PQ signal from 0 to 1 (SMPTE ST 2084). */
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

/** Substitutes BT.709 for transfer functions that ffmpeg 5.1 does not pass to zimg. */
function knownTransfer(transfer: number): number {
  return [ST240M, BT1361, ST428].includes(transfer) ? 1 : transfer;
}

/** Returns the scale filter's name of a colour range. */
export function rangeOf({ isFullRange }: Colours): string {
  return isFullRange ? 'pc' : 'tv';
}
