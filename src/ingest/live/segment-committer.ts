import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../catalog/db.ts';
import type { LiveLease } from '../../catalog/live/live-lease.ts';
import { commitSegments, type StoredSegment } from '../../catalog/live/period-store.ts';
import { chunkKeys } from '../../catalog/tasks/encode-task.ts';
import type { Guid } from '../../lib/guid.ts';
import { buildChunk } from '../../media/cmaf/chunk.ts';
import type { Segment } from '../../media/cmaf/segment.ts';
import type { Storage } from '../../ports/storage.ts';

export type ClosedSegment = { lease: LiveLease; renditionId: Guid; segment: Segment; wallMs: number };

/** `lost`: another process owns the stream; nothing of the segment was kept. */
export type CommitResult = { kind: 'stored'; stored: StoredSegment } | { kind: 'lost' };

type Deps = { db: Db; storage: Storage; report(error: Error): void };
type Waiting = { stored: StoredSegment; finalize(result: CommitResult): void };

/** Rows of all streams wait this long for each other. */
const GROUP_MS = 200;
/** A segment that waits longer to be stored: the store or the database is away. */
const LATE_MS = 4_000;
/** Objects that are written at once. */
const WRITES_AT_ONCE = 16;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Stores closed segments and commits their rows, those of many streams in one transaction. A store or database that is
 * away is tried again for as long as the process runs: media goes on meanwhile.
 */
export class SegmentCommitter {
  readonly #deps: Deps;
  readonly #closing = new AbortController();
  #ready: Waiting[] = [];
  #timer: NodeJS.Timeout | null = null;
  #isCommitting = false;
  #writing = 0;
  /** When the segments were closed that have no row yet, oldest first. */
  readonly #sinceMs = new Set<{ ms: number }>();
  readonly #queue: (() => void)[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Resolves when the segment is stored and committed, or its stream is lost. Rejects only when the process closes. */
  async commit(closed: ClosedSegment): Promise<CommitResult> {
    const since = { ms: Date.now() };
    this.#sinceMs.add(since);
    return this.#commit(closed).finally(() => this.#sinceMs.delete(since));
  }

  /** Whether segments wait that should have been stored by now. */
  isBehind(nowMs: number): boolean {
    const oldest = this.#sinceMs.values().next();
    return !oldest.done && nowMs - oldest.value.ms > LATE_MS;
  }

  async #commit(closed: ClosedSegment): Promise<CommitResult> {
    await this.#slot();
    let stored: StoredSegment;
    try {
      stored = await this.#retry(() => this.#store(closed));
    } finally {
      this.#release();
    }
    return new Promise((resolve) => {
      this.#ready.push({ stored, finalize: resolve });
      this.#schedule();
    });
  }

  /** Gives up what is not stored: journals keep it. */
  close(): void {
    this.#closing.abort(new Error('The ingest process closes.'));
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #store({ lease, renditionId, segment, wallMs }: ClosedSegment): Promise<StoredSegment> {
    const { storage } = this.#deps;
    const { pieces, idx, facts } = buildChunk([segment], segment.number);
    const keys = chunkKeys(lease.key, renditionId, segment.number, lease.attempt);
    const { signal } = this.#closing;
    const [wrote] = await Promise.all([
      storage.put(keys.object, Readable.from(pieces, { objectMode: false }), {}, signal),
      storage.put(keys.idx, idx, {}, signal),
    ]);
    if (wrote.sizeBytes !== facts.sizeBytes || wrote.sha256.toString('hex') !== facts.sha256) {
      throw new Error(
        `Expected ${keys.object} of ${facts.sizeBytes} bytes, the store wrote ${wrote.sizeBytes} others.`,
      );
    }
    return { lease, renditionId, facts, storageKey: keys.object, idxBytes: idx.length, wallMs };
  }

  #schedule(): void {
    if (this.#timer !== null || this.#isCommitting || this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#flush().catch((error: Error) => this.#deps.report(error));
    }, GROUP_MS);
  }

  async #flush(): Promise<void> {
    this.#isCommitting = true;
    const batch = this.#ready;
    this.#ready = [];
    try {
      const segments = batch.map(({ stored }) => stored);
      const lost = await this.#retry(() => commitSegments(this.#deps.db, segments));
      for (const { stored, finalize } of batch)
        finalize(lost.includes(stored) ? { kind: 'lost' } : { kind: 'stored', stored });
    } finally {
      this.#isCommitting = false;
    }
    if (this.#ready.length > 0) this.#schedule();
  }

  async #retry<T>(task: () => Promise<T>): Promise<T> {
    const { signal } = this.#closing;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        return await task();
      } catch (error) {
        signal.throwIfAborted();
        this.#deps.report(new Error('Live segments could not be stored; trying again.', { cause: error }));
        await sleep(pauseMs, undefined, { signal });
      }
    }
  }

  async #slot(): Promise<void> {
    if (this.#writing < WRITES_AT_ONCE) this.#writing += 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
  }

  #release(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#writing -= 1;
    else next();
  }
}
