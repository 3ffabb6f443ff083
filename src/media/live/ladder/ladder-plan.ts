import { chooseLevel } from '../../encode/codecs/h264.ts';
import { type LadderOptions, planLadder, type RungPlan } from '../../encode/ladder.ts';
import { type WatermarkPosition, watermarkFilters } from '../../encode/watermark.ts';
import { FIRST_OUTPUT_FD } from '../../ffmpeg/ffmpeg-plan.ts';
import { DECODER_GUARD } from '../../ffmpeg/usual-decoders.ts';
import { BT709 } from '../../probe/colours.ts';
import { MAX_PIXELS, SOURCE_URL } from '../../probe/open-source.ts';
import type { TrackConfig } from '../tracks/access-unit.ts';
import { hasDeepPictures } from '../tracks/sample-entry.ts';

/** Rungs to encode in addition to the source rendition, and the processor cores that they need. */
export type LiveLadder = { rungs: readonly RungPlan[]; cores: number };

/** Core seconds per pixel, measured with x264 `veryfast` on camera video and H.264 decoding. */
const DECODE_SEC = 2.2e-9;
const ENCODE_SEC = 1.1e-8;
/** Assumed frame rate if the publisher's encoder declares none. */
const USUAL_RATE = 30;
/** Exponent of the bit rate as a function of the number of pixels: half the pixels need about 0.6 of the bits. */
const COST_EXPONENT = 0.75;
const MIN_CAP_SHARE = 1 / 3;
/** Minimum number of pixels per frame for which one thread is too slow, such as 720p. */
const THREADED_PX = 900_000;
const FASTEST_RATE = 120;
/** Time base of Matroska's timestamps. */
const TIME_BASE = '1/1000';
/**
 * The same for encoders. With `-1`, ffmpeg uses the frame duration behind a filter with two inputs, such as a
 * watermark, and rounds the odd times of keyframes.
 */
const ENCODER_TIME_BASE = '1:1000';
/** ffmpeg expression that forces a keyframe at odd times (`ladderTimeMs`). */
const FORCED_KEYS = 'expr:eq(mod(round(t*1000),2),1)';

/**
 * Plans a library's rungs below the size of a publisher's video, highest first. Plans none if no rung is smaller, and
 * none for HDR, which is passed on unchanged: 8-bit rungs would show other colours.
 */
export function planLiveLadder(source: TrackConfig, options: LadderOptions, sourceBps = 0): LiveLadder {
  const isKept = hasDeepPictures(source.sampleEntry);
  const smaller = isKept ? [] : planRungs(source, options).filter((rung) => pixelsOf(rung) < pixelsOf(source));
  const rungs = smaller.map((rung) => capBySource(rung, source, sourceBps));
  return { rungs, cores: coresFor(source, rungs) };
}

/**
 * Caps a rung by its source, because a rung must not need more bits per pixel than the source. The cap is at least a
 * third of the usual one, because a stream may begin with a still image.
 */
function capBySource(rung: RungPlan, source: TrackConfig, sourceBps: number): RungPlan {
  if (sourceBps <= 0) return rung;
  const share = (pixelsOf(rung) / pixelsOf(source)) ** COST_EXPONENT;
  const capBps = Math.max(Math.round(sourceBps * share), Math.round(rung.maxBitrateBps * MIN_CAP_SHARE));
  return { ...rung, maxBitrateBps: Math.min(rung.maxBitrateBps, capBps) };
}

/** Plans the single rendition that replaces a publisher's video if the video must not be shown without a watermark. */
export function planMarkedSource(source: TrackConfig, options: LadderOptions): LiveLadder {
  const rungs = planRungs(source, options).slice(0, 1);
  return { rungs, cores: coresFor(source, rungs) };
}

/**
 * Returns the time of a frame on the clock of an encoder, in ms: the nearest even time, plus 1 if a keyframe is forced.
 * ffmpeg can force keyframes by an expression of the time since the first frame, which is a keyframe and has time 0.
 * The alternative, a keyframe at each keyframe of the source, would also force one for each repetition of a frozen
 * frame.
 */
export function ladderTimeMs(ms: number, forcesKey: boolean): number {
  return 2 * Math.round(ms / 2) + (forcesKey && ms > 0 ? 1 : 0);
}

