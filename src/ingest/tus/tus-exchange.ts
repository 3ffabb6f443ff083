import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MediaKey } from '../../catalog/db.ts';
import type { Reserve } from '../../catalog/quotas/storage-quota-store.ts';
import type { TusUpload } from '../../catalog/uploads/tus-upload-store.ts';
import type { SpaceDeps } from '../../jobs/uploads/require-space.ts';
import type { Guid } from '../../lib/guid.ts';
import type { Staging } from '../../ports/storage.ts';
import type { FinalCreation, OpenCreation } from './headers.ts';
import type { RunningHashes } from './running-hashes.ts';
import type { UploadLocks } from './upload-locks.ts';

/** Operations on uploads that the handler uses. */
export type TusUploads = {
  /** Returns the library's key in plain text, or null if the library does not exist. */
  libraryKey(libraryId: number): Promise<string | null>;
  /** Opens an upload for a video without a file. Throws `Refused` if the video does not exist or already has a file. */
  open(key: MediaKey, creation: OpenCreation): Promise<TusUpload>;
  /**
   * Opens the final upload of complete parts, or finds the one that an identical request opened before. Throws
   * `Refused` if a part is unknown, belongs to another video, is incomplete or used by another final upload, or if
   * `isSigned` rejects it.
   */
  openFinal(key: MediaKey, creation: FinalCreation, isSigned: (part: TusUpload) => boolean): Promise<TusUpload>;
  findUpload(id: Guid): Promise<TusUpload | null>;
  /** Sets the deferred length of an upload. Throws `Refused` if a different length is already set. */
  setLength(upload: TusUpload, lengthBytes: number): Promise<void>;
  /** Returns a function that reserves storage for an upload of deferred length while it grows. */
  reserve(upload: TusUpload): Reserve;
  /** Extends the expiry of an upload in progress. Returns the new expiry time. */
  keep(upload: TusUpload): Promise<Date>;
  /** Returns the number of durable bytes, including those of a completion that a crash interrupted. */
  size(upload: TusUpload): Promise<number>;
  /**
   * Joins the parts of a final upload, or continues after a crash. Returns the SHA-256 if this call read all bytes, or
   * else null.
   */
  join(upload: TusUpload, signal: AbortSignal): Promise<Buffer | null>;
  /** Attaches the staged bytes to the video and starts its processing. Idempotent. */
  complete(upload: TusUpload, sha256: Buffer | null, signal: AbortSignal): Promise<void>;
  /** Deletes an incomplete upload. */
  drop(upload: TusUpload): Promise<void>;
  /** Stores why the last upload to a video was refused. Does nothing for errors that do not concern its file. */
  noteRefusal(key: MediaKey, error: unknown): Promise<void>;
};

export type TusDeps = {
  uploads: TusUploads;
  staging: Staging;
  maxBytes: number;
  /** Returns the URL of this server, without a trailing slash. */
  publicUrl(request: IncomingMessage): string;
  /** Returns whether a person's session is open and its person may upload to a library. */
  mayUpload(sessionId: Guid, libraryId: number): Promise<boolean>;
  space: SpaceDeps;
  onError(error: unknown): void;
};

export type Serving = { deps: TusDeps; locks: UploadLocks; hashes: RunningHashes; stopping: AbortSignal };

/** A request with the upload `id` in its path. A creation ignores the id. */
export type TusExchange = Serving & { request: IncomingMessage; response: ServerResponse; id: string };
