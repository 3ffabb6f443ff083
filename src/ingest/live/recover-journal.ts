import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Db } from '../../catalog/db.ts';
import type { LiveLease } from '../../catalog/live/live-lease.ts';
import { findPeriodRenditions, type PeriodRendition } from '../../catalog/live/publishing/period-rendition-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { inParallel } from '../../lib/in-parallel.ts';
import { toCutSegment } from '../../media/live/packaging/part-writer.ts';
import { type JournalEntry, listJournal, readJournalFile } from './journal.ts';
import type { SegmentCommitter } from './segment-committer.ts';

type Deps = {
  db: Db;
  /** Folder of this machine's journals. */
  folder: string;
  /** Folder for segments missing from another node's recording. */
  keptFolder: string;
  committer: SegmentCommitter;
  report(error: Error): void;
};

/** Time for which segments are kept for the administrator, in ms. */
const KEPT_MS = 7 * 24 * 3600 * 1000;
/** Maximum number of segments of a stream that are in memory during recovery and stored in one object. */
const RECOVERED_AT_ONCE = 16;

/**
 * Stores the segments that a dead process left in the journal. Open segments are stored up to their last complete part.
 * If segments cannot be published, because another node took over the stream or a file is unreadable, they are kept for
 * seven days in a folder of the stream, and this is reported. Segments that cannot be moved stay in the journal.
 */
export async function recoverJournal(deps: Deps, owned: readonly { lease: LiveLease }[]): Promise<void> {
  await dropOld(deps, Date.now() - KEPT_MS);
  for (const [streamId, entries] of await listJournal(deps.folder)) {
    const own = owned.find(({ lease }) => lease.key.mediaId === streamId);
    if (own === undefined) {
      await keep(deps, streamId, entries, 'which another node took over');
      continue;
    }
    const timescales = await findPeriodRenditions(deps.db, own.lease.key);
    const left: Record<'lost' | 'unreadable', JournalEntry[]> = { lost: [], unreadable: [] };
    const oldestFirst = entries.toSorted((a, b) => a.segment - b.segment);
    await inParallel(oldestFirst, RECOVERED_AT_ONCE, async (entry) => {
      const outcome = await recover(deps, own.lease, entry, timescales);
      if (outcome === 'done') await rm(entry.path, { force: true });
      else left[outcome].push(entry);
    });
    await keep(deps, streamId, left.lost, 'which another node took over');
    await keep(deps, streamId, left.unreadable, 'which could not be read');
  }
}

/**
 * Moves segments to the kept folder. A full disk must not delay the streams, so segments that cannot be moved stay in
 * the journal.
 */
async function keep(
  { keptFolder, report }: Deps,
  streamId: Guid,
  entries: readonly JournalEntry[],
  why: string,
): Promise<void> {
  if (entries.length === 0) return;
  const folder = join(keptFolder, streamId);
  const what = `${entries.length} segments of stream ${streamId}, ${why}, are not in its recording`;
  try {
    await mkdir(folder, { recursive: true });
    for (const { path } of entries) await rename(path, join(folder, basename(path)));
    report(new Error(`${what}. They are kept for seven days in ${folder}.`));
  } catch (cause) {
    report(new Error(`${what}. They could not be moved to ${folder}, and stay in the journal.`, { cause }));
  }
}

async function dropOld({ keptFolder, report }: Deps, beforeMs: number): Promise<void> {
  const names = await mkdir(keptFolder, { recursive: true })
    .then(() => readdir(keptFolder))
    .catch((cause: unknown) => {
      report(new Error(`Kept segments in ${keptFolder} could not be listed.`, { cause }));
      return [];
    });
  for (const name of names) {
    const folder = join(keptFolder, name);
    try {
      const { mtimeMs } = await stat(folder);
      if (mtimeMs < beforeMs) await rm(folder, { recursive: true, force: true });
    } catch (cause) {
      report(new Error(`Kept segments in ${folder} could not be dropped.`, { cause }));
    }
  }
}

/** Recovers one segment. Returns `lost` if another node owns the stream now. */
async function recover(
  { committer, report }: Deps,
  lease: LiveLease,
  { path, renditionId, segment, wallMs }: JournalEntry,
  renditions: ReadonlyMap<string, Pick<PeriodRendition, 'kind' | 'origin' | 'timescale'>>,
): Promise<'done' | 'lost' | 'unreadable'> {
  const rendition = renditions.get(renditionId);
  // After a crash, the last segments of a rung and its source end at different times. The segment of the rung is
  // omitted, and the rung is then removed from the final video.
  if (rendition === undefined || rendition.origin === 'encode') return 'done';
  try {
    const found = toCutSegment(rendition.kind, rendition.timescale, segment, await readJournalFile(path));
    if (found === null) return 'done';
    const closed = { lease, renditionId, segment: found.segment, wallMs };
    const { kind } = await committer.commit(closed, { patienceMs: 0, company: 1 });
    return kind === 'lost' ? 'lost' : 'done';
  } catch (cause) {
    report(new Error(`A journal of stream ${lease.key.mediaId} could not be read.`, { cause }));
    return 'unreadable';
  }
}