function planRungs({ widthPx, heightPx }: TrackConfig, options: LadderOptions): RungPlan[] {
  return planLadder({ video: { displayWidthPx: widthPx, displayHeightPx: heightPx } }, options);
}

function coresFor(source: TrackConfig, rungs: readonly RungPlan[]): number {
  const encodedPx = rungs.reduce((sum, rung) => sum + pixelsOf(rung), 0);
  return rateOf(source) * (pixelsOf(source) * DECODE_SEC + encodedPx * ENCODE_SEC);
}

function pixelsOf({ widthPx, heightPx }: { widthPx: number; heightPx: number }): number {
  return widthPx * heightPx;
}

function rateOf({ frameRate }: TrackConfig): number {
  return frameRate > 0 ? Math.min(frameRate, FASTEST_RATE) : USUAL_RATE;
}

/**
 * Builds the arguments of one ffmpeg for all rungs of a stream: Matroska in, one FLV file per rung out, each frame with
 * its input time. Frames are not reordered or delayed, and keyframes are where `ladderTimeMs` forces them. A watermark,
 * a PNG mounted as the sandbox's source, is drawn on the first rung, and the other rungs inherit it.
 */
export function ladderArgv(source: TrackConfig, rungs: readonly RungPlan[], mark: WatermarkPosition | null): string[] {
  const num = Math.round(rateOf(source) * 1000);
  const outputs = rungs.flatMap((rung, index) => [
    ...['-map', `[v${index}]`, '-c:v', 'libx264', '-preset', 'veryfast', '-tune', 'zerolatency', '-profile:v', 'high'],
    ...['-level:v', chooseLevel({ rung, rate: { num, den: 1000 } }), '-crf', '23'],
    ...['-maxrate', String(rung.maxBitrateBps), '-bufsize', String(rung.maxBitrateBps)],
    ...['-force_key_frames', FORCED_KEYS, '-forced-idr', '1', '-g', '100000', '-sc_threshold', '0', '-flags', '+cgop'],
    ...['-threads', rung.widthPx * rung.heightPx >= THREADED_PX ? '2' : '1', '-pix_fmt', 'yuv420p'],
    ...['-enc_time_base', ENCODER_TIME_BASE, '-fps_mode', 'passthrough', '-map_metadata', '-1', '-fflags', '+bitexact'],
    ...['-flvflags', 'no_duration_filesize', '-flush_packets', '1', '-f', 'flv', `pipe:${FIRST_OUTPUT_FD - 1 + index}`],
  ]);
  return [
    ...['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'level+warning'],
    ...['-filter_threads', '1', '-filter_complex_threads', '1', '-copyts'],
    ...['-protocol_whitelist', 'pipe', '-format_whitelist', 'matroska,webm', ...DECODER_GUARD],
    ...['-max_pixels', String(MAX_PIXELS)],
    // Do not use `nobuffer`. It drops everything read during probing, which is the whole first GOP.
    ...['-probesize', '32768', '-analyzeduration', '0', '-threads', '1', '-f', 'matroska', '-i', 'pipe:0'],
    ...(mark === null ? [] : OPEN_MARK),
    ...['-filter_complex', scaling(rungs, mark), ...outputs],
  ];
}

const OPEN_MARK: readonly string[] = [
  ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', 'png_pipe', '-codec_whitelist', 'png'],
  ...['-f', 'png_pipe', '-i', SOURCE_URL],
];

/** Scales each rung from the one above it. */
function scaling(rungs: readonly RungPlan[], mark: WatermarkPosition | null): string {
  return rungs
    .map((rung, index) => {
      const input = index === 0 ? '[0:v]' : `[rest${index}]`;
      const rest = index === rungs.length - 1 ? `[v${index}]` : `,split=2[v${index}][rest${index + 1}]`;
      const picture = { ...rung, timeBase: TIME_BASE, colours: BT709 };
      const marking = index > 0 || mark === null ? '' : `[plain];${watermarkFilters(mark, picture)}`;
      return `${input}scale=${rung.widthPx}:${rung.heightPx},setsar=1${marking}${rest}`;
    })
    .join(';');
}
