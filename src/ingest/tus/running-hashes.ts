import { createHash, type Hash } from 'node:crypto';

/** The SHA-256 of an upload's bytes from 0 to `offset`, while it grows. */
export type RunningHash = { offset: number; hash: Hash };

/**
 * The running hashes of uploads in progress. Uploads whose bytes did not all pass through this process in order have
 * none, and the least recently used are dropped when there are too many.
 */
export type RunningHashes = {
  /** Removes and returns the hash of the bytes before `offset`; null if unknown. */
  take(uploadId: string, offset: number): RunningHash | null;
  /** Puts back a hash whose bytes are all durable. */
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
