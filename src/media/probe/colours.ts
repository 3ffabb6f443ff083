/** Colour description of a video: code points of ITU-T H.273, and whether the full range is used. */
export type Colours = { primaries: number; transfer: number; matrix: number; isFullRange: boolean };

/**
 * HDTV (ITU-R BT.709) in limited range. All encoded SDR video has these colours, unless copied video is in the same set
 * of renditions.
 */
export const BT709: Colours = { primaries: 1, transfer: 1, matrix: 1, isFullRange: false };

export const PQ = 16;
export const HLG = 18;
const RGB = 0;
const BT2020 = 9;

/** ffprobe names of the code points in ITU-T H.273, tables 2 to 4. */
const PRIMARIES: Readonly<Record<string, number>> = {
  ...{ bt709: 1, bt470m: 4, bt470bg: 5, smpte170m: 6, smpte240m: 7, film: 8, bt2020: 9, smpte428: 10 },
  ...{ smpte431: 11, smpte432: 12, ebu3213: 22 },
};
const TRANSFERS: Readonly<Record<string, number>> = {
  ...{ bt709: 1, bt470m: 4, bt470bg: 5, smpte170m: 6, smpte240m: 7, linear: 8, log100: 9, log316: 10 },
  ...{ 'iec61966-2-4': 11, bt1361e: 12, 'iec61966-2-1': 13, 'bt2020-10': 14, 'bt2020-12': 15 },
  ...{ smpte2084: PQ, smpte428: 17, 'arib-std-b67': HLG },
};
const MATRICES: Readonly<Record<string, number>> = {
  ...{ gbr: RGB, bt709: 1, fcc: 4, bt470bg: 5, smpte170m: 6, smpte240m: 7, ycgco: 8, bt2020nc: 9, bt2020c: 10 },
  ...{ 'chroma-derived-nc': 12, 'chroma-derived-c': 13, ictcp: 14 },
};

/** ffprobe's colour fields of a stream. Missing fields are null. */
type StatedColours = {
  primaries: string | null;
  transfer: string | null;
  matrix: string | null;
  range: string | null;
  pixelFormat: string;
  widthPx: number;
  heightPx: number;
  /** `dv_bl_signal_compatibility_id` of a Dolby Vision configuration. */
  dolbyBaseLayer: number | null;
};

/**
 * Completes a stream's declared colours with the assumptions of players: HDR is BT.2020, the base layer of Dolby Vision
 * has the colours in its configuration, and the matrix of other video follows from its size.
 */
export function completeColours(stated: StatedColours): Colours {
  const { pixelFormat } = stated;
  const isRgb = /^(gbr|rgb|bgr|argb|abgr|0rgb|0bgr|x2rgb|x2bgr|pal8)/.test(pixelFormat);
  const base = DOLBY_BASE_LAYERS[stated.dolbyBaseLayer ?? 0] ?? null;
  const transfer = TRANSFERS[stated.transfer ?? ''] ?? base?.transfer ?? 1;
  const statedMatrix = MATRICES[stated.matrix ?? ''] ?? base?.matrix ?? null;
  const isWide = transfer === PQ || transfer === HLG || [BT2020, 10, 14].includes(statedMatrix ?? 1);
  const primaries = PRIMARIES[stated.primaries ?? ''] ?? (isWide ? BT2020 : 1);
  const matrix = isRgb ? RGB : statedMatrix === RGB ? null : statedMatrix;
  const isFullRange = isRgb || stated.range === 'pc' || pixelFormat.startsWith('yuvj') || isGrey(stated);
  return { primaries, transfer, matrix: matrix ?? usualMatrix(primaries, isWide, stated), isFullRange };
}

/** Properties of a video that describe its colours. */
type DescribedVideo = {
  colours?: Colours;
  hdr: 'pq' | 'hlg' | null;
  colorMatrix: 'bt601' | 'bt709' | 'bt2020';
  pixelFormat: string;
};

/** Returns the colours of a source. Records of earlier versions contain fewer fields. */
export function coloursOf(video: DescribedVideo): Colours {
  if (video.colours !== undefined) return video.colours;
  const { hdr, colorMatrix, pixelFormat } = video;
  const isFullRange = pixelFormat.startsWith('yuvj');
  if (hdr !== null) return { primaries: BT2020, transfer: hdr === 'pq' ? PQ : HLG, matrix: BT2020, isFullRange };
  return { ...BT709, matrix: { bt601: 6, bt709: 1, bt2020: BT2020 }[colorMatrix], isFullRange };
}

export function hasSameColours(one: Colours, other: Colours): boolean {
  return (
    one.primaries === other.primaries &&
    one.transfer === other.transfer &&
    one.matrix === other.matrix &&
    one.isFullRange === other.isFullRange
  );
}

/**
 * Primaries, transfer functions and matrices (ITU-T H.273) that players show well enough even without support for them:
 * HDTV, and SDTV of both systems.
 */
const SHOWN_COLOURS: readonly (readonly number[])[] = [
  [1, 5, 6, 7],
  [1, 4, 5, 6, 7, 13, 14, 15],
  [1, 5, 6],
];

/**
 * Whether a video may be shown unchanged, with rungs in the same colours. Wide gamut video may not, because many
 * players treat it as BT.709, which causes colour errors of up to 123 out of 255.
 */
export function isShownByAll({ primaries, transfer, matrix }: Colours): boolean {
  return [primaries, transfer, matrix].every((code, index) => SHOWN_COLOURS[index]?.includes(code));
}

/** Colours of base layers by `dv_bl_signal_compatibility_id` ("Dolby Vision Streams Within the ISO BMFF", table 2). */
const DOLBY_BASE_LAYERS: Readonly<Record<number, { transfer: number; matrix: number }>> = {
  1: { transfer: PQ, matrix: BT2020 },
  2: { transfer: 1, matrix: 1 },
  4: { transfer: HLG, matrix: BT2020 },
  6: { transfer: PQ, matrix: BT2020 },
};

function isGrey({ pixelFormat, range }: StatedColours): boolean {
  return /^(gray|ya|mono)/.test(pixelFormat) && range !== 'tv';
}

function usualMatrix(primaries: number, isWide: boolean, { widthPx, heightPx }: StatedColours): number {
  if (isWide || primaries === BT2020) return BT2020;
  if (primaries === 5 || primaries === 6) return primaries;
  if (primaries === 11 || primaries === 12) return 1;
  // Players treat untagged HD as BT.709 and other sizes as BT.601.
  return heightPx >= 720 || widthPx >= 1280 ? 1 : 6;
}
