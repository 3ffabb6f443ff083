import { setTimeout as sleep } from 'node:timers/promises';
import type { Admitted } from '../../catalog/shield/admission/admit.ts';
import type { Part } from '../objects/object-part.ts';

/** Rate of a response in bytes per second. The first `freeBytes` are sent at full speed. */
export type Pace = { bytesPerSec: number; freeBytes: number };

/** Duration of the pieces into which a response is split, in seconds. It is short enough for an even rate. */
const PIECE_SEC = 0.25;
const KILO = 1000;

/** Returns the rate of a response: the lower of the limits of its zone and its token. Returns null without a limit. */
export function paceOf({ request: { policy }, token }: Pick<Admitted, 'request' | 'token'>): Pace | null {
  const { rateKBps = 0, rateAfterKB = 0 } = policy?.zone.settings ?? {};
  const tokenKBps = token?.limitKBps ?? 0;
  if (rateKBps === 0 && tokenKBps === 0) return null;
  const isByToken = tokenKBps > 0 && (rateKBps === 0 || tokenKBps < rateKBps);
  return isByToken
    ? { bytesPerSec: tokenKBps * KILO, freeBytes: 0 }
    : { bytesPerSec: rateKBps * KILO, freeBytes: rateAfterKB * KILO };
}

/** Splits parts into pieces and yields each at its scheduled time. Stops when the viewer disconnects. */
export async function* paced(
  parts: Iterable<Part>,
  { bytesPerSec, freeBytes }: Pace,
  left: AbortSignal,
): AsyncGenerator<Part> {
  const startMs = performance.now();
  const pieceBytes = Math.max(1, Math.round(bytesPerSec * PIECE_SEC));
  let sent = 0;
  for (const part of parts) {
    for (let at = 0; at < sizeOf(part); ) {
      const dueMs = startMs + (Math.max(0, sent - freeBytes) / bytesPerSec) * 1000;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: left }).catch(ignoreAbort);
      if (left.aborted) return;
      const free = Math.max(0, freeBytes - sent);
      const size = Math.min(sizeOf(part) - at, free > 0 ? free : pieceBytes);
      yield cut(part, at, size);
      at += size;
      sent += size;
    }
  }
}

function sizeOf(part: Part): number {
  return 'bytes' in part ? part.bytes.length : part.end - part.start;
}

function cut(part: Part, at: number, size: number): Part {
  if ('bytes' in part) return { bytes: part.bytes.subarray(at, at + size) };
  return { ...part, start: part.start + at, end: part.start + at + size };
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
}
