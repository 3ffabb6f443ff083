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
  /** The library's key in the clear, null when there is no such library. */
  libraryKey(libraryId: number): Promise<string | null>;
  /** Opens an upload for a video without a file. Refuses an unknown video and one that has its file. */
  open(key: MediaKey, creation: OpenCreation): Promise<TusUpload>;
  /**
   * Opens the final upload of parts that are all there, or finds the one that the same request opened before. Refuses
   * parts that are unknown, of another video, unfinished or taken by another final upload, and those that `isSigned`
   * rejects.
   */
  openFinal(key: MediaKey, creation: FinalCreation, isSigned: (part: TusUpload) => boolean): Promise<TusUpload>;
  find(id: Guid): Promise<TusUpload | null>;
  /** Sets the length of an upload that deferred it. Refuses to change one that is set. */
  setLength(upload: TusUpload, lengthBytes: number): Promise<void>;
  /** Puts off the expiry of an upload that someone goes on with; returns when it expires now. */
  keep(upload: TusUpload): Promise<Date>;
  /** How many bytes are durably there, those of an end that a crash cut short included. */
  size(upload: TusUpload): Promise<number>;
  /** Joins the parts of a final upload; going on after a crash. Returns the SHA-256 if all bytes passed just now. */
  join(upload: TusUpload, signal: AbortSignal): Promise<Buffer | null>;
  /** Gives the staged bytes to the video and starts its processing; doing it twice changes nothing. */
  complete(upload: TusUpload, sha256: Buffer | null, signal: AbortSignal): Promise<void>;
  /** Forgets an upload that is not complete. */
  drop(upload: TusUpload): Promise<void>;
};

export type TusDeps = {
  uploads: TusUploads;
  staging: Staging;
  maxBytes: number;
  /** Where this server is reached, without a final slash. */
  publicUrl(request: IncomingMessage): string;
  space: SpaceDeps;
  onError(error: unknown): void;
};

export type Serving = { deps: TusDeps; locks: UploadLocks; hashes: RunningHashes; stopping: AbortSignal };

/** An exchange about the upload that `id` of its path names; of a creation the name has no meaning. */
export type TusExchange = Serving & { request: IncomingMessage; response: ServerResponse; id: string };
