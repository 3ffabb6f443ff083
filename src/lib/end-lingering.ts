import type { Socket } from 'node:net';

/** Maximum time in which remaining data of a client is discarded, in ms. */
export const LINGER_MS = 2_000;
/** Maximum discarded bytes: more than a client that stops at its response has in flight. */
const LINGER_BYTES = 1024 * 1024;

/**
 * Ends an HTTP connection with a last response that the client can read. Discards data that the client still sends for
 * a while, because closing a socket with unread bytes resets the connection and loses the response (RFC 9112 section
 * 9.6).
 */
export function endLingering(socket: Socket, answer: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  // Remove the parser's listeners, which would report all data that follows.
  socket.removeAllListeners('data');
  let leftBytes = LINGER_BYTES;
  socket.on('data', ({ length }: Buffer) => {
    leftBytes -= length;
    if (leftBytes < 0) socket.destroy();
  });
  // Node pauses a connection whose client does not read its responses, and adding a listener does not resume it.
  socket.resume();
  // Use an absolute limit, because data from the client would extend an idle timeout forever.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(answer);
}
