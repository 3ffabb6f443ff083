import type { Socket } from 'node:net';

/** How long what a client still sends is read. */
export const LINGER_MS = 2_000;
/** More than a client has on the way that stops when it is answered. */
const LINGER_BYTES = 1024 * 1024;

/**
 * Ends a connection of HTTP with a last answer that its client can read: what it still sends is read and dropped for a
 * while, since a socket that is closed over unread bytes resets the connection, and the answer with it (RFC 9112
 * section 9.6).
 */
export function endLingering(socket: Socket, answer: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  // Of the parser, which would find fault with all that follows.
  socket.removeAllListeners('data');
  let leftBytes = LINGER_BYTES;
  socket.on('data', ({ length }: Buffer) => {
    leftBytes -= length;
    if (leftBytes < 0) socket.destroy();
  });
  // Node pauses one whose client does not read its answers: a listener alone does not undo that.
  socket.resume();
  // By the clock: what the client still sends would put an idle timeout off for ever.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(answer);
}
