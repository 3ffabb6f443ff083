/**
 * One ffmpeg run as a value. `argv` has no progress options, which the runner adds. `outputs[n]` is written to file
 * descriptor `FIRST_OUTPUT_FD + n`. `durationSec` is the length of the output media.
 */
export type FfmpegPlan = {
  argv: readonly string[];
  outputs: readonly string[];
  durationSec: number;
  /** Codec of the outputs, for the metrics. Absent if the run encodes no rendition. */
  codec?: string;
  /** Bytes for standard input. */
  input?: Buffer;
};

/** First output descriptor. Descriptor 3 is for progress. */
export const FIRST_OUTPUT_FD = 4;

const MAX_ERROR_SHARE = 0.1;

/** Global options of every run: no prompts, machine-readable messages, one filter thread, a limit on damage. */
export const QUIET_ARGV: readonly string[] = [
  ...['-nostdin', '-hide_banner', '-nostats', '-benchmark', '-loglevel', 'level+info'],
  ...['-filter_threads', '1', '-filter_complex_threads', '1', '-max_error_rate', String(MAX_ERROR_SHARE)],
];
