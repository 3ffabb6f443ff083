import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../ffmpeg/ffmpeg-plan.ts';
import { compareMiniatures, MINIATURE } from '../images/miniature.ts';
import { GUARD_ARGV } from '../probe/open-source.ts';

/** Seconds per miniature, equal to the keyframe interval of encoded video. */
export const SCENE_STEP_SEC = 2;
export const MINIATURE_BYTES = MINIATURE.widthPx * MINIATURE.heightPx;
/**
 * Minimum difference between two miniatures at a scene cut, in grey levels. A cut must also exceed most of the
 * differences near it.
 */
const CUT_LEVELS = 16;
const CUT_OVER_MEDIAN = 3;

/** Plans a decode of the keyframes of fragmented MP4 from standard input to grey miniatures, one per two seconds. */
export function planScenes(durationSec: number): FfmpegPlan {
  const output = `pipe:${FIRST_OUTPUT_FD}`;
  const { widthPx, heightPx } = MINIATURE;
  const filter = `fps=1/${SCENE_STEP_SEC}:start_time=0,scale=${widthPx}:${heightPx}:flags=area,format=gray`;
  const scenes = ['-an', '-vf', filter, '-f', 'rawvideo', output];
  const input = [...GUARD_ARGV, '-skip_frame', 'nokey', '-f', 'mp4', '-i', 'pipe:0'];
  return { argv: [...QUIET_ARGV, ...input, ...scenes], outputs: [output], durationSec };
}

/** Finds scene cuts between miniatures. Returns seconds from the start, with a precision of two seconds. */
export function findCuts(miniatures: readonly Uint8Array[]): number[] {
  const steps = miniatures.slice(1).map((each, index) => compareMiniatures(each, miniatures[index] ?? each));
  const median = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  const limit = Math.max(CUT_LEVELS, CUT_OVER_MEDIAN * median);
  return steps.flatMap((step, index) => (step > limit ? [(index + 0.5) * SCENE_STEP_SEC] : []));
}

const SILENCE_DB = -90;

/** Returns the level of 16-bit mono samples, in dBFS. */
export function levelDb(samples: Buffer): number {
  let sum = 0;
  for (let at = 0; at + 1 < samples.length; at += 2) sum += samples.readInt16LE(at) ** 2;
  const mean = Math.sqrt(sum / Math.max(1, samples.length / 2)) / 32_768;
  return mean === 0 ? SILENCE_DB : Math.max(SILENCE_DB, 20 * Math.log10(mean));
}
