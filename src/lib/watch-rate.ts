import type { IncomingMessage } from 'node:http';

/** Minimum rate of an upload over a minute, in bytes per second. Slower uploads are aborted. */
export const MIN_BYTES_PER_SEC = 1024;

const RATE_WINDOW_MS = 60_000;
const MIN_BYTES_PER_WINDOW = (MIN_BYTES_PER_SEC * RATE_WINDOW_MS) / 1000;

/**
 * Calls `onTooSlow` when an upload received less than 1 KiB/s for a minute. The caller clears the timer. Counts bytes
 * on the socket, because a listener on the body would bypass the reader's back pressure.
 */
export function watchRate({ socket }: IncomingMessage, onTooSlow: () => void): NodeJS.Timeout {
  let seen = socket.bytesRead;
  return setInterval(() => {
    if (socket.bytesRead - seen < MIN_BYTES_PER_WINDOW) onTooSlow();
    seen = socket.bytesRead;
  }, RATE_WINDOW_MS);
}
