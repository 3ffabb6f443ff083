import { createHash, type Hash } from 'node:crypto';

/** The SHA-256 of an upload's bytes from 0 to `offset`, while it grows. */
export type RunningHash = { offset: number; hash: Hash };

/**
 * The running hashes of uploads under way. An upload whose bytes did not all pass through this process in order
 * has none; neither has the longest untouched one when there are too many.
 */
export type RunningHashes = {
  /** Takes out the hash of the bytes before `offset`; null when they are not known. */
  take(uploadId: string, offset: number): RunningHash | null;
  /** Puts a hash back whose bytes are all safe. */
  put(uploadId: string, running: RunningHash): void;
};

export function createRunningHashes(maxUploads: number): RunningHashes {
  const known = new Map<string, RunningHash>();
  return {
    take(uploadId, offset) {
      const running = known.get(uploadId);
      known.delete(uploadId);
      if (offset === 0) return { offset: 0, hash: createHash('sha256') };
      return running?.offset === offset ? running : null;
    },
    put(uploadId, running) {
      const oldest = known.keys().next();
      if (known.size >= maxUploads && !oldest.done) known.delete(oldest.value);
      known.set(uploadId, running);
    },
  };
}
