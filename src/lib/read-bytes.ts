import type { IncomingMessage } from 'node:http';
import { Refused } from './refused.ts';

const BODY_LIMIT_MS = 30_000;

/** Name of the body in a refusal (`a JSON body`), and its maximum size in bytes. */
export type BytesWanted = { what: string; limitBytes: number };

/**
 * Reads a whole body into memory. Throws `Refused` for a body that is too large, ends early or takes more than 30 s.
 */
// Uses listeners instead of a loop, because leaving a loop early would close the connection before the refusal is sent.
export function readBytes(message: IncomingMessage, wanted: BytesWanted): Promise<Buffer> {
  const { limitBytes } = wanted;
  // A body that ended before a listener was added does not emit again.
  if (message.destroyed) throw cutShort(message.errored);
  if (Number(message.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(wanted);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const timer = setTimeout(() => reject(tooSlow()), BODY_LIMIT_MS);
  const chunks: Buffer[] = [];
  let size = 0;
  let isOver = false;
  // Keep the listener to discard data after a refusal. Without it, the body would stall.
  message.on('data', (chunk: Buffer) => {
    if (isOver) return;
    size += chunk.length;
    if (size <= limitBytes) chunks.push(chunk);
    else {
      isOver = true;
      reject(tooLarge(wanted));
    }
  });
  message.once('end', () => resolve(Buffer.concat(chunks)));
  message.once('error', (cause) => reject(cutShort(cause)));
  return promise.finally(() => {
    clearTimeout(timer);
    isOver = true;
    chunks.length = 0;
  });
}

function tooSlow(): Refused {
  return new Refused(
    'timeout',
    `Expected the whole body within ${BODY_LIMIT_MS / 1000} s. Send it again over a faster connection.`,
  );
}

function cutShort(cause: Error | null): Refused {
  return new Refused('invalid', 'The connection ended before the body was complete. Send it again.', { cause });
}

function tooLarge({ what, limitBytes }: BytesWanted): Refused {
  return new Refused('too-large', `Expected ${what} of at most ${limitBytes} bytes, got more. Send fewer bytes.`);
}
