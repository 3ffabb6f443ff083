import type { Readable } from 'node:stream';
import type { Brand } from '../lib/brand.ts';

/**
 * Key of an object: segments of `[A-Za-z0-9._-]` joined by `/`, built only from typed ids.
 * `{libraryId}/{mediaId}/{renditionId}/{firstSegment}-{attempt}.cmaf` for chunks,
 * `{libraryId}/{mediaId}/source/{uploadId}` for originals. Some keys identify a range of an object: see
 * `packed-key.ts`.
 */
export type StorageKey = Brand<string, 'StorageKey'>;

/** Maximum number of keys per `delete` call. */
export const MAX_DELETE_KEYS = 1000;

const KEY_SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;
const MAX_KEY_LENGTH = 800;

/**
 * Checks a key. Throws an `Error` unless it consists of segments of `[A-Za-z0-9._-]` (1 to 200 characters, the first
 * not a dot) joined by `/`, with at most 800 characters in total. `.tmp.` is reserved for unfinished writes.
 */
export function storageKey(text: string): StorageKey {
  if (text.length > MAX_KEY_LENGTH || !text.split('/').every(isKeySegment)) {
    throw new Error(
      `Expected a storage key of plain segments joined by "/", got ${JSON.stringify(text.slice(0, 200))}.`,
    );
  }
  // The text has passed all checks that the brand stands for.
  return text as StorageKey;
}

/** Whether a name is a valid segment of a key. */
export function isKeySegment(name: string): boolean {
  return KEY_SEGMENT.test(name) && !name.endsWith('\n') && !name.includes('.tmp.');
}

/** Thrown if the store is unreachable, does not respond in time, or denies access. The same call may succeed later. */
export class StorageAway extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageAway';
  }
}

/** Whether an error, or one of its causes, means that the store is currently unavailable. */
export function isStorageAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof StorageAway) return true;
  return false;
}

/** Metadata of a stored object. `etag` changes whenever the bytes do. */
export type ObjectInfo = { key: StorageKey; sizeBytes: number; modifiedAt: Date; etag: string };

/** Result of a completed write. `sha256` is 32 raw bytes, computed during the write. */
export type WrittenObject = { sizeBytes: number; sha256: Buffer };

/** Bytes `start` to `end`, both inclusive, as in RFC 9110 section 14.1.2. `end` may be Infinity. */
export type ByteRange = { start: number; end: number };

/** Free and total bytes of the disk, or null if the store is unbounded (S3). */
export type StorageSpace = { freeBytes: number; totalBytes: number } | null;

/**
 * The object store. Every write is atomic: bytes are readable under their key only when they are complete and durable
 * (fsync of file and folder; response from S3). A failed or aborted write leaves nothing. All methods throw an `Error`
 * for a malformed key. For a missing object, `read` throws `Refused('not-found')`, `head` returns null and `delete`
 * does nothing. Methods throw `Refused('disk-full')` if the disk is full, and `StorageAway` if the store does not
 * respond in time.
 */
export type Storage = {
  /** Kind of adapter, for status pages. */
  readonly kind: 'file' | 's3';
  /**
   * Maximum number of bytes that an unfinished write may receive before its stored size grows: the size of a part on
   * S3, 0 in a folder.
   */
  readonly stepBytes: number;
  /**
   * Writes a stream or bytes in O(1) memory. With `ifAbsent`, throws `Refused` (`conflict`) if the key exists. An abort
   * destroys the stream. After any other failure, the caller must close the partly read stream.
   */
  put(key: StorageKey, body: Readable | Uint8Array, options: PutOptions, signal: AbortSignal): Promise<WrittenObject>;
  /**
   * Opens an object or a range of it. Clips a range at the end of the object, and returns an empty body if it begins
   * there. `info` describes the whole object. `body` fails unless every byte was received. The caller must close it. An
   * abort also closes it.
   */
  read(key: StorageKey, range: ByteRange | null, signal: AbortSignal): Promise<{ info: ObjectInfo; body: Readable }>;
  /** Reads a small range into memory. Throws an `Error` above 64 MiB. */
  readBytes(key: StorageKey, range: ByteRange | null, signal: AbortSignal): Promise<Buffer>;
  head(key: StorageKey): Promise<ObjectInfo | null>;
  /**
   * Lists objects by key prefix (any text of key characters) in key order, without staged bytes. Starts after the given
   * key without reading earlier keys.
   */
  list(from: string | ListFrom, signal: AbortSignal): AsyncIterable<ObjectInfo>;
  /** Deletes at most 1000 objects. A missing key is not an error. */
  delete(keys: readonly StorageKey[]): Promise<void>;
  /** Deletes all objects below a prefix that ends with `/`. Returns their number. */
  deletePrefix(prefix: string, signal: AbortSignal): Promise<number>;
  /** Returns a local path that tools may read (never write), or null if the object is not a local file. */
  localPath(key: StorageKey): string | null;
  space(): Promise<StorageSpace>;
  /**
   * Removes leftovers of crashed writers (temporary files, open multipart uploads), which are invisible to readers, if
   * their last byte is older than `olderThanMs`. Returns their number. Keeps staged uploads.
   */
  sweepTemp(olderThanMs: number, signal: AbortSignal): Promise<number>;
  readonly staging: Staging;
  /** Marks of all locations of the store. There are two while objects are moved from one location to another. */
  readonly marks: readonly StoreMark[];
};

