import { SWSCALE_MATRICES, toBt709Light } from '../encode/colour-filters.ts';
import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../ffmpeg/ffmpeg-plan.ts';
import type { Colours } from '../probe/colours.ts';
import { GUARD_ARGV } from '../probe/open-source.ts';
import { LEAD_SEC } from './cut-samples.ts';
import { MINIATURE } from './miniature.ts';
import { MAX_LONG_SIDE_PX } from './plan-image.ts';
import { SHEET_SIDE, type SheetRange, type Storyboard, TILES_PER_SHEET } from './storyboard.ts';

/** Format of a rendition's frames as stored, upright and with square pixels. */
export type FrameFormat = { widthPx: number; heightPx: number; colours: Colours };

const ROUNDED = 0.02;

/** Options that keep the times of the rendition's frames, in ticks. */
const AS_THEY_ARE = ['-fps_mode', 'passthrough', '-enc_time_base', '-1'];

/** Sheets to create, and their source frames: keyframes, or the first frame of each interval of `sampleEverySec`. */
export type SheetsToMake = { board: Storyboard; range: SheetRange; sampleEverySec: number | null };

/**
 * Plans one run over the samples of a range of a rendition (`cutSamples`) on standard input. Its outputs are the sheets
 * of the range as a multipart stream of JPEGs, grey miniatures, and their times as `framecrc` text.
 */
export function planSheets({ board, range, sampleEverySec }: SheetsToMake, frame: FrameFormat): FfmpegPlan {
  const { everySec } = board;
  const tiles = Math.min(board.frames, range.end * TILES_PER_SHEET) - range.first * TILES_PER_SHEET;
  const fitted = [
    `setpts=PTS-${range.fromSec}/TB`,
    // Rounding up moves a frame to the first tile at or after its time: tile n shows the frame at n * everySec.
    `fps=fps=1/${everySec}:round=up:start_time=0,tpad=stop_mode=clone:stop=-1,trim=end_frame=${tiles}`,
    ...fitTile(board, frame),
    `setsar=1,tile=${SHEET_SIDE}x${SHEET_SIDE}`,
  ];
  const when = sampleEverySec === null ? 'key' : `isnan(prev_selected_t)+gte(t-prev_selected_t,${sampleEverySec})`;
  const miniature = `scale=${MINIATURE.widthPx}:${MINIATURE.heightPx}:flags=area,format=gray`;
  const graph = [
    `${framesIn(frame)}split=2[all][some]`,
    `[all]${fitted.join(',')}[sheets]`,
    `[some]select='${when}',${miniature},split=2[grey][times]`,
  ];
  return planRun(graph, ['sheets', 'grey', 'times'], {
    sheets: ['-c:v', 'mjpeg', '-q:v', '5', '-f', 'mpjpeg'],
    grey: ['-f', 'rawvideo'],
    times: ['-f', 'framecrc'],
  });
}

/**
 * Plans one run over time ranges of a rendition (`cutSamples`) on standard input. For the frames shown at `ticks`, in
 * order of time, it writes a JPEG with at most 1920 pixels on the long side and a miniature with four bytes per pixel.
 */
export function planPosters(ticks: readonly number[], frame: FrameFormat): FfmpegPlan {
  const scale = Math.min(1, MAX_LONG_SIDE_PX / Math.max(frame.widthPx, frame.heightPx));
  const size = [frame.widthPx, frame.heightPx].map((px) => toEven(px * scale)).join(':');
  const graph = [
    `${framesIn(frame)}select='${ticks.map((tick) => `eq(pts,${tick})`).join('+')}',split=2[whole][small]`,
    `[whole]scale=${size}:${toJpegColours(frame)},format=yuvj420p,setsar=1[posters]`,
    `[small]scale=${MINIATURE.widthPx}:${MINIATURE.heightPx}:flags=area:in_color_matrix=${matrixOf(frame)},` +
      'format=rgba[miniatures]',
  ];
  return planRun(graph, ['posters', 'miniatures'], {
    posters: ['-c:v', 'mjpeg', '-q:v', '3', '-f', 'mpjpeg'],
    miniatures: ['-f', 'rawvideo'],
  });
}

/**
 * Fits a frame into a tile. Sides are rounded to even numbers, so a frame whose aspect ratio differs only by rounding
 * fills the tile without bars.
 */
function fitTile({ tileWidthPx, tileHeightPx }: Storyboard, frame: FrameFormat): string[] {
  const shape = (tileWidthPx * frame.heightPx) / (tileHeightPx * frame.widthPx);
  const scale = `scale=${tileWidthPx}:${tileHeightPx}:${toJpegColours(frame)}`;
  if (Math.abs(shape - 1) < ROUNDED) return [scale, 'format=yuvj420p'];
  const pad = `pad=${tileWidthPx}:${tileHeightPx}:(ow-iw)/2:(oh-ih)/2`;
  return [`${scale}:force_original_aspect_ratio=decrease`, 'format=yuvj420p', pad];
}

function planRun(graph: readonly string[], outputs: readonly string[], formats: Record<string, string[]>): FfmpegPlan {
  const written = outputs.flatMap((label, index) => [
    ...['-map', `[${label}]`, ...AS_THEY_ARE, '-map_metadata', '-1', '-fflags', '+bitexact', '-flags:v', '+bitexact'],
    ...[...(formats[label] ?? []), `pipe:${FIRST_OUTPUT_FD + index}`],
  ]);
  return {
    argv: [...QUIET_ARGV, ...READ_RENDITION, '-filter_complex', graph.join(';'), ...written],
    outputs,
    durationSec: 1,
  };
}

/**
 * Returns the start of a filter graph. Its output frames have the primaries and transfer function of BT.709, and the
 * times of the rendition in ticks.
 */
export function framesIn({ colours }: FrameFormat): string {
  return `[0:v:0]setpts=PTS-${LEAD_SEC}/TB,${toBt709Light(colours)}`;
}

/** Returns the scale filter's name of the colour matrix of frames from `framesIn`. */
export function matrixOf({ colours }: FrameFormat): string {
  return toBt709Light(colours) === '' ? (SWSCALE_MATRICES[colours.matrix] ?? 'bt709') : 'bt709';
}

/** Options that open a stream of cut samples on standard input. */
export const READ_RENDITION: readonly string[] = ['-copyts', ...GUARD_ARGV, '-threads', '1', '-i', 'pipe:0'];

/**
 * Returns scale options that convert to the colours of a JPEG. A JPEG does not declare its colours, so decoders assume
 * BT.601 with full range (JFIF 1.02).
 */
function toJpegColours(frame: FrameFormat): string {
  return `in_color_matrix=${matrixOf(frame)}:out_color_matrix=bt601:out_range=pc`;
}

export function toEven(px: number): number {
  return Math.max(2, 2 * Math.round(px / 2));
}
