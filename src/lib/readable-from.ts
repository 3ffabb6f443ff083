import { Readable } from 'node:stream';

/**
 * A stream over chunks made one after the other. Unlike `Readable.from` it closes at once: `onClose` ends what the
 * chunks come from, also while the next one is still awaited. `onClose` runs exactly once.
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
  // It may be aborted before anyone reads it, which must not end the process. Who reads it afterwards gets the error as
  // well.
  readable.on('error', () => undefined);
  return readable;
}
