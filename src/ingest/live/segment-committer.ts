import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, MediaKey } from '../../catalog/db.ts';
import { commitSegments, type StoredSegment } from '../../catalog/live/publishing/period-store.ts';
import { packKey } from '../../catalog/tasks/encode-task.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { buildChunk } from '../../media/cmaf/chunk.ts';
import type { Segment } from '../../media/cmaf/segment.ts';
import type { Storage } from '../../ports/storage.ts';
import { type ClosedChunk, storePack } from './store-pack.ts';

export type ClosedSegment = Omit<ClosedChunk, 'chunk'> & { segment: Segment };

/** `lost` means that another process owns the stream and no part of the segment was stored. */
export type CommitResult = { kind: 'stored'; stored: StoredSegment } | { kind: 'lost' };

/**
 * Time for which a segment may wait to be stored with other segments of its stream. It waits for at most `company`
 * other segments.
 */
export type Waits = { patienceMs: number; company: number };

type Deps = { db: Db; storage: Storage; report(error: Error): void };
type Finalize = { resolve(result: CommitResult): void; reject(error: Error): void };
type Waiting = Finalize & { closed: ClosedChunk; dueMs: number };
type Ready = Finalize & { stored: StoredSegment };
/** Segments of a stream that wait to be stored. The objects of a stream are written one after another. */
type StreamQueue = { key: MediaKey; waiting: Waiting[]; isWriting: boolean };

/** Interval of checks for due segments, in ms. */
const LOOK_EVERY_MS = 50;
/** Time for which rows of all streams are collected before a commit, in ms. */
const GROUP_MS = 200;
/**
 * Time in ms after the allowed wait at which a segment counts as late, which means that the store or the database is
 * down.
 */
const LATE_MS = 4_000;
/** Maximum number of concurrent writes of objects. */
const WRITES_AT_ONCE = 16;
/**
 * Maximum size of an object in bytes. It is in memory twice during a write. A backlog after an outage of the store is
 * written as several objects.
 */
const PACK_BYTES = 4 * 2 ** 20;
/** Maximum number of rows per commit. PostgreSQL accepts 65,535 values per statement, and a row has about 20. */
const ROWS_AT_ONCE = 1_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/**
 * Stores closed segments and commits their rows. Segments of a stream that are ready together become one object. The
 * rows of many streams share a transaction. If the store or the database is down, the committer retries as long as the
 * process runs, while media continues.
 */
