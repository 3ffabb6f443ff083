import { runSandboxed } from '../ffmpeg/run-sandboxed.ts';
import { planFfprobe } from '../probe/plan-ffprobe.ts';
import type { SourceFacts } from '../probe/source-facts.ts';
import { MAX_KEYFRAME_GAP_SEC } from './judge-on-demand.ts';

const WINDOW_SEC = 1.5 * MAX_KEYFRAME_GAP_SEC;
/** Sampled positions, as fractions of the duration. */
const WINDOWS_AT = [0, 0.3, 0.6, 0.85];
const ENTRIES = ['-show_entries', 'packet=pts_time,flags', '-of', 'csv=p=0'];
const MAX_ANSWER_BYTES = 8 * 2 ** 20;
/** Minimum interval between packets of different windows, in seconds. */
const JUMP_SEC = 5;

/**
 * Finds the longest keyframe interval, in seconds, by reading the packets of several windows of half a minute of a
 * source, without decoding. Returns 0 for audio and for sources shorter than the allowed maximum.
 */
export async function readKeyframeGapSec(path: string, facts: SourceFacts, signal: AbortSignal): Promise<number> {
  const { video } = facts;
  if (video === null || facts.durationSec <= MAX_KEYFRAME_GAP_SEC) return 0;
  const starts = WINDOWS_AT.map((share) => (facts.startSec + share * facts.durationSec).toFixed(3));
  const intervals = starts.map((start) => `${start}%+${WINDOW_SEC}`).join(',');
  const shown = ['-select_streams', String(video.streamIndex), '-read_intervals', intervals];
  const run = await runSandboxed(planFfprobe(path, [...shown, ...ENTRIES], 'error'), MAX_ANSWER_BYTES, signal);
  signal.throwIfAborted();
  if (run.exitCode === 0) return longestGapSec(run.stdout.toString('latin1'));
  throw new Error(
    `Expected ffprobe to list packets, got exit code ${run.exitCode}: ${run.stderrTail.trim().slice(-200)}`,
  );
}

/**
 * Parses lines of `pts_time,flags`. The time after the last keyframe of a window counts up to the end of the window.
 */
function longestGapSec(packets: string): number {
  let [longest, keyframeSec, lastSec] = [0, Number.NaN, Number.NaN];
  for (const line of packets.split('\n')) {
    const [time = '', flags = ''] = line.split(',');
    const atSec = Number.parseFloat(time);
    if (Number.isNaN(atSec)) continue;
    if (Math.abs(atSec - lastSec) > JUMP_SEC) keyframeSec = Number.NaN;
    lastSec = atSec;
    if (atSec - keyframeSec > longest) longest = atSec - keyframeSec;
    if (flags.startsWith('K')) keyframeSec = atSec;
  }
  return longest;
}
