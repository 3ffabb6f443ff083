import { chooseLevel } from '../encode/codecs/x264.ts';
import { type LadderOptions, planLadder, type RungPlan } from '../encode/ladder.ts';
import { FIRST_OUTPUT_FD } from '../ffmpeg/ffmpeg-plan.ts';
import { MAX_PIXELS } from '../probe/open-source.ts';
import type { TrackConfig } from './access-unit.ts';

/** Rungs to encode beside the pictures as they come, and what one second of them takes of a core. */
export type LiveLadder = { rungs: readonly RungPlan[]; cores: number };

/** Seconds of a core a picture element: measured with x264 `veryfast` on camera pictures, decoding H.264. */
const DECODE_SEC = 2.2e-9;
const ENCODE_SEC = 1.1e-8;
/** Where the encoder of a publisher gives no frame rate. */
const USUAL_RATE = 30;
/** From here on one thread is late: 720p. */
const THREADED_PX = 900_000;
const FASTEST_RATE = 120;

/** The rungs of a library below the size of a publisher's pictures, highest first; none where nothing is smaller. */
export function planLiveLadder(source: TrackConfig, options: LadderOptions): LiveLadder {
  const { widthPx, heightPx } = source;
  const rate = source.frameRate > 0 ? Math.min(source.frameRate, FASTEST_RATE) : USUAL_RATE;
  const planned = planLadder({ video: { displayWidthPx: widthPx, displayHeightPx: heightPx } }, options);
  const rungs = planned.filter((rung) => rung.widthPx * rung.heightPx < widthPx * heightPx);
  const encodedPx = rungs.reduce((sum, rung) => sum + rung.widthPx * rung.heightPx, 0);
  return { rungs, cores: rate * (widthPx * heightPx * DECODE_SEC + encodedPx * ENCODE_SEC) };
}

/**
 * One ffmpeg for all rungs of a stream: Matroska comes in, an FLV file a rung goes out, each frame under the time at
 * which it came. No picture is reordered or held back, and keyframes are where the source has them.
 */
export function ladderArgv(source: TrackConfig, rungs: readonly RungPlan[]): string[] {
  const num = Math.round((source.frameRate > 0 ? Math.min(source.frameRate, FASTEST_RATE) : USUAL_RATE) * 1000);
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
    ...['-protocol_whitelist', 'pipe', '-format_whitelist', 'matroska,webm', '-max_pixels', String(MAX_PIXELS)],
    // Not `nobuffer`: it drops what was read while probing, the whole first group of pictures.
    ...['-probesize', '32768', '-analyzeduration', '0', '-threads', '1', '-f', 'matroska', '-i', 'pipe:0'],
    ...['-filter_complex', scaling(rungs), ...outputs],
  ];
}

/** Each rung from the one above it. */
function scaling(rungs: readonly RungPlan[]): string {
  return rungs
    .map((rung, index) => {
      const input = index === 0 ? '[0:v]' : `[rest${index}]`;
      const rest = index === rungs.length - 1 ? `[v${index}]` : `,split=2[v${index}][rest${index + 1}]`;
      return `${input}scale=${rung.widthPx}:${rung.heightPx},setsar=1${rest}`;
    })
    .join(';');
}
