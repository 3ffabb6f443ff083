import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses shorter than this are added to the next one, in ms. */
const MIN_PAUSE_MS = 20;

/** Returns the bytes of a body, on average at most at the given rate. Does not read the body faster than that. */
export function paceBody(body: Readable, maxBytesPerSec: number, signal: AbortSignal): Readable {
  return Readable.from(paced(body, maxBytesPerSec, signal), { objectMode: false });
}

async function* paced(body: Readable, maxBytesPerSec: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const startMs = performance.now();
  let sentBytes = 0;
  for await (const chunk of body) {
    sentBytes += chunk.length;
    yield chunk;
    const aheadMs = (sentBytes / maxBytesPerSec) * 1000 - (performance.now() - startMs);
    if (aheadMs >= MIN_PAUSE_MS) await sleep(aheadMs, undefined, { signal });
  }
}
