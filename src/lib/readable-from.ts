import { Readable } from 'node:stream';

/**
 * Returns a stream of chunks that are produced one after the other. Unlike `Readable.from`, it closes immediately:
 * `onClose` stops the source even while the next chunk is pending. `onClose` runs exactly once.
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
  // An abort before the stream has a reader must not crash the process. A later reader gets the error as well.
  readable.on('error', () => undefined);
  return readable;
}
