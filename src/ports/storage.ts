import type { Readable } from 'node:stream';
import type { Brand } from '../lib/brand.ts';

/**
 * Where an object lies: segments of `[A-Za-z0-9._-]` joined by `/`, built from typed ids only.
 * `{libraryId}/{mediaId}/{renditionId}/{firstSegment}-{attempt}.cmaf` for chunks,
 * `{libraryId}/{mediaId}/source/{uploadId}` for originals. Some name a range of an object: `packed-key.ts`.
 */
export type StorageKey = Brand<string, 'StorageKey'>;

/** The most keys that one `delete` takes. */
export const MAX_DELETE_KEYS = 1000;

const KEY_SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;
const MAX_KEY_LENGTH = 800;

/**
 * Checks a key. Throws an `Error` for anything but segments of `[A-Za-z0-9._-]` (1 to 200 characters,
 * the first no dot) joined by `/`, 800 characters in all. `.tmp.` is kept for unfinished writes.
 */
export function storageKey(text: string): StorageKey {
  if (text.length > MAX_KEY_LENGTH || !text.split('/').every(isKeySegment)) {
    throw new Error(
      `Expected a storage key of plain segments joined by "/", came ${JSON.stringify(text.slice(0, 200))}.`,
    );
  }
  // The checks above are the brand's whole meaning.
  return text as StorageKey;
}

/** Whether a name can stand between the slashes of a key. */
export function isKeySegment(name: string): boolean {
  return KEY_SEGMENT.test(name) && !name.endsWith('\n') && !name.includes('.tmp.');
}

/** The store cannot be reached, does not answer in time, or refuses access: later the same call may succeed. */
export class StorageAway extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageAway';
  }
}

/** Whether an error, or what caused it, says that the store cannot be used now. */
export function isStorageAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof StorageAway) return true;
  return false;
}

/** What is known of a stored object. `etag` changes whenever the bytes do. */
export type ObjectInfo = { key: StorageKey; sizeBytes: number; modifiedAt: Date; etag: string };

/** What a completed write says of itself: `sha256` is 32 raw bytes, taken while the bytes passed. */
export type WrittenObject = { sizeBytes: number; sha256: Buffer };

/** Bytes `start` to `end`, both included, as in RFC 9110 section 14.1.2. `end` may be Infinity. */
export type ByteRange = { start: number; end: number };

/** Free and total bytes of the medium; null where the medium has no bound (S3). */
export type StorageSpace = { freeBytes: number; totalBytes: number } | null;

/**
 * The object store. Every write is whole or absent: bytes become readable under their key only after
 * they are complete and durable (fsync of file and folder; S3 answered). A failed or aborted write
 * leaves nothing. All methods refuse a malformed key with an `Error`. An absent object is
 * `Refused('not-found')` for `read`, null for `head`, silence for `delete`.
 * A full medium is `Refused('disk-full')`; a store that does not answer, or not in time, is `StorageAway`.
 */
export type Storage = {
  /** Which adapter, for status pages: `file` or `s3`. */
  readonly kind: 'file' | 's3';
  /** So many bytes of an unfinished write may come before it is seen to grow: a part on S3, none in a folder. */
  readonly stepBytes: number;
  /**
   * Writes a stream or bytes in O(1) memory. `ifAbsent` refuses with `conflict` when the key exists.
   * An abort destroys the stream; after any other failure the caller closes what was not read.
   */
  put(key: StorageKey, body: Readable | Uint8Array, options: PutOptions, signal: AbortSignal): Promise<WrittenObject>;
  /**
   * Opens an object, whole or a range; a range past the end is cut to it (to nothing, if it begins there).
   * `info` describes the whole object. `body` fails unless every byte came. The caller closes it; an abort does too.
   */
  read(key: StorageKey, range: ByteRange | null, signal: AbortSignal): Promise<{ info: ObjectInfo; body: Readable }>;
  /** Reads a small range at once; refuses with `Error` above 64 MiB. */
  readBytes(key: StorageKey, range: ByteRange | null, signal: AbortSignal): Promise<Buffer>;
  head(key: StorageKey): Promise<ObjectInfo | null>;
  /**
   * Lists keys that begin with a prefix (any text of key characters) in key order, staged bytes left out; behind a key,
   * without reading what comes before it.
   */
  list(from: string | ListFrom, signal: AbortSignal): AsyncIterable<ObjectInfo>;
  /** Deletes; an absent key is no error. At most 1000 keys. */
  delete(keys: readonly StorageKey[]): Promise<void>;
  /** Deletes all under a prefix that ends with `/`; answers how many objects were there. */
  deletePrefix(prefix: string, signal: AbortSignal): Promise<number>;
  /** A path on this machine that tools may read (never write), or null when the bytes are elsewhere. */
  localPath(key: StorageKey): string | null;
  space(): Promise<StorageSpace>;
  /**
   * Removes what dead writers left unfinished and no reader ever sees (temporary files, open multipart
   * uploads) when its last byte is older than this; answers how many. Staged uploads are not among it.
   */
  sweepTemp(olderThanMs: number, signal: AbortSignal): Promise<number>;
  readonly staging: Staging;
  /** The mark of each place that the objects lie in: two while they move from one to the other. */
  readonly marks: readonly StoreMark[];
};

