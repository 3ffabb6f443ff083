import { buffer } from 'node:stream/consumers';
import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../../ffmpeg/ffmpeg-plan.ts';
import { runFfmpeg } from '../../ffmpeg/run-ffmpeg.ts';
import { GUARD_ARGV } from '../../probe/open-source.ts';

const LONG_SIDE_PX = 640;
const STALL_SEC = 10;

/**
 * Decodes the first frame of a fragment, given its init segment, in the sandbox. Returns a JPEG of at most 640 pixels
 * per side, or null if the decoder has no output.
 */
export async function makeStill(init: Buffer, fragment: Buffer, signal: AbortSignal): Promise<Buffer | null> {
  const plan: FfmpegPlan = {
    argv: [
      ...QUIET_ARGV,
      ...GUARD_ARGV,
      ...['-threads', '1', '-f', 'mov', '-i', 'pipe:0', '-frames:v', '1'],
      ...['-vf', `scale='min(${LONG_SIDE_PX},iw)':'min(${LONG_SIDE_PX},ih)':force_original_aspect_ratio=decrease`],
      ...['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-q:v', '4', '-f', 'image2pipe', `pipe:${FIRST_OUTPUT_FD}`],
    ],
    outputs: ['still'],
    durationSec: 1,
    input: Buffer.concat([init, fragment]),
  };
  const run = await runFfmpeg(plan, { sourcePath: null, niceness: 10, stallSec: STALL_SEC }, signal);
  const [output] = run.outputs;
  if (output === undefined) throw new Error('Expected an output pipe of the still encoder, got none.');
  const [jpeg] = await Promise.all([buffer(output), run.done]);
  return jpeg.length > 0 ? jpeg : null;
}
