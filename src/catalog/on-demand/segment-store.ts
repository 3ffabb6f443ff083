import { sql } from 'kysely';
import type { MediaKey, Tx } from '../db.ts';
import { findStored, fixInit, insertChunks, lockMedia, type RenditionOutput } from '../lifecycle/chunk-store.ts';
import { finalizeMedia } from '../lifecycle/finalize-store.ts';
import { countEncoded } from '../quotas/encode-quota-store.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import { claimLost, lockClaim, refreshProgress } from '../tasks/claim-store.ts';
import type { Claim } from '../tasks/encode-task.ts';

/**
 * Publishes one segment that was encoded for viewers. Ends encode tasks whose output is now completely stored. The end
 * of the last one finishes the video. Returns false and stores nothing if another worker already stored the segment.
 * Throws LeaseLost if the claim is no longer valid, and an error if the init segment differs from that of the
 * rendition.
 */
export async function commitSegment(
  tx: Tx,
  claim: Claim,
  { segment, output }: { segment: number; output: RenditionOutput },
): Promise<boolean> {
  const { attempt, task } = claim;
  const { key } = task;
  const revision = await lockMedia(tx, key);
  if (revision === null) throw claimLost(claim);
  await lockClaim(tx, claim);
  const run = { firstSegment: segment, segmentCount: 1 };
  if ((await findStored(tx, output.renditionId, run)).length > 0) return false;
  if (!(await fixInit(tx, key, output))) throw claimLost(claim);
  await insertChunks(tx, { key, attempt, revision }, output);
  await countEncoded(tx, key.libraryId, [output]);
  await sql`delete from encode_task where kind = 'segment' and rendition_ids[1] = ${output.renditionId}
    and from_segment = ${segment} and state = 'failed'`.execute(tx);
  await sumStorage(tx, key);
  const hasEnded = await endStoredTasks(tx, key, { renditionId: output.renditionId, segment });
  if (hasEnded) await finalizeMedia(tx, key);
  await refreshProgress(tx, key);
  return true;
}

/** Ends the waiting encode tasks that contain a segment if all of their output is stored. Returns whether any ended. */
async function endStoredTasks(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  { renditionId, segment }: { renditionId: string; segment: number },
): Promise<boolean> {
  const { rows } = await sql`
    update encode_task w set state = 'done', done_fraction = 1, reason = null
    where library_id = ${libraryId} and media_id = ${mediaId} and kind in ('video', 'backfill', 'audio')
      and state = 'waiting'
      and ${renditionId}::uuid = any(rendition_ids) and from_segment <= ${segment} and to_segment > ${segment}
      and not exists (
        select from unnest(w.rendition_ids) r(id), generate_series(w.from_segment, w.to_segment - 1) s(segment)
        where not exists (select from chunk c where c.rendition_id = r.id
          and int4range(c.first_segment, c.first_segment + c.segment_count) @> s.segment))
    returning id
  `.execute(tx);
  return rows.length > 0;
}
