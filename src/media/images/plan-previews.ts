import { type FfmpegPlan, QUIET_ARGV } from '../ffmpeg/ffmpeg-plan.ts';
import { SANDBOX_OUTPUT } from '../ffmpeg/sandbox-argv.ts';
import { toNumber } from '../probe/frame-rate.ts';
import type { Rational } from '../probe/source-facts.ts';
import type { Stretch } from './cut-samples.ts';
import { type FrameFormat, framesIn, matrixOf, READ_RENDITION, toEven } from './plan-images.ts';

/** Files that one run creates. */
export const PREVIEW_NAMES = ['preview.webp', 'preview.gif', 'preview_hq.webm', 'preview_hq.mp4'] as const;

/**
 * Duration of a preview, in seconds. `WHOLE_UP_TO_SEC` is the maximum duration of a video whose preview is only its
 * beginning.
 */
const PREVIEW_SEC = 3;
const WHOLE_UP_TO_SEC = 6;
const SMALL_LONG_SIDE_PX = 320;
const GIF_LONG_SIDE_PX = 240;
const HQ_LONG_SIDE_PX = 480;
const SMALL_RATE = 10;
const MAX_HQ_RATE = 30;

/**
 * Chooses the time ranges of a preview, 3 s in total: the beginning of a short video, else equally long ranges that
 * start at the moments. Moves ranges that would overlap, or extend past the video, just enough to avoid that.
 */
export function choosePreview(ticks: readonly number[], endTick: number, timescale: number): Stretch[] {
  if (endTick <= WHOLE_UP_TO_SEC * timescale) {
    return [{ fromTick: 0, toTick: Math.min(endTick, PREVIEW_SEC * timescale) }];
  }
  const pieceTicks = Math.round((PREVIEW_SEC * timescale) / Math.max(1, ticks.length));
  const starts: number[] = [];
  for (const tick of ticks) starts.push(Math.max(tick, (starts.at(-1) ?? -pieceTicks) + pieceTicks));
  // The last ranges may now extend past the end. Move them back, and earlier ranges as far as necessary.
  let limit = endTick;
  return starts
    .reverse()
    .map((start) => {
      limit = Math.min(start, limit - pieceTicks);
      return { fromTick: limit, toTick: limit + pieceTicks };
    })
    .reverse();
}

/**
 * Plans one run that reads time ranges of a rendition (`cutSamples`) on standard input and writes the animations of
 * `PREVIEW_NAMES` to the output folder: the ranges in sequence, without audio. WebP and GIF have 320 and 240 pixels on
 * the long side and 10 fps. The others have 480 pixels at the rendition's rate, at most 30 fps.
 */
export function planPreviews(stretches: readonly Stretch[], frame: FrameFormat, rate: Rational): FfmpegPlan {
  const wanted = stretches.map(({ fromTick, toTick }) => `gte(pts,${fromTick})*lt(pts,${toTick})`).join('+');
  const hqRate = toNumber(rate) > MAX_HQ_RATE ? String(MAX_HQ_RATE) : `${rate.num}/${rate.den}`;
  const graph = [
    `${framesIn(frame)}select='${wanted}',setpts='PTS-(${writeGaps(stretches)})',` +
      `fps=fps=${hqRate}:start_time=0:eof_action=pass,split=2[hq][fast]`,
    `[hq]scale=${fitInto(frame, HQ_LONG_SIDE_PX)}:in_color_matrix=${matrixOf(frame)}:` +
      'out_color_matrix=bt709:out_range=tv,format=yuv420p,setsar=1,split=2[webm][mp4]',
    `[fast]fps=fps=${SMALL_RATE}:eof_action=pass,scale=${fitInto(frame, SMALL_LONG_SIDE_PX)}:` +
      `in_color_matrix=${matrixOf(frame)}:out_color_matrix=bt601:out_range=tv,setsar=1,split=2[w][g]`,
    '[w]format=yuv420p[webp]',
    // With a palette of 256 colours, an input of 32,768 colours looks as good as full colour, and palette look-ups are
    // six times as fast.
    `[g]scale=${fitInto(frame, GIF_LONG_SIDE_PX)}:in_color_matrix=bt601,format=rgb555,format=rgb24,split=2[p][q];` +
      '[p]palettegen[palette];[q][palette]paletteuse=dither=bayer:bayer_scale=4[gif]',
  ];
  const outputs = Object.entries(ENCODERS).flatMap(([name, argv]) => [
    ...['-map', `[${name.slice(name.indexOf('.') + 1)}]`, '-map_metadata', '-1', '-fflags', '+bitexact'],
    ...['-flags:v', '+bitexact', ...argv, `file:${SANDBOX_OUTPUT}/${name}`],
  ]);
  const argv = [...QUIET_ARGV, ...READ_RENDITION, '-filter_complex', graph.join(';'), ...outputs];
  return { argv, outputs: [], durationSec: PREVIEW_SEC };
}

const BT709 = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'];
const ENCODERS: Record<(typeof PREVIEW_NAMES)[number], readonly string[]> = {
  'preview.webp': ['-c:v', 'libwebp_anim', '-compression_level', '0', '-q:v', '60', '-loop', '0', '-f', 'webp'],
  'preview.gif': ['-c:v', 'gif', '-loop', '0', '-f', 'gif'],
  'preview_hq.webm': [
    ...['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-crf', '36', '-b:v', '0'],
    ...['-threads', '1', ...BT709, '-f', 'webm'],
  ],
  'preview_hq.mp4': [
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'main', '-crf', '26', '-threads', '1'],
    ...[...BT709, '-movflags', '+faststart', '-f', 'mp4'],
  ],
};

/**
 * Returns an expression for the amount to subtract from a frame's time: the start of the first range, and every gap
 * before the frame.
 */
function writeGaps(stretches: readonly Stretch[]): string {
  const gaps = stretches.map(({ fromTick }, index) => {
    const before = index === 0 ? 0 : (stretches[index - 1]?.toTick ?? 0);
    return index === 0 ? String(fromTick) : `gte(PTS,${fromTick})*${fromTick - before}`;
  });
  return gaps.join('+');
}

function fitInto({ widthPx, heightPx }: FrameFormat, longSidePx: number): string {
  const scale = Math.min(1, longSidePx / Math.max(widthPx, heightPx));
  return `${toEven(widthPx * scale)}:${toEven(heightPx * scale)}`;
}
