import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { ChunkFacts } from '../../media/cmaf/chunk.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../db.ts';
import { planSheets } from '../images/plan-sheets-store.ts';
import { logOnCommit } from '../in-transaction.ts';
import { LeaseLost } from '../leases/lease-lost.ts';
import { countEncoded } from '../quotas/encode-quota-store.ts';
import { SCHEDULED_ENCODES } from '../quotas/quota.ts';
import { readyOnDemand } from '../renditions/active-set-store.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import { claimLost, endTask, lockClaim, refreshProgress } from '../tasks/claim-store.ts';
import { type Claim, type EncodeTask, idxKeyOf } from '../tasks/encode-task.ts';
import { finalizeMedia } from './finalize-store.ts';
import { leaveOutRedundant } from './leave-out-redundant-store.ts';

/** A chunk whose object and `.idx` are durable. */
export type StoredChunk = { facts: ChunkFacts; storageKey: StorageKey; idxBytes: number };

/**
 * Output of an encode task for one rendition. The first chunk of a rendition determines `init` and the other fields.
 */
export type RenditionOutput = {
  renditionId: Guid;
  init: Buffer;
  codecString: string;
  widthPx: number | null;
  heightPx: number | null;
  chunks: readonly StoredChunk[];
};

/**
 * Publishes chunks of an encode task in one transaction: rows, sums and progress. With `isLast`, also ends the encode
 * task, and the rendition and video if they have no other task. Increments the publication's revision. Throws LeaseLost
 * if the claim is not valid or one of the segments is already stored, and an error if the init segment of a chunk
 * differs from that of its rendition. Returns objects that were not accepted because their rendition failed or was left
 * out. The caller deletes them.
 */
export async function commitChunks(
  tx: Tx,
  claim: Claim,
  { outputs, isLast }: { outputs: readonly RenditionOutput[]; isLast: boolean },
): Promise<{ rejected: StorageKey[] }> {
  const { key } = claim.task;
  // To avoid deadlocks, every transaction that locks both the media row and tasks locks the media row first.
  const revision = await lockMedia(tx, key);
  if (revision === null) throw claimLost(claim);
  await lockClaim(tx, claim);
  const rejected: StorageKey[] = [];
  for (const output of outputs) {
    if (!(await fixInit(tx, key, output))) {
      rejected.push(...output.chunks.flatMap(({ storageKey }) => [storageKey, idxKeyOf(storageKey)]));
      continue;
    }
    for (const { facts } of output.chunks) {
      const taken = await findStored(tx, output.renditionId, facts);
      if (taken.length > 0) throw overtaken(output.renditionId, facts.firstSegment);
    }
    await insertChunks(tx, { key, attempt: claim.attempt, revision }, output);
    if (SCHEDULED_ENCODES.includes(claim.task.kind)) await countEncoded(tx, key.libraryId, [output]);
  }
  if (claim.task.kind === 'video' && claim.task.fromSegment === 0) await leaveOutRedundant(tx, claim.task);
  await sumStorage(tx, key);
  if (isFirstMedia(claim, outputs)) await notePlayable(tx, claim.task);
  if (isLast) await endTask(tx, claim, 'done', null);
  if (isLast) await finalizeMedia(tx, key);
  if (isLast && claim.task.kind === 'video') await planSheets(tx, claim.task);
  await readyOnDemand(tx, key);
  await refreshProgress(tx, key);
  return { rejected };
}

function isFirstMedia({ task }: Claim, outputs: readonly RenditionOutput[]): boolean {
  return task.isFirst && outputs.some(({ chunks }) => chunks.some(({ facts }) => facts.firstSegment === 0));
}

/** Logs that a video became playable, if all of its first tasks have stored their first segment. */
async function notePlayable(tx: Tx, { key, timelineId }: EncodeTask): Promise<void> {
  const { rows } = await sql`
    select from encode_task t cross join unnest(t.rendition_ids) rendition
    where t.library_id = ${key.libraryId} and t.media_id = ${key.mediaId} and t.timeline_id = ${timelineId}
      and t.is_first and t.from_segment = 0 and t.state in ('waiting', 'running')
      and not exists (select from chunk c where c.rendition_id = rendition and c.first_segment = 0) limit 1`.execute(
    tx,
  );
  if (rows.length === 0) logOnCommit('video.playable', { videoGuid: key.mediaId, libraryId: key.libraryId });
}

function overtaken(renditionId: Guid, firstSegment: number): LeaseLost {
  const chunk = `the chunk of rendition ${renditionId} from ${firstSegment} on`;
  return new LeaseLost(`Expected no stored segment in ${chunk}, found one.`, 'overtaken');
}

