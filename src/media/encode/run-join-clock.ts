import { Readable } from 'node:stream';
import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../ffmpeg/ffmpeg-plan.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import { GUARD_ARGV, SOURCE_URL } from '../probe/open-source.ts';

/**
 * Plans a stream copy of an MPEG-TS or MPEG-PS with a jumping clock to a file with a continuous clock. ffmpeg removes
 * the jumps unless it has to keep the source's own times.
 */
export function planJoinClock(durationSec: number): FfmpegPlan {
  return {
    argv: [
      ...QUIET_ARGV,
      ...[...GUARD_ARGV, '-i', SOURCE_URL],
      ...['-map', '0:v?', '-map', '0:a?', '-map', '0:s?', '-c', 'copy', '-map_metadata', '0'],
      ...['-f', 'mpegts', `pipe:${FIRST_OUTPUT_FD}`],
    ],
    outputs: ['joined'],
    durationSec,
  };
}

/** Runs the copy with a continuous clock. The stream fails if the copy is incomplete. The signal aborts it. */
export async function runJoinClock(path: string, durationSec: number, signal: AbortSignal): Promise<Readable> {
  const ended = new AbortController();
  const options = { sourcePath: path, sourceDurationSec: durationSec };
  const run = await runFfmpeg(planJoinClock(durationSec), options, AbortSignal.any([signal, ended.signal]));
  async function* read(): AsyncGenerator<Buffer> {
    try {
      for (const output of run.outputs) yield* output;
      await run.done;
    } finally {
      ended.abort();
    }
  }
  return Readable.from(read(), { objectMode: false });
}
