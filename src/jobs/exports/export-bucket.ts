import type { Readable } from 'node:stream';
import type { WrittenObject } from '../../ports/storage.ts';

export type BucketObject = { name: string; sizeBytes: number; etag: string };

/**
 * A bucket, or the part of one below a prefix. Every operation throws `Refused` if it fails: `invalid` if the keys, the
 * bucket or the endpoint have to be corrected, `unavailable` if another attempt may succeed.
 */
export type ExportBucket = {
  list(): AsyncIterable<BucketObject>;
  /** Returns size and ETag, or null for an unknown object. */
  head(name: string): Promise<BucketObject | null>;
  /** Opens an object, which must exist. */
  read(name: string): Promise<Readable>;
  /** Writes an object as a whole, in several parts if it is large. Errors of `body` are thrown unchanged. */
  write(name: string, body: Readable | Uint8Array, lengthBytes: number | null): Promise<WrittenObject>;
  remove(name: string): Promise<void>;
  close(): void;
};
