import type { Db } from '../../catalog/db.ts';
import type { BitrateSample } from '../../catalog/live/live-stream.ts';
import type { MediaReport } from '../../catalog/live/publishing/publish-store.ts';
import { type BitrateRow, recordBitrates } from '../../catalog/live/viewing/stream-figures-store.ts';
import type { Guid } from '../../lib/guid.ts';

const WRITE_EVERY_MS = 10_000;

/** Collects one bitrate sample per stream and second. Stores the samples of all streams together every 10 s. */
export class BitrateHistory {
  readonly #db: Db;
  #samples = new Map<Guid, BitrateSample[]>();
  #writtenMs = Date.now();

  constructor(db: Db) {
    this.#db = db;
  }

  async add(reports: readonly MediaReport[], nowMs: number): Promise<void> {
    for (const { streamId, bitrate } of reports) {
      if (bitrate === null) continue;
      this.#samples.set(streamId, [...(this.#samples.get(streamId) ?? []), bitrate]);
    }
    if (nowMs - this.#writtenMs < WRITE_EVERY_MS || this.#samples.size === 0) return;
    this.#writtenMs = nowMs;
    const rows = [...this.#samples].map(([streamId, samples]): BitrateRow => ({ streamId, samples }));
    // Samples that cannot be stored now are dropped, because they are only statistics.
    this.#samples = new Map();
    await recordBitrates(this.#db, rows);
  }
}
