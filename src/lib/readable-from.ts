import { Readable } from 'node:stream';

/**
 * Returns a stream over chunks produced one after the other. Unlike `Readable.from` it closes at once: `onClose` ends
 * the source of the chunks, even while the next one is awaited. `onClose` runs exactly once.
 */
export function readableFrom(chunks: AsyncIterator<Uint8Array>, onClose: () => void): Readable {
  const readable = new Readable({
    read() {
      chunks.next().then(
        (next) => {
          if (!readable.destroyed) readable.push(next.done === true ? null : next.value);
        },
        (error: unknown) => readable.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    },
    destroy(error, callback) {
      onClose();
      callback(error);
    },
  });
  // It may be aborted before it has a reader, which must not end the process. A later reader gets the error as well.
  readable.on('error', () => undefined);
  return readable;
}
