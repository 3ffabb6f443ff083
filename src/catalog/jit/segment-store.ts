import { sql } from 'kysely';
import type { MediaKey, Tx } from '../db.ts';
import {
  findStored,
  fixInit,
  insertChunks,
  LostClaim,
  lockMedia,
  type RenditionOutput,
} from '../lifecycle/chunk-store.ts';
import { finalizeMedia } from '../lifecycle/finalize-store.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import { refreshProgress } from '../tasks/claim-store.ts';
import type { RunClaim } from './run-store.ts';

/**
 * Publishes one segment that was made for viewers and moves its run on. Encode tasks of which everything is stored by now
 * end with it, and so does the video with the last of them. False when the segment is there already, made by another:
 * then nothing is taken in. Throws LostClaim when the run is not held any more, and
 * refuses a segment of another init segment than the rendition's.
 */
export async function commitSegment(
  tx: Tx,
  claim: RunClaim,
  { segment, output }: { segment: number; output: RenditionOutput },
): Promise<boolean> {
  const { key, attempt, id } = claim;
  const publication = await lockMedia(tx, key);
  const { rows } = await sql`
    update jit_run set next_segment = ${segment + 1}, to_segment = greatest(to_segment, ${segment + 1}) where id = ${id}
    returning id
  `.execute(tx);
  if (publication === null || rows.length === 0) throw new LostClaim({ attempt, id });
  const place = { firstSegment: segment, segmentCount: 1 };
  if ((await findStored(tx, output.renditionId, place)).length > 0) return false;
  if (!(await fixInit(tx, key, output))) throw new LostClaim({ attempt, id });
  await insertChunks(tx, { key, attempt, publication }, output);
  await sql`delete from jit_fault where rendition_id = ${output.renditionId} and segment = ${segment}`.execute(tx);
  await sumStorage(tx, key);
  const hasEnded = await endStoredTasks(tx, key, { renditionId: output.renditionId, segment });
  if (hasEnded) await finalizeMedia(tx, key);
  await refreshProgress(tx, key);
  return true;
}

/** Ends the encode tasks around a segment that wait although all that they would make is stored. */
async function endStoredTasks(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  { renditionId, segment }: { renditionId: string; segment: number },
): Promise<boolean> {
  const { rows } = await sql`
    update encode_task w set state = 'done', done_fraction = 1, reason = null
    where library_id = ${libraryId} and media_id = ${mediaId} and kind in ('video', 'backfill', 'audio') and state = 'waiting'
      and ${renditionId}::uuid = any(rendition_ids) and from_segment <= ${segment} and to_segment > ${segment}
      and not exists (
        select from unnest(w.rendition_ids) r(id), generate_series(w.from_segment, w.to_segment - 1) s(segment)
        where not exists (select from chunk c where c.rendition_id = r.id
          and int4range(c.first_segment, c.first_segment + c.segment_count) @> s.segment))
    returning id
  `.execute(tx);
  return rows.length > 0;
}
