import type { IncomingMessage } from 'node:http';

/** Maximum time for which the rest of a refused body is read, in ms. */
const LINGER_MS = 10_000;

/**
 * Discards the rest of a body for a limited time. A caller that is still sending would lose the response if the
 * connection was closed immediately.
 */
export function throwAwayRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
  request.unpipe();
  request.resume();
}
