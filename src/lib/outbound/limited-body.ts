import type { Readable } from 'node:stream';
import { readableFrom } from '../readable-from.ts';
import { Refused } from '../refused.ts';

export type BodyLimits = {
  /** The most that the body may bring. */
  maxBytes: number;
  /** The longest wait for the next byte. */
  idleTimeoutMs: number;
  /** The least rate, taken over `rateWindowMs` of waiting; 0 for none. */
  minBytesPerSec: number;
  rateWindowMs: number;
};

/**
 * A body that fails when it grows too large, stands still or trickles. Only time spent waiting for the origin
 * counts: a reader who takes long over what came is not the origin's fault. Closing it closes the source.
 */
export function limitBody(source: Readable, limits: BodyLimits, onClose: () => void): Readable {
  const body = readableFrom(limitedChunks(source, limits), () => {
    source.destroy();
    onClose();
  });
  // A source that is aborted while it has no reader, or by the closing, says so by an event that must have a
  // listener.
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
  const stalled = () => source.destroy(new Refused('timeout', `Origin sent nothing for ${idleTimeoutMs / 1000} s.`));
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
  throw new Refused('timeout', `Origin is too slow: expected ${minBytesPerSec} bytes a second, came ${bytesPerSec}.`);
}

/** The refusal of an answer that has more bytes than is allowed. */
export function tooLarge(maxBytes: number): Refused {
  return new Refused('too-large', `Origin's answer is larger than the ${maxBytes} bytes allowed.`);
}
