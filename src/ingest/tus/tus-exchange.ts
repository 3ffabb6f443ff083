import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MediaKey } from '../../catalog/db.ts';
import type { TusUpload } from '../../catalog/uploads/tus-upload-store.ts';
import type { SpaceDeps } from '../../jobs/uploads/require-space.ts';
import type { Guid } from '../../lib/guid.ts';
import type { Staging } from '../../ports/storage.ts';
import type { FinalCreation, OpenCreation } from './headers.ts';
import type { RunningHashes } from './running-hashes.ts';
import type { UploadLocks } from './upload-locks.ts';

/** Calls of the handler into the catalogue. */
export type TusUploads = {
  /** Returns the library's key in plain text, or null if there is no such library. */
  libraryKey(libraryId: number): Promise<string | null>;
  /**
   * Opens an upload for a video without a file. Throws `Refused` for an unknown video and for one that has its file.
   */
  open(key: MediaKey, creation: OpenCreation): Promise<TusUpload>;
  /**
   * Opens the final upload of complete parts, or finds the one that the same request opened before. Throws `Refused`
   * for parts that are unknown, of another video, unfinished or used by another final upload, and those that `isSigned`
   * rejects.
   */
  openFinal(key: MediaKey, creation: FinalCreation, isSigned: (part: TusUpload) => boolean): Promise<TusUpload>;
  find(id: Guid): Promise<TusUpload | null>;
  /** Sets the length of an upload that deferred it. Refuses to change one that is set. */
  setLength(upload: TusUpload, lengthBytes: number): Promise<void>;
  /** Puts off the expiry of an upload that someone goes on with; returns when it expires now. */
  keep(upload: TusUpload): Promise<Date>;
  /** Returns the durable bytes, including those of a completion that a crash interrupted. */
  size(upload: TusUpload): Promise<number>;
  /**
   * Joins the parts of a final upload, and continues after a crash. Returns the SHA-256 if all bytes passed during this
   * call.
   */
  join(upload: TusUpload, signal: AbortSignal): Promise<Buffer | null>;
  /** Gives the staged bytes to the video and starts its processing. Idempotent. */
  complete(upload: TusUpload, sha256: Buffer | null, signal: AbortSignal): Promise<void>;
  /** Deletes an incomplete upload. */
  drop(upload: TusUpload): Promise<void>;
};

export type TusDeps = {
  uploads: TusUploads;
  staging: Staging;
  maxBytes: number;
  /** Returns the URL of this server, without a final slash. */
  publicUrl(request: IncomingMessage): string;
  space: SpaceDeps;
  onError(error: unknown): void;
};

export type Serving = { deps: TusDeps; locks: UploadLocks; hashes: RunningHashes; stopping: AbortSignal };

/** A request about the upload with the `id` in its path, which is meaningless for a creation. */
export type TusExchange = Serving & { request: IncomingMessage; response: ServerResponse; id: string };
