import type { Readable } from 'node:stream';
import type { Brand } from '../lib/brand.ts';

/**
 * Key of an object: segments of `[A-Za-z0-9._-]` joined by `/`, built only from typed ids.
 * `{libraryId}/{mediaId}/{renditionId}/{firstSegment}-{attempt}.cmaf` for chunks,
 * `{libraryId}/{mediaId}/source/{uploadId}` for originals. Some name a range of an object: `packed-key.ts`.
 */
export type StorageKey = Brand<string, 'StorageKey'>;

/** Maximum keys per `delete` call. */
export const MAX_DELETE_KEYS = 1000;

const KEY_SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;
const MAX_KEY_LENGTH = 800;

/**
 * Checks a key. Throws an `Error` for anything but segments of `[A-Za-z0-9._-]` (1 to 200 characters, the first not a
 * dot) joined by `/`, at most 800 characters in total. `.tmp.` is reserved for unfinished writes.
 */
export function storageKey(text: string): StorageKey {
  if (text.length > MAX_KEY_LENGTH || !text.split('/').every(isKeySegment)) {
    throw new Error(
      `Expected a storage key of plain segments joined by "/", got ${JSON.stringify(text.slice(0, 200))}.`,
    );
  }
  // The brand means exactly the checks above.
  return text as StorageKey;
}

/** Returns whether a name is a valid segment of a key. */
export function isKeySegment(name: string): boolean {
  return KEY_SEGMENT.test(name) && !name.endsWith('\n') && !name.includes('.tmp.');
}

/** The store is unreachable, does not respond in time, or refuses access. The same call may succeed later. */
export class StorageAway extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageAway';
  }
}

/** Returns whether an error, or one of its causes, means that the store is currently unavailable. */
export function isStorageAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof StorageAway) return true;
  return false;
}

/** Facts of a stored object. `etag` changes whenever the bytes do. */
export type ObjectInfo = { key: StorageKey; sizeBytes: number; modifiedAt: Date; etag: string };

/** Result of a completed write: `sha256` is 32 raw bytes, computed while the bytes passed. */
export type WrittenObject = { sizeBytes: number; sha256: Buffer };

/** Bytes `start` to `end`, both inclusive, as in RFC 9110 section 14.1.2. `end` may be Infinity. */
export type ByteRange = { start: number; end: number };

/** Free and total bytes of the medium; null if the medium is unbounded (S3). */
export type StorageSpace = { freeBytes: number; totalBytes: number } | null;

/**
 * The object store. Every write is complete or absent: bytes become readable under their key only after they are
 * complete and durable (fsync of file and folder; S3 responded). A failed or aborted write leaves nothing. All methods
 * throw an `Error` for a malformed key. For a missing object, `read` throws `Refused('not-found')`, `head` returns null
 * and `delete` does nothing. A full medium is `Refused('disk-full')`. A store that does not respond, or not in time, is
 * `StorageAway`.
 */
export type Storage = {
  /** The adapter, for status pages: `file` or `s3`. */
  readonly kind: 'file' | 's3';
  /** Maximum bytes of an unfinished write before it visibly grows: a part on S3, none in a folder. */
  readonly stepBytes: number;
  /**
   * Writes a stream or bytes in O(1) memory. With `ifAbsent`, throws `Refused` (`conflict`) if the key exists. An abort
   * destroys the stream; after any other failure, the caller closes the unread rest.
   */
  put(key: StorageKey, body: Readable | Uint8Array, options: PutOptions, signal: AbortSignal): Promise<WrittenObject>;
  /**
   * Opens an object, whole or a range. A range past the end is clipped (to nothing, if it begins there). `info`
   * describes the whole object. `body` fails unless every byte was received. The caller closes it; an abort does too.
   */
  read(key: StorageKey, range: ByteRange | null, signal: AbortSignal): Promise<{ info: ObjectInfo; body: Readable }>;
  /** Reads a small range at once. Throws an `Error` above 64 MiB. */
  readBytes(key: StorageKey, range: ByteRange | null, signal: AbortSignal): Promise<Buffer>;
  head(key: StorageKey): Promise<ObjectInfo | null>;
  /**
   * Lists keys with a prefix (any text of key characters) in key order, without staged bytes. Starts after a key,
   * without reading earlier ones.
   */
  list(from: string | ListFrom, signal: AbortSignal): AsyncIterable<ObjectInfo>;
  /** Deletes objects. A missing key is not an error. At most 1000 keys. */
  delete(keys: readonly StorageKey[]): Promise<void>;
  /** Deletes everything under a prefix that ends with `/`. Returns the number of objects. */
  deletePrefix(prefix: string, signal: AbortSignal): Promise<number>;
  /** Returns a path on this machine that tools may read (never write), or null if the bytes are elsewhere. */
  localPath(key: StorageKey): string | null;
  space(): Promise<StorageSpace>;
  /**
   * Removes leftovers of dead writers that no reader ever sees (temporary files, open multipart uploads) if their last
   * byte is older than this. Returns their number. Staged uploads are not affected.
   */
  sweepTemp(olderThanMs: number, signal: AbortSignal): Promise<number>;
  readonly staging: Staging;
  /** The mark of each place that contains the objects: two while they move from one to the other. */
  readonly marks: readonly StoreMark[];
};

