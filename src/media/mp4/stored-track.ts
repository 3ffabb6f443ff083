import type { StorageKey } from '../../ports/storage.ts';
import type { ChunkIndex } from '../cmaf/idx.ts';

/** One chunk object and its sample table. */
export type StoredChunk = { storageKey: StorageKey; index: ChunkIndex };

/**
 * A whole rendition: its init segment and all its chunks in order. `language` is BCP 47. If null, the language of the
 * init segment is kept.
 */
export type StoredTrack = { init: Buffer; language: string | null; chunks: readonly StoredChunk[] };
