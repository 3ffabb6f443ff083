import { sql } from 'kysely';
import { newGuid } from '../../lib/guid.ts';
import type { Tx } from '../db.ts';
import { RENDITION_NAME } from '../rendition-name-store.ts';
import { readyOnDemand } from '../renditions/active-set-store.ts';
import { claimLost, endTask, lockClaim, refreshProgress } from '../tasks/claim-store.ts';
import { type Claim, type EncodeTask, MAX_FAILURES } from '../tasks/encode-task.ts';
import { taskRow } from '../tasks/task-row-store.ts';
import { findStored, lockMedia } from './chunk-store.ts';
import { addMessages, finalizeMedia } from './finalize-store.ts';
import { IMAGES_VALUE, onDemandFailedMessage, renditionMessage } from './messages.ts';
import { reportDamage } from './repair-store.ts';

const IMAGE_NAMES = { thumbnail: 'The thumbnail', images: IMAGES_VALUE } as const;

/**
 * Ends an encode task that has used all its attempts. First splits a task of several rungs into one task per rung with
 * one attempt each, so that a rung that cannot be encoded does not fail the others. Otherwise fails the task's
 * renditions, deletes their other encode tasks, and ends the video if no task is open. Images that cannot be created
 * are reported as missing. Failed sheets are created with the other images. Throws LeaseLost if the claim is no longer
 * valid.
 */
export async function failTask(tx: Tx, claim: Claim, reason: string): Promise<void> {
  const { key } = claim.task;
  // The video may have been deleted.
  if ((await lockMedia(tx, key)) === null) throw claimLost(claim);
  const held = await lockClaim(tx, claim);
  if (claim.task.kind === 'segment') return giveUpSegment(tx, claim, reason);
  if (claim.task.renditionIds.length > 1) return splitTask(tx, { ...claim.task, ...held }, reason);
  const { renditionIds } = claim.task;
  await endTask(tx, claim, 'failed', reason);
  if (claim.task.kind === 'repair') return reportUnmended(tx, claim.task, reason);
  for (const renditionId of renditionIds) {
    await sql`
      update encode_task set rendition_ids = array_remove(rendition_ids, ${renditionId}::uuid)
      where library_id = ${key.libraryId} and media_id = ${key.mediaId} and state in ('waiting', 'running')
    `.execute(tx);
  }
  await sql`
    delete from encode_task where library_id = ${key.libraryId} and media_id = ${key.mediaId}
      and rendition_ids = '{}' and kind not in ('thumbnail', 'images', 'sheets')
  `.execute(tx);
  const { kind } = claim.task;
  if (kind === 'thumbnail' || kind === 'images') {
    await addMessages(tx, key, [renditionMessage(IMAGE_NAMES[kind], reason, new Date())]);
  }
  await finalizeMedia(tx, key);
  // The failed rung may be the last one that the video waited for.
  await readyOnDemand(tx, key);
  await refreshProgress(tx, key);
}

/** Reports segments that cannot be encoded again. They stay stored, because the rest of the rendition can be played. */
async function reportUnmended(
  tx: Tx,
  { key, renditionIds, fromSegment, toSegment }: EncodeTask,
  why: string,
): Promise<void> {
  const segments: [number, number] = [fromSegment, toSegment - 1];
  const [what, reason] = ['its stored bytes are damaged', `encoding it again failed (${why})`];
  for (const renditionId of renditionIds) await reportDamage(tx, key, { renditionId, segments, what, reason });
}

/**
 * Ends a segment task for viewers without a retry. The other tasks of the video determine which segments are missing in
 * the end. If the first segment of the task was stored, a later one failed and gets its own task when it is requested.
 */
async function giveUpSegment(tx: Tx, claim: Claim, reason: string): Promise<void> {
  const { key, id, renditionIds, fromSegment } = claim.task;
  const [renditionId = id] = renditionIds;
  if ((await findStored(tx, renditionId, { firstSegment: fromSegment, segmentCount: 1 })).length > 0) {
    await tx.deleteFrom('encode_task').where('id', '=', id).execute();
    return;
  }
  await endTask(tx, claim, 'failed', reason);
  const { rows } = await sql<{ name: string; isFirst: boolean }>`
    select ${RENDITION_NAME} as name,
      not exists (select from encode_task o where o.kind = 'segment' and o.rendition_ids[1] = r.id
      and o.state = 'failed' and o.id <> ${id}) as "isFirst"
    from rendition r where library_id = ${key.libraryId} and media_id = ${key.mediaId} and id = ${renditionId}
  `.execute(tx);
  const [rendition] = rows;
  // One message per rung, because if one segment fails, others probably do too.
  if (rendition?.isFirst !== true) return;
  await addMessages(tx, key, [onDemandFailedMessage(rendition.name, fromSegment, reason, new Date())]);
}

/**
 * Splits a task into one task per rung. Rungs that failed in a different encode task since the claim are not included.
 */
async function splitTask(tx: Tx, task: EncodeTask, reason: string): Promise<void> {
  const parts = task.renditionIds.map((renditionId) => ({
    ...task,
    id: newGuid(),
    renditionIds: [renditionId],
    weight: task.weight / task.renditionIds.length,
  }));
  await tx
    .deleteFrom('encode_task')
    .where('library_id', '=', task.key.libraryId)
    .where('media_id', '=', task.key.mediaId)
    .where('id', '=', task.id)
    .execute();
  const rows = parts.map((part) => ({ ...taskRow(part), failures: MAX_FAILURES - 1, reason }));
  await tx.insertInto('encode_task').values(rows).execute();
}