/** Locks a media item's row and increments its revision. Returns null if the row does not exist. */
export async function lockMedia(tx: Tx, key: MediaKey): Promise<number | null> {
  const found = await tx
    .selectFrom('media')
    .select('id')
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .forUpdate()
    .executeTakeFirst();
  return found === undefined ? null : bumpPublication(tx, key);
}

/**
 * Sets the init segment of a rendition with its first chunk. Throws if a later chunk has a different one. Returns false
 * if another encode task failed the rendition, whose output is then no longer accepted.
 */
export async function fixInit(tx: Tx, key: MediaKey, output: RenditionOutput): Promise<boolean> {
  const initSha256 = createHash('sha256').update(output.init).digest();
  const row = await tx
    .selectFrom('rendition')
    .select(['init_sha256', 'state'])
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where('id', '=', output.renditionId)
    .executeTakeFirstOrThrow();
  if (row.state === 'failed') return false;
  if (row.init_sha256 === null) {
    await tx
      .updateTable('rendition')
      .set({
        init: output.init,
        init_sha256: initSha256,
        codec_string: output.codecString,
        ...(output.widthPx === null ? {} : { width_px: output.widthPx }),
        ...(output.heightPx === null ? {} : { height_px: output.heightPx }),
      })
      .where('library_id', '=', key.libraryId)
      .where('media_id', '=', key.mediaId)
      .where('id', '=', output.renditionId)
      .execute();
    return true;
  }
  if (row.init_sha256.equals(initSha256)) return true;
  const [wanted, received] = [row.init_sha256.toString('hex'), initSha256.toString('hex')];
  throw new Error(`Expected chunks of rendition ${output.renditionId} with init ${wanted}, got ${received}.`);
}

/** Returns the stored segments of a range in ascending order. */
export async function findStored(
  db: Db | Tx,
  renditionId: Guid,
  { firstSegment, segmentCount }: Pick<ChunkFacts, 'firstSegment' | 'segmentCount'>,
): Promise<number[]> {
  const { rows } = await sql<{ segment: number }>`
    select segment from generate_series(${firstSegment}::int, ${firstSegment + segmentCount - 1}::int) segment
    where exists (select from chunk where rendition_id = ${renditionId}
      and int4range(first_segment, first_segment + segment_count) @> segment)
    order by segment
  `.execute(db);
  return rows.map(({ segment }) => segment);
}

/** Attempt that created chunks, and the revision that first lists them. */
export type ChunkCommit = { key: MediaKey; attempt: number; revision: number };

/** Returns the row of a chunk whose objects are durable. */
export function toChunkRow(
  { key, attempt, revision }: ChunkCommit,
  renditionId: Guid,
  { facts, storageKey, idxBytes }: StoredChunk,
) {
  return {
    library_id: key.libraryId,
    media_id: key.mediaId,
    rendition_id: renditionId,
    first_segment: facts.firstSegment,
    segment_count: facts.segmentCount,
    attempt,
    revision,
    storage_key: storageKey,
    size_bytes: facts.sizeBytes,
    idx_bytes: idxBytes,
    sha256: Buffer.from(facts.sha256, 'hex'),
    start_tick: facts.startTick,
    duration_ticks: facts.durationTicks,
    fragment_table: facts.fragmentTable,
    samples: facts.samples,
    cts_runs: facts.ctsRuns,
    sync_count: facts.syncCount,
    peak_segment_bps: facts.peakSegmentBps,
  };
}

/** Writes the rows of chunks whose objects are durable. None of them may already be stored. */
export async function insertChunks(
  tx: Tx,
  commit: ChunkCommit,
  output: Pick<RenditionOutput, 'renditionId' | 'chunks'>,
): Promise<void> {
  if (output.chunks.length === 0) return;
  const { key } = commit;
  const { libraryId, mediaId } = key;
  const rows = output.chunks.map((chunk) => toChunkRow(commit, output.renditionId, chunk));
  await tx.insertInto('chunk').values(rows).execute();
  const bytes = rows.reduce((sum, row) => sum + row.size_bytes + row.idx_bytes, 0);
  await tx
    .updateTable('rendition')
    .set({ storage_bytes: sql<number>`storage_bytes + ${bytes}` })
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('id', '=', output.renditionId)
    .execute();
  if (rows.some((row) => row.segment_count === 1)) await markMergeable(tx, key, output.renditionId);
}

/** Queues the chunks of a rendition for a merge check. */
export async function markMergeable(tx: Tx, { libraryId, mediaId }: MediaKey, renditionId: Guid): Promise<void> {
  const row = { library_id: libraryId, media_id: mediaId, rendition_id: renditionId };
  await tx
    .insertInto('merge_due')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
