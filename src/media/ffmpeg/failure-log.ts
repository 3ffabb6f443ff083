import { maskPaths } from '../../lib/mask-paths.ts';
import { FfmpegFailed } from './run-ffmpeg.ts';

/** Maximum number of messages kept of a failed run. The cause is among the last ones. */
const MAX_LINES = 50;
const MAX_CHARACTERS = 8_192;

/** Maximum depth to which error causes are searched. */
const MAX_CAUSES = 8;

/**
 * Returns the last messages of the ffmpeg run that caused an error, without paths of this machine. Returns null if
 * there was no such run.
 */
export function failureLog(error: unknown): string | null {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    if (cause instanceof FfmpegFailed) return tailOf(cause.stderrTail);
    cause = cause.cause;
  }
  return null;
}

function tailOf(messages: string): string | null {
  const lines = maskPaths(messages).trimEnd().split('\n').slice(-MAX_LINES);
  const text = lines.join('\n').slice(-MAX_CHARACTERS).trim();
  return text === '' ? null : text;
}
