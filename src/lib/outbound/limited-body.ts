import type { Readable } from 'node:stream';
import { readableFrom } from '../readable-from.ts';
import { Refused } from '../refused.ts';

export type BodyLimits = {
  /** Maximum bytes of the body. */
  maxBytes: number;
  /** Maximum wait for the next byte, in ms. */
  idleTimeoutMs: number;
  /** Minimum rate, measured over `rateWindowMs` of waiting. 0 disables the limit. */
  minBytesPerSec: number;
  rateWindowMs: number;
};

/**
 * Returns a body that fails if it is too large, stalls or is too slow. Only time spent waiting for the origin counts,
 * so a slow reader does not count as a slow origin. Closing the body closes the source.
 */
export function limitBody(source: Readable, limits: BodyLimits, onClose: () => void): Readable {
  const body = readableFrom(limitedChunks(source, limits), () => {
    source.destroy();
    onClose();
  });
  // A source aborted without a reader, or on close, emits an error that needs a listener.
  source.on('error', (error) => body.destroy(error));
  return body;
}

async function* limitedChunks(source: Readable, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  let received = 0;
  let window = { waitedMs: 0, bytes: 0 };
  const chunks: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  for (;;) {
    const { next, waitedMs } = await nextWithin(source, chunks, limits.idleTimeoutMs);
    if (next.done === true) return;
    received += next.value.length;
    if (received > limits.maxBytes) throw tooLarge(limits.maxBytes);
    window = { waitedMs: window.waitedMs + waitedMs, bytes: window.bytes + next.value.length };
    if (window.waitedMs >= limits.rateWindowMs) {
      checkRate(window, limits.minBytesPerSec);
      window = { waitedMs: 0, bytes: 0 };
    }
    yield next.value;
  }
}

async function nextWithin(
  source: Readable,
  chunks: AsyncIterator<Uint8Array>,
  idleTimeoutMs: number,
): Promise<{ next: IteratorResult<Uint8Array>; waitedMs: number }> {
  const startMs = performance.now();
  const stalled = () =>
    source.destroy(new Refused('timeout', `The server sent nothing for ${idleTimeoutMs / 1000} s.`));
  const timer = setTimeout(stalled, idleTimeoutMs);
  try {
    const next = await chunks.next();
    return { next, waitedMs: performance.now() - startMs };
  } finally {
    clearTimeout(timer);
  }
}

function checkRate({ waitedMs, bytes }: { waitedMs: number; bytes: number }, minBytesPerSec: number): void {
  const bytesPerSec = Math.round((bytes * 1000) / waitedMs);
  if (bytesPerSec >= minBytesPerSec) return;
  throw new Refused(
    'timeout',
    `The server is too slow: expected ${minBytesPerSec} bytes a second, got ${bytesPerSec}.`,
  );
}

/** Returns the refusal of a response that exceeds the limit. */
export function tooLarge(maxBytes: number): Refused {
  return new Refused('too-large', `The response is larger than the ${maxBytes} bytes allowed.`);
}