/** An object that identifies the owner of a location. It has no key, is never listed and never deleted. */
export type StoreMark = {
  /** Readable location: a folder, or the URL of a bucket without access keys. */
  readonly location: string;
  /** Returns at most 4 KiB of the text, or null if there is no mark. */
  read(signal: AbortSignal): Promise<string | null>;
  /** Writes the text atomically. With `ifAbsent`, throws `Refused` (`conflict`) if a mark exists. */
  write(text: string, options: { ifAbsent: boolean }, signal: AbortSignal): Promise<void>;
  /** Writes, reads and deletes a few bytes next to the mark. Throws if the location does not work. */
  probe(signal: AbortSignal): Promise<void>;
  /** Returns whether the location has neither objects nor staged uploads. */
  isEmpty(signal: AbortSignal): Promise<boolean>;
};

/** Maximum number of bytes read from a mark. */
export const MAX_MARK_BYTES = 4096;

/** `after` is the key after which a list begins. The key need not exist. An empty string means the beginning. */
export type ListFrom = { prefix: string; after: string };

/**
 * `lengthBytes` is the announced length, if known. A store that needs the length of large objects (S3, above 156 GiB)
 * immediately throws `Refused` (`too-large`) for an object that it could not store completely.
 */
export type PutOptions = { ifAbsent?: boolean; contentType?: string; lengthBytes?: number };

/**
 * Uploads that are appended to in several requests and survive a crash of the process (tus, resumable fetch). A staged
 * upload has an id of `[A-Za-z0-9-]`. Its bytes are not an object until `commit`.
 */
export type Staging = {
  /**
   * Appends at `offset`, which must equal the staged size. Otherwise, or if another append to the id is running, throws
   * `Refused` (`conflict`) without reading the stream. Returns the new size at the end of the stream. If the stream
   * failed or was aborted, makes the received bytes durable, then throws its error. Call `size` afterwards.
   */
  append(id: string, offset: number, body: Readable, signal: AbortSignal): Promise<number>;
  /** Truncates the staged upload to `sizeBytes`, which must not exceed the staged size. */
  rewind(id: string, sizeBytes: number): Promise<void>;
  /** Returns the number of durable staged bytes, or 0 if there are none. */
  size(id: string): Promise<number>;
  /**
   * Reads the staged bytes from `offset` on. Returns an empty stream if nothing is staged. The caller closes the
   * stream.
   */
  read(id: string, offset: number, signal: AbortSignal): Promise<Readable>;
  /**
   * Converts the staged bytes to one object and removes the staged upload. Takes O(1) time in a local folder.
   * Idempotent: if nothing is staged, returns the object at `key`, or throws `Refused` (`not-found`).
   */
  commit(id: string, key: StorageKey, signal: AbortSignal): Promise<{ sizeBytes: number }>;
  /** Discards the staged bytes. */
  abort(id: string): Promise<void>;
  /** Yields every staged id and the time of its last byte, for the sweep. */
  list(signal: AbortSignal): AsyncIterable<{ id: string; modifiedAt: Date }>;
};
