import type { StoredChunk } from '../../catalog/publications/publication.ts';
import { idxKeyOf } from '../../catalog/tasks/encode-task.ts';
import { Refused } from '../../lib/refused.ts';
import { type ChunkIndex, decodeIdx } from '../../media/cmaf/idx.ts';
import type { EdgeStorage } from '../edge-deps.ts';
import { asMissing } from './object-missing.ts';

const READS_AT_ONCE = 8;
const READERS_AT_ONCE = 8;
const LIMIT_MS = 60_000;

/** Reads the sample tables next to chunks, with a limit on concurrent reads and a timeout. */
export class IndexReader {
  readonly #storage: EdgeStorage;
  readonly #closing = new AbortController();
  #readers = 0;

  constructor(storage: EdgeStorage) {
    this.#storage = storage;
  }

  /** Signal that aborts when the edge closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Returns the indexes of chunks in order. Throws `Refused` (`unavailable`) if too many reads are pending. */
  async read(chunks: readonly Pick<StoredChunk, 'storageKey'>[]): Promise<ChunkIndex[]> {
    if (this.#readers >= READERS_AT_ONCE) {
      throw new Refused('unavailable', 'Too many files are being assembled. Try again later.');
    }
    this.#readers += 1;
    const failed = new AbortController();
    const signal = AbortSignal.any([failed.signal, this.#closing.signal, AbortSignal.timeout(LIMIT_MS)]);
    try {
      return await this.#readAll(chunks, signal);
    } finally {
      failed.abort();
      this.#readers -= 1;
    }
  }

  close(): void {
    this.#closing.abort();
  }

  async #readAll(chunks: readonly Pick<StoredChunk, 'storageKey'>[], signal: AbortSignal): Promise<ChunkIndex[]> {
    const indexes: ChunkIndex[] = [];
    const waiting = chunks.entries();
    const task = async () => {
      for (const [number, { storageKey }] of waiting) {
        signal.throwIfAborted();
        const key = idxKeyOf(storageKey);
        indexes[number] = decodeIdx(await this.#storage.readBytes(key, null, signal).catch(asMissing(key)));
      }
    };
    await Promise.all(Array.from({ length: READS_AT_ONCE }, task));
    return indexes;
  }
}
