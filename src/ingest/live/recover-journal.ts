import { rm } from 'node:fs/promises';
import type { Db } from '../../catalog/db.ts';
import type { LiveLease } from '../../catalog/live/live-lease.ts';
import { findPeriodRenditions, type PeriodRendition } from '../../catalog/live/period-store.ts';
import { toCutSegment } from '../../media/live/part-writer.ts';
import { type JournalEntry, listJournal, readJournalFile } from './journal.ts';
import type { SegmentCommitter } from './segment-committer.ts';

type Deps = { db: Db; folder: string; committer: SegmentCommitter; report(error: Error): void };

/**
 * Stores the segments that a dead process had written to its journal and not committed, its open ones as far as their
 * last whole part. Journals of streams that this process does not own any more are deleted.
 */
export async function recoverJournal(deps: Deps, owned: readonly { lease: LiveLease }[]): Promise<void> {
  for (const [streamId, entries] of await listJournal(deps.folder)) {
    const own = owned.find(({ lease }) => lease.key.mediaId === streamId);
    if (own !== undefined) {
      const timescales = await findPeriodRenditions(deps.db, own.lease.key);
      for (const entry of entries.toSorted((a, b) => a.segment - b.segment))
        await recover(deps, own.lease, entry, timescales);
    }
    for (const { path } of entries) await rm(path, { force: true });
  }
}

async function recover(
  { committer, report }: Deps,
  lease: LiveLease,
  { path, renditionId, segment, wallMs }: JournalEntry,
  renditions: ReadonlyMap<string, Pick<PeriodRendition, 'kind' | 'origin' | 'timescale'>>,
): Promise<void> {
  const rendition = renditions.get(renditionId);
  // A rung ends elsewhere than its source when both are cut off: it is left out, and made from the source later.
  if (rendition === undefined || rendition.origin === 'encode') return;
  try {
    const found = toCutSegment(rendition.kind, rendition.timescale, segment, await readJournalFile(path));
    if (found !== null) await committer.commit({ lease, renditionId, segment: found.segment, wallMs });
  } catch (cause) {
    report(new Error(`A journal of stream ${lease.key.mediaId} could not be read.`, { cause }));
  }
}
