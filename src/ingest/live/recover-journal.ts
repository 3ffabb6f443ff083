import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Db } from '../../catalog/db.ts';
import type { LiveLease } from '../../catalog/live/live-lease.ts';
import { findPeriodRenditions, type PeriodRendition } from '../../catalog/live/period-rendition-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { toCutSegment } from '../../media/live/part-writer.ts';
import { type JournalEntry, listJournal, readJournalFile } from './journal.ts';
import type { SegmentCommitter } from './segment-committer.ts';

type Deps = {
  db: Db;
  /** Journals of this machine. */
  folder: string;
  /** Where segments lie that another node's recording does not hold. */
  keptFolder: string;
  committer: SegmentCommitter;
  report(error: Error): void;
};

/** Kept segments are for the owner of the machine: so long. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

/**
 * Stores the segments that a dead process had written to its journal and not committed, its open ones as far as their
 * last whole part. Where another node has taken a stream over meanwhile, their numbers are taken: they are not
 * published, but kept for seven days in a folder of the stream, which is reported.
 */
export async function recoverJournal(deps: Deps, owned: readonly { lease: LiveLease }[]): Promise<void> {
  await dropOld(deps.keptFolder, Date.now() - KEPT_MS);
  for (const [streamId, entries] of await listJournal(deps.folder)) {
    const own = owned.find(({ lease }) => lease.key.mediaId === streamId);
    if (own === undefined) await keep(deps, streamId, entries);
    else {
      const timescales = await findPeriodRenditions(deps.db, own.lease.key);
      for (const entry of entries.toSorted((a, b) => a.segment - b.segment))
        await recover(deps, own.lease, entry, timescales);
    }
    for (const { path } of entries) await rm(path, { force: true });
  }
}

async function keep({ keptFolder, report }: Deps, streamId: Guid, entries: readonly JournalEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const folder = join(keptFolder, streamId);
  await mkdir(folder, { recursive: true });
  for (const { path } of entries) await rename(path, join(folder, basename(path)));
  const what = `${entries.length} segments of stream ${streamId}, which another node took over, are not in its recording`;
  report(new Error(`${what}. They are kept for seven days in ${folder}.`));
}

async function dropOld(keptFolder: string, beforeMs: number): Promise<void> {
  await mkdir(keptFolder, { recursive: true });
  for (const name of await readdir(keptFolder)) {
    const folder = join(keptFolder, name);
    const { mtimeMs } = await stat(folder);
    if (mtimeMs < beforeMs) await rm(folder, { recursive: true, force: true });
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
