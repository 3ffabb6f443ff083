/** Splits a stream of `multipart/x-mixed-replace` parts as its bytes arrive. Drops an incomplete last part. */
export type MultipartReader = {
  /** Adds bytes and returns the bodies that are now complete. */
  push(bytes: Buffer): Buffer[];
};

const HEAD_END = '\r\n\r\n';
const MAX_HEAD_BYTES = 1024;

/**
 * Creates a reader for ffmpeg's `mpjpeg` output. It throws for a header without `Content-length` and for a body larger
 * than `maxPartBytes`.
 */
export function createMultipartReader(maxPartBytes: number): MultipartReader {
  let held: Buffer = Buffer.alloc(0);
  return {
    push(bytes) {
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const parts: Buffer[] = [];
      for (;;) {
        const headEnd = held.indexOf(HEAD_END);
        if (headEnd === -1) {
          if (held.length > MAX_HEAD_BYTES)
            throw new Error(`Expected the head of a part, got ${held.length} bytes without the end of a head.`);
          return parts;
        }
        const sizeBytes = readLength(held.toString('latin1', 0, headEnd), maxPartBytes);
        const start = headEnd + HEAD_END.length;
        if (held.length < start + sizeBytes) return parts;
        parts.push(held.subarray(start, start + sizeBytes));
        held = held.subarray(start + sizeBytes);
      }
    },
  };
}

function readLength(head: string, maxPartBytes: number): number {
  const sizeBytes = Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? Number.NaN);
  if (!(sizeBytes <= maxPartBytes)) {
    throw new Error(`Expected a part of at most ${maxPartBytes} bytes, got ${JSON.stringify(head.slice(0, 200))}.`);
  }
  return sizeBytes;
}
