import type { Guid } from '../../lib/guid.ts';
import type { MediaKey } from '../db.ts';

/**
 * Right of an ingest process to publish the media of a stream. Writes with an older `epoch` are rejected. The names of
 * objects contain `attempt`, which is unique to the lease.
 */
export type LiveLease = { key: MediaKey; owner: Guid; epoch: number; attempt: number };