/** The object of a place that identifies its owner. No key names it, no list shows it, and nothing deletes it. */
export type StoreMark = {
  /** The place in readable form: a folder, or the address of a bucket without access keys. */
  readonly place: string;
  /** Returns the text as written, at most 4 KiB of it; null if there is none. */
  read(signal: AbortSignal): Promise<string | null>;
  /** Writes the text atomically. With `ifAbsent`, throws `Refused` (`conflict`) if there is one. */
  write(text: string, options: { ifAbsent: boolean }, signal: AbortSignal): Promise<void>;
  /** Writes, reads and deletes a few bytes next to the mark. Throws if the place does not work. */
  probe(signal: AbortSignal): Promise<void>;
  /** Returns whether the place has neither objects nor staged uploads. */
  isEmpty(signal: AbortSignal): Promise<boolean>;
};

/** Maximum bytes of a mark that are read. */
export const MAX_MARK_BYTES = 4096;

/** `after`: the key after which a list begins, stored or not; empty for the beginning. */
export type ListFrom = { prefix: string; after: string };

/**
 * `lengthBytes`: announced length, if known. A store that must know it for large objects (S3, above 156 GiB) throws
 * `Refused` (`too-large`) at the start for one that it could not store completely.
 */
export type PutOptions = { ifAbsent?: boolean; contentType?: string; lengthBytes?: number };

/**
 * Uploads that grow by pieces and survive a dead process (TUS, fetch with resume). A staged upload has an id of
 * `[A-Za-z0-9-]`. Its bytes are not an object until `commit`.
 */
export type Staging = {
  /**
   * Appends at `offset`, which must equal the staged size (otherwise `Refused('conflict')`, also while another append
   * to the id runs; the stream is then untouched). Returns the new size when the stream has ended. If it failed or was
   * aborted, the received bytes are made durable first, then its error is thrown: call `size`.
   */
  append(id: string, offset: number, body: Readable, signal: AbortSignal): Promise<number>;
  /** Discards the staged bytes from `sizeBytes` on, which must not exceed the staged size. */
  rewind(id: string, sizeBytes: number): Promise<void>;
  /** Returns the durably staged bytes; 0 if there are none. */
  size(id: string): Promise<number>;
  /** Reads the staged bytes from `offset` on. Returns an empty stream if nothing is staged. The caller closes it. */
  read(id: string, offset: number, signal: AbortSignal): Promise<Readable>;
  /**
   * Makes the staged bytes one object and removes the staging. O(1) on a local folder. Idempotent: if nothing is
   * staged, it returns the object at `key`, or throws `Refused` (`not-found`).
   */
  commit(id: string, key: StorageKey, signal: AbortSignal): Promise<{ sizeBytes: number }>;
  /** Discards the staged bytes. */
  abort(id: string): Promise<void>;
  /** Yields every staged id with the time of its last byte, for the sweep. */
  list(signal: AbortSignal): AsyncIterable<{ id: string; modifiedAt: Date }>;
};
