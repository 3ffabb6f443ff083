import { Readable } from 'node:stream';
import type { Storage, StorageKey } from '../../ports/storage.ts';

/** Reads a stored rendition as one stream: its init segment, then its chunks. */
export function readFragments(
  { init, chunks }: { init: Buffer; chunks: readonly StorageKey[] },
  storage: Storage,
  signal: AbortSignal,
): Readable {
  return Readable.from(
    (async function* () {
      yield init;
      for (const chunk of chunks) {
        const { body } = await storage.read(chunk, null, signal);
        yield* body;
      }
    })(),
    { objectMode: false },
  );
}

/** Yields the chunks of a stream that has no character encoding, as buffers. */
export async function* asBuffers(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield chunk as Buffer;
}

/** Splits a stream into blocks of one size. The last block may be shorter. */
export async function* inBlocks(stream: Readable, sizeBytes: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of asBuffers(stream)) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + sizeBytes <= rest.length; at += sizeBytes) yield rest.subarray(at, at + sizeBytes);
    rest = rest.subarray(at);
  }
  if (rest.length > 0) yield rest;
}