/**
 * The one object of a place that says whose it is. No key names it, no list shows it, and nothing deletes it.
 */
export type StoreMark = {
  /** Where it lies, for people: a folder, or the address of a bucket without keys of access. */
  readonly place: string;
  /** The text as it was written, at most 4 KiB of it; null when there is none. */
  read(signal: AbortSignal): Promise<string | null>;
  /** Writes the text whole; `ifAbsent` refuses with `conflict` when there is one. */
  write(text: string, options: { ifAbsent: boolean }, signal: AbortSignal): Promise<void>;
  /** Writes, reads and deletes a few bytes beside the mark; throws what is wrong with the place. */
  probe(signal: AbortSignal): Promise<void>;
  /** Whether the place has neither objects nor staged uploads. */
  isEmpty(signal: AbortSignal): Promise<boolean>;
};

/** The most bytes of a mark that are read. */
export const MAX_MARK_BYTES = 4096;

/** `after`: the key behind which a list begins, stored or not; empty for its beginning. */
export type ListFrom = { prefix: string; after: string };

/**
 * `lengthBytes`: how many bytes were announced, where that is known. A store that must know it for large objects (S3,
 * above 156 GiB) refuses at the start, with `too-large`, what it could not take to its end.
 */
export type PutOptions = { ifAbsent?: boolean; contentType?: string; lengthBytes?: number };

/**
 * Uploads that grow by pieces and survive a dead process (TUS, fetch with resume). A staged upload is
 * named by an id of `[A-Za-z0-9-]`; its bytes are no object until `commit`.
 */
export type Staging = {
  /**
   * Appends at `offset`, which must equal the staged size (`Refused('conflict')` else, also while another
   * append to the id runs; the stream is then untouched). Answers the new size when the stream ended. When it
   * failed or was aborted, bytes that arrived are made durable first, then its error is thrown: ask `size`.
   */
  append(id: string, offset: number, body: Readable, signal: AbortSignal): Promise<number>;
  /** Forgets the staged bytes from `sizeBytes` on, which must not be above the staged size. */
  rewind(id: string, sizeBytes: number): Promise<void>;
  /** Bytes that are durably staged; 0 when nothing is. */
  size(id: string): Promise<number>;
  /** Reads the staged bytes from `offset` on; an empty stream when nothing is staged. The caller closes it. */
  read(id: string, offset: number, signal: AbortSignal): Promise<Readable>;
  /**
   * Makes the staged bytes one object and forgets the staging. O(1) on a local folder. Doing it twice is
   * harmless: with nothing staged it answers the object at `key`, or refuses with `not-found`.
   */
  commit(id: string, key: StorageKey, signal: AbortSignal): Promise<{ sizeBytes: number }>;
  /** Forgets the staged bytes. */
  abort(id: string): Promise<void>;
  /** Every staged id with the time of its last byte, for the sweep. */
  list(signal: AbortSignal): AsyncIterable<{ id: string; modifiedAt: Date }>;
};
