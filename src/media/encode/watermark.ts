import { type Colours, HLG, PQ } from '../probe/colours.ts';
import { SWSCALE_MATRICES } from './colour-filters.ts';

/**
 * Position of a watermark in percent of the frame: the upper left corner and size of a box. The watermark is centred in
 * the box, as large as its aspect ratio allows. A side of 0 is derived from the other. If both are 0, the width is 15.
 */
export type WatermarkPosition = {
  leftPercent: number;
  topPercent: number;
  widthPercent: number;
  heightPercent: number;
};

/** A watermark to draw: a PNG created by this service, and its position. */
export type Watermark = WatermarkPosition & { png: Buffer };

const USUAL_WIDTH_PERCENT = 15;

/** White level of graphics as a fraction of the code range (ITU-R BT.2408: 203 cd/m2 in PQ, 75 % in HLG). */
const HDR_WHITE: Readonly<Record<number, number>> = { [PQ]: 0.58, [HLG]: 0.75 };

/** Options that open the watermark on standard input as the second input. */
export const OPEN_WATERMARK: readonly string[] = [
  ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', 'png_pipe', '-codec_whitelist', 'png'],
  ...['-f', 'png_pipe', '-i', 'pipe:0'],
];

/**
 * Builds filter chains that draw the watermark on frames of a size. They read `[plain]` and end without a label.
 * `timeBase` must be the time base of the frames. Otherwise the times of the frames would be rounded to microseconds.
 */
export function watermarkFilters(
  position: WatermarkPosition,
  picture: { widthPx: number; heightPx: number; timeBase: string; colours: Colours },
): string {
  const { widthPx, heightPx, colours } = picture;
  const white = HDR_WHITE[colours.transfer];
  const share = (px: number, percent: number) => Math.round((px * percent) / 100);
  const hasSize = position.widthPercent > 0 || position.heightPercent > 0;
  const boxWidthPx = share(widthPx, hasSize ? position.widthPercent : USUAL_WIDTH_PERCENT);
  const boxHeightPx = share(heightPx, position.heightPercent);
  const mark = [
    `scale=${scaleTo(boxWidthPx, boxHeightPx)}`,
    'format=rgba',
    ...(white === undefined ? [] : [`lutrgb=${['r', 'g', 'b'].map((part) => `${part}=val*${white}`).join(':')}`]),
    `scale=out_color_matrix=${SWSCALE_MATRICES[colours.matrix]}:out_range=${colours.isFullRange ? 'pc' : 'tv'}`,
    `format=${white === undefined ? 'yuva420p' : 'yuva420p10le'}`,
    `settb=${picture.timeBase}`,
  ];
  const x = centre(share(widthPx, position.leftPercent), boxWidthPx, 'overlay_w');
  const y = centre(share(heightPx, position.topPercent), boxHeightPx, 'overlay_h');
  const format = white === undefined ? 'yuv420' : 'yuv420p10';
  return `[1:v:0]${mark.join(',')}[mark];[plain][mark]overlay=x=${x}:y=${y}:eval=init:format=${format}`;
}

function scaleTo(widthPx: number, heightPx: number): string {
  if (heightPx === 0) return `${Math.max(2, widthPx)}:-1`;
  if (widthPx === 0) return `-1:${Math.max(2, heightPx)}`;
  return `${Math.max(2, widthPx)}:${Math.max(2, heightPx)}:force_original_aspect_ratio=decrease`;
}

function centre(startPx: number, boxPx: number, size: string): string {
  return boxPx === 0 ? String(startPx) : `${startPx}+(${boxPx}-${size})/2`;
}
