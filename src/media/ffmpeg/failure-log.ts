import { maskPaths } from '../../lib/mask-paths.ts';
import { FfmpegFailed } from './run-ffmpeg.ts';

/** What is kept of the messages of a failed run at most: its end says why. */
const MOST_LINES = 50;
const MOST_CHARACTERS = 8_192;

/** An error's causes are looked through down to this depth. */
const MOST_CAUSES = 8;

/**
 * The last messages of the ffmpeg run for which an error came, without paths of this machine; null where there was
 * none.
 */
export function failureLog(error: unknown): string | null {
  let cause = error;
  for (let depth = 0; depth < MOST_CAUSES && cause instanceof Error; depth += 1) {
    if (cause instanceof FfmpegFailed) return tailOf(cause.stderrTail);
    cause = cause.cause;
  }
  return null;
}

function tailOf(messages: string): string | null {
  const lines = maskPaths(messages).trimEnd().split('\n').slice(-MOST_LINES);
  const text = lines.join('\n').slice(-MOST_CHARACTERS).trim();
  return text === '' ? null : text;
}
