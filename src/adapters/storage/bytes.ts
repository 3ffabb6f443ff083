import { hostname } from 'node:os';
import type { Readable } from 'node:stream';
import type { ByteRange, ListFrom } from '../../ports/storage.ts';

/** Maximum number of bytes that `readBytes` loads into memory. */
export const MAX_READ_BYTES = 64 * 1024 * 1024;

/**
 * A range clipped to the size of an object: `lengthBytes` bytes from `start`. `lengthBytes` is 0 if the range begins
 * past the end.
 */
export type Slice = { start: number; lengthBytes: number };

/**
 * Yields the chunks of a body in order. An abort destroys a stream with the signal's reason, which is thrown
 * immediately, even if the stream closes slowly. If the caller leaves the loop early, the stream is not destroyed, so
 * that a server can still respond on the connection. Throws if a stream closes before its end.
 */
export async function* chunksOf(body: Readable | Uint8Array, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  if (body instanceof Uint8Array) {
    yield body;
    return;
  }
  if (body.readableEnded) throw new Error('Expected an unread stream, got one that was already read.');
  const iterator = body.iterator({ destroyOnReturn: false });
  const waiting: { reject: (error: Error) => void } = { reject: () => undefined };
  const onAbort = () => {
    waiting.reject(abortError(signal));
    body.destroy(abortError(signal));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<unknown>>((resolve, reject) => {
        waiting.reject = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done === true) break;
      if (!(next.value instanceof Uint8Array))
        throw new Error(`Expected a stream of bytes, got a ${typeof next.value}.`);
      yield next.value;
    }
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', onAbort);
    // After an abort, the stream may never finish its last read, and the iterator would wait for it.
    if (!signal.aborted) await iterator.return?.();
  }
}

/** Returns an error for an aborted signal, whatever type its reason has. */
export function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error(`Aborted: ${String(reason)}.`);
}

/** Throws for a malformed range. Accepts a range past the end of an object. */
export function checkRange(range: ByteRange | null): void {
  if (range === null) return;
  const { start, end } = range;
  const isWhole = Number.isSafeInteger(start) && (Number.isSafeInteger(end) || end === Infinity);
  if (!isWhole || start < 0 || end < start) {
    throw new Error(`Expected a byte range of whole numbers with 0 <= start <= end, got ${start}-${end}.`);
  }
}

/** Clips a checked range to an object's size. */
export function sliceOf(range: ByteRange | null, sizeBytes: number): Slice {
  if (range === null) return { start: 0, lengthBytes: sizeBytes };
  const lengthBytes = Math.max(0, Math.min(range.end, sizeBytes - 1) - range.start + 1);
  return { start: range.start, lengthBytes };
}

/** Reads a stream into memory. Throws unless it contains exactly `lengthBytes` bytes. */
export async function collect(body: Readable, lengthBytes: number): Promise<Buffer> {
  if (lengthBytes > MAX_READ_BYTES) {
    body.destroy();
    throw new Error(`Expected a range of at most ${MAX_READ_BYTES} bytes, got ${lengthBytes}.`);
  }
  const bytes = Buffer.allocUnsafe(lengthBytes);
  let filled = 0;
  for await (const chunk of body) {
    // Bodies that this adapter reads are byte streams.
    filled += (chunk as Buffer).copy(bytes, filled);
  }
  if (filled !== lengthBytes) throw new Error(`Expected ${lengthBytes} bytes, got ${filled}.`);
  return bytes;
}

const STAGING_ID = /^[A-Za-z0-9-]{1,128}$/;

/** Returns whether a name can be the id of a staged upload. */
export function isStagingId(id: string): boolean {
  return STAGING_ID.test(id) && !id.endsWith('\n');
}

/** Throws unless `id` can be the id of a staged upload. */
export function checkStagingId(id: string): void {
  if (!isStagingId(id))
    throw new Error(`Expected a staging id of [A-Za-z0-9-], got ${JSON.stringify(id.slice(0, 200))}.`);
}

/** Returns the prefix and position of a list. Throws if the prefix is not valid. */
export function readListFrom(from: string | ListFrom): ListFrom {
  const place = typeof from === 'string' ? { prefix: from, after: '' } : from;
  checkPrefix(place.prefix);
  return place;
}

/** Throws unless `prefix` consists of key characters and contains no parent folder. */
export function checkPrefix(prefix: string): void {
  const segments = prefix.split('/');
  const last = segments.pop() ?? '';
  const wellFormed = segments.every((segment) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(segment));
  if (!wellFormed || !/^(?!\.)[A-Za-z0-9._-]*$/.test(last) || prefix.endsWith('\n')) {
    throw new Error(`Expected a prefix of storage keys, got ${JSON.stringify(prefix.slice(0, 200))}.`);
  }
}

/** Returns whether all of the given lists are empty. */
export async function areEmpty(lists: readonly AsyncIterable<unknown>[]): Promise<boolean> {
  for (const list of lists) {
    for await (const _ of list) return false;
  }
  return true;
}

/**
 * Name of the object with which a process probes a store. It cannot collide with a key, because no segment of a key
 * begins with a dot.
 */
export const PROBE_NAME = `.probe-${hostname()}-${process.pid}`;

/** Throws unless the bytes read equal the bytes written. */
export function requireProbe(read: Buffer, written: Buffer): void {
  if (!read.equals(written))
    throw new Error(
      `Expected the store to return the ${written.length} bytes that were written, got ${read.length} others.`,
    );
}
