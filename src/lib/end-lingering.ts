import type { Socket } from 'node:net';

/** Time for which remaining data of a client is read, in ms. */
export const LINGER_MS = 2_000;
/** More than a client has in flight that stops when it gets its response. */
const LINGER_BYTES = 1024 * 1024;

/**
 * Ends an HTTP connection with a last response that the client can read. Data it still sends is read and dropped for a
 * while, because closing a socket with unread bytes resets the connection and loses the response (RFC 9112 section
 * 9.6).
 */
export function endLingering(socket: Socket, answer: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  // Listeners of the parser, which would report everything that follows.
  socket.removeAllListeners('data');
  let leftBytes = LINGER_BYTES;
  socket.on('data', ({ length }: Buffer) => {
    leftBytes -= length;
    if (leftBytes < 0) socket.destroy();
  });
  // Node pauses a connection whose client does not read its responses. Adding a listener does not undo that.
  socket.resume();
  // An absolute limit, because the client's data would extend an idle timeout forever.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(answer);
}