export class SegmentCommitter {
  readonly #deps: Deps;
  readonly #closing = new AbortController();
  readonly #streams = new Map<Guid, StreamQueue>();
  #looking: NodeJS.Timeout | null = null;
  readonly #ready: Ready[] = [];
  #timer: NodeJS.Timeout | null = null;
  #isCommitting = false;
  #writing = 0;
  /** Due times of the segments without a row. */
  readonly #dueMs = new Set<{ ms: number }>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the segment is stored and committed, or another process owns its stream. Rejects when the process
   * closes, or if the segment is invalid.
   */
  async commit({ segment, ...place }: ClosedSegment, { patienceMs, company }: Waits): Promise<CommitResult> {
    this.#closing.signal.throwIfAborted();
    const closed = { ...place, chunk: buildChunk([segment], segment.number) };
    const due = { ms: Date.now() + patienceMs };
    const { key } = place.lease;
    const { waiting } = this.#queueOf(key);
    const { promise, resolve, reject } = Promise.withResolvers<CommitResult>();
    this.#dueMs.add(due);
    waiting.push({ closed, dueMs: due.ms, resolve, reject });
    const together = waiting.filter((one) => one.closed.chunk.facts.firstSegment === segment.number);
    if (together.length >= company) this.hurry(key.mediaId);
    this.#lookSoon();
    return promise.finally(() => this.#dueMs.delete(due));
  }

  /** Stores the waiting segments of a stream immediately. */
  hurry(streamId: Guid): void {
    for (const one of this.#streams.get(streamId)?.waiting ?? []) one.dueMs = 0;
  }

  /** Returns whether any segment is late. */
  isBehind(nowMs: number): boolean {
    return [...this.#dueMs].some(({ ms }) => nowMs - ms > LATE_MS);
  }

  /** Rejects the waiting segments. They are still in the journal. */
  close(): void {
    const error = new Error('The ingest process is closing.');
    this.#closing.abort(error);
    for (const timer of [this.#timer, this.#looking]) if (timer !== null) clearTimeout(timer);
    for (const { waiting } of this.#streams.values()) for (const { reject } of waiting) reject(error);
    for (const { reject } of this.#ready.splice(0)) reject(error);
    this.#streams.clear();
  }

  #queueOf(key: MediaKey): StreamQueue {
    const known = this.#streams.get(key.mediaId) ?? { key, waiting: [], isWriting: false };
    this.#streams.set(key.mediaId, known);
    return known;
  }

  #lookSoon(): void {
    if (this.#looking !== null || this.#closing.signal.aborted) return;
    this.#looking = setTimeout(() => {
      this.#looking = null;
      this.#look(Date.now());
    }, LOOK_EVERY_MS);
  }

  #look(nowMs: number): void {
    for (const [streamId, queue] of [...this.#streams]) {
      if (queue.isWriting) continue;
      if (queue.waiting.length === 0) this.#streams.delete(streamId);
      else if (this.#writing < WRITES_AT_ONCE && queue.waiting.some(({ dueMs }) => dueMs <= nowMs)) this.#write(queue);
    }
    if (this.#streams.size > 0) this.#lookSoon();
  }

  #write(queue: StreamQueue): void {
    const taken = takePack(queue.waiting);
    const closed = taken.map((one) => one.closed);
    // The key is chosen here, so that retries write the same object.
    const pack = packKey(queue.key, newGuid());
    const to = { storage: this.#deps.storage, signal: this.#closing.signal };
    queue.isWriting = true;
    this.#writing += 1;
    // Moves the stream to the end of the queue, so that no stream waits forever if the store is slow.
    this.#streams.delete(queue.key.mediaId);
    this.#streams.set(queue.key.mediaId, queue);
    this.#retry(() => storePack(pack, closed, to))
      .then((stored) => {
        this.#closing.signal.throwIfAborted();
        // `stored` has one entry per removed segment, in order.
        for (const [index, { resolve, reject }] of taken.entries())
          this.#ready.push({ stored: stored[index] as StoredSegment, resolve, reject });
        this.#schedule();
      })
      .catch((error: Error) => {
        for (const { reject } of taken) reject(error);
      })
      .finally(() => {
        queue.isWriting = false;
        this.#writing -= 1;
      });
  }

  #schedule(): void {
    if (this.#timer !== null || this.#isCommitting || this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#flush();
    }, GROUP_MS);
  }

  async #flush(): Promise<void> {
    this.#isCommitting = true;
    const batch = this.#ready.splice(0, ROWS_AT_ONCE);
    try {
      const segments = batch.map(({ stored }) => stored);
      const lost = new Set(await this.#retry(() => commitSegments(this.#deps.db, segments)));
      for (const { stored, resolve } of batch)
        resolve(lost.has(stored) ? { kind: 'lost' } : { kind: 'stored', stored });
    } catch (error) {
      // The commit is retried until the process closes, so it is closing.
      for (const { reject } of batch) reject(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#isCommitting = false;
    }
    if (this.#ready.length > 0) this.#schedule();
  }

  async #retry<T>(task: () => Promise<T>): Promise<T> {
    const { signal } = this.#closing;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      try {
        return await task();
      } catch (error) {
        signal.throwIfAborted();
        this.#deps.report(new Error('Could not store live segments. The process tries again.', { cause: error }));
        await sleep(pauseMs, undefined, { signal });
      }
    }
  }
}

/** Removes as many segments as fit in one object, at least one. */
function takePack(waiting: Waiting[]): Waiting[] {
  let bytes = 0;
  const end = waiting.findIndex(({ closed }, index) => {
    bytes += closed.chunk.facts.sizeBytes;
    return index > 0 && bytes > PACK_BYTES;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}
