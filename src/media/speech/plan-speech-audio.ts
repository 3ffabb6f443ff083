import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../ffmpeg/ffmpeg-plan.ts';
import { GUARD_ARGV } from '../probe/open-source.ts';

/** Plans a decode of fragmented MP4 from standard input to 16-bit mono samples at the given rate. */
export function planSpeechAudio(durationSec: number, sampleRate: number): FfmpegPlan {
  const output = `pipe:${FIRST_OUTPUT_FD}`;
  const audio = ['-vn', '-ac', '1', '-ar', String(sampleRate), '-f', 's16le', output];
  const input = [...GUARD_ARGV, '-f', 'mp4', '-i', 'pipe:0'];
  return { argv: [...QUIET_ARGV, ...input, ...audio], outputs: [output], durationSec };
}
