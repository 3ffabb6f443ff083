import { createHash, type Hash } from 'node:crypto';

/** SHA-256 state of an upload's bytes from 0 to `offset`. */
export type RunningHash = { offset: number; hash: Hash };

/**
 * Running hashes of uploads in progress. An upload has a running hash only if this process received all its bytes in
 * order. The least recently used hashes are dropped above the limit.
 */
export type RunningHashes = {
  /** Removes and returns the hash of the bytes before `offset`, or null if unknown. */
  take(uploadId: string, offset: number): RunningHash | null;
  /** Stores a hash again. All its bytes must be durable. */
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
