import type { IncomingMessage } from 'node:http';

/** An upload that brings less for a minute is ended. */
export const LEAST_BYTES_PER_SEC = 1024;

const RATE_WINDOW_MS = 60_000;
const LEAST_BYTES_A_WINDOW = (LEAST_BYTES_PER_SEC * RATE_WINDOW_MS) / 1000;

/**
 * Calls when an upload brought less than 1 KiB a second for a minute; the caller clears the timer. The socket counts: a
 * listener on the body would read past its reader's back pressure.
 */
export function watchRate({ socket }: IncomingMessage, onTooSlow: () => void): NodeJS.Timeout {
  let seen = socket.bytesRead;
  return setInterval(() => {
    if (socket.bytesRead - seen < LEAST_BYTES_A_WINDOW) onTooSlow();
    seen = socket.bytesRead;
  }, RATE_WINDOW_MS);
}
