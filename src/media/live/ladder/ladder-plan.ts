import { chooseLevel } from '../../encode/codecs/h264.ts';
import { type LadderOptions, planLadder, type RungPlan } from '../../encode/ladder.ts';
import { type WatermarkPlace, watermarkFilters } from '../../encode/watermark.ts';
import { FIRST_OUTPUT_FD } from '../../ffmpeg/ffmpeg-plan.ts';
import { DECODER_GUARD } from '../../ffmpeg/usual-decoders.ts';
import { BT709 } from '../../probe/colours.ts';
import { MAX_PIXELS, SOURCE_URL } from '../../probe/open-source.ts';
import type { TrackConfig } from '../tracks/access-unit.ts';
import { hasDeepPictures } from '../tracks/sample-entry.ts';

/** Rungs to encode beside the pictures as they come, and what one second of them takes of a core. */
export type LiveLadder = { rungs: readonly RungPlan[]; cores: number };

/** Seconds of a core a picture element: measured with x264 `veryfast` on camera pictures, decoding H.264. */
const DECODE_SEC = 2.2e-9;
const ENCODE_SEC = 1.1e-8;
/** Where the encoder of a publisher gives no frame rate. */
const USUAL_RATE = 30;
/** Half the picture elements take about 0.6 of the bits. */
const COST_EXPONENT = 0.75;
const LEAST_CAP_SHARE = 1 / 3;
/** From here on one thread is late: 720p. */
const THREADED_PX = 900_000;
const FASTEST_RATE = 120;
/** Of Matroska's timestamps. */
const TIME_BASE = '1/1000';

/**
 * The rungs of a library below the size of a publisher's pictures, highest first; none where nothing is smaller, and
 * none of pictures with high dynamic range, which are sent on as they are: rungs of 8 bits would show other colours.
 */
export function planLiveLadder(source: TrackConfig, options: LadderOptions, sourceBps = 0): LiveLadder {
  const isKept = hasDeepPictures(source.sampleEntry);
  const smaller = isKept ? [] : planRungs(source, options).filter((rung) => pixelsOf(rung) < pixelsOf(source));
  const rungs = smaller.map((rung) => capBySource(rung, source, sourceBps));
  return { rungs, cores: coresFor(source, rungs) };
}

/**
 * A rung must not cost more than its source: its cap is at most what the source takes for as many picture elements.
 * Never below a third of the usual cap: a stream may begin with a still picture.
 */
function capBySource(rung: RungPlan, source: TrackConfig, sourceBps: number): RungPlan {
  if (sourceBps <= 0) return rung;
  const share = (pixelsOf(rung) / pixelsOf(source)) ** COST_EXPONENT;
  const capBps = Math.max(Math.round(sourceBps * share), Math.round(rung.maxBitrateBps * LEAST_CAP_SHARE));
  return { ...rung, maxBitrateBps: Math.min(rung.maxBitrateBps, capBps) };
}

/** The one rendition that stands for a publisher's pictures where these may not be shown as they come. */
export function planMarkedSource(source: TrackConfig, options: LadderOptions): LiveLadder {
  const rungs = planRungs(source, options).slice(0, 1);
  return { rungs, cores: coresFor(source, rungs) };
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
 * One ffmpeg for all rungs of a stream: Matroska comes in, an FLV file a rung goes out, each frame under the time at
 * which it came. No picture is reordered or held back, and keyframes are where the source has them. A mark, a PNG as
 * the sandbox's source, is drawn over the first rung, from where the others have it.
 */
export function ladderArgv(source: TrackConfig, rungs: readonly RungPlan[], mark: WatermarkPlace | null): string[] {
  const num = Math.round(rateOf(source) * 1000);
  const outputs = rungs.flatMap((rung, index) => [
    ...['-map', `[v${index}]`, '-c:v', 'libx264', '-preset', 'veryfast', '-tune', 'zerolatency', '-profile:v', 'high'],
    ...['-level:v', chooseLevel({ rung, rate: { num, den: 1000 } }), '-crf', '23'],
    ...['-maxrate', String(rung.maxBitrateBps), '-bufsize', String(rung.maxBitrateBps)],
    ...['-force_key_frames', 'source', '-forced-idr', '1', '-g', '100000', '-sc_threshold', '0', '-flags', '+cgop'],
    ...['-threads', rung.widthPx * rung.heightPx >= THREADED_PX ? '2' : '1', '-pix_fmt', 'yuv420p'],
    ...['-enc_time_base', '-1', '-fps_mode', 'passthrough', '-map_metadata', '-1', '-fflags', '+bitexact'],
    ...['-flvflags', 'no_duration_filesize', '-flush_packets', '1', '-f', 'flv', `pipe:${FIRST_OUTPUT_FD - 1 + index}`],
  ]);
  return [
    ...['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'level+warning'],
    ...['-filter_threads', '1', '-filter_complex_threads', '1', '-copyts'],
    ...['-protocol_whitelist', 'pipe', '-format_whitelist', 'matroska,webm', ...DECODER_GUARD],
    ...['-max_pixels', String(MAX_PIXELS)],
    // Not `nobuffer`: it drops what was read while probing, the whole first group of pictures.
    ...['-probesize', '32768', '-analyzeduration', '0', '-threads', '1', '-f', 'matroska', '-i', 'pipe:0'],
    ...(mark === null ? [] : OPEN_MARK),
    ...['-filter_complex', scaling(rungs, mark), ...outputs],
  ];
}

const OPEN_MARK: readonly string[] = [
  ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', 'png_pipe', '-codec_whitelist', 'png'],
  ...['-f', 'png_pipe', '-i', SOURCE_URL],
];

/** Each rung from the one above it. */
function scaling(rungs: readonly RungPlan[], mark: WatermarkPlace | null): string {
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
