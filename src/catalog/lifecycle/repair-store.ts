import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { nameRendition } from '../rendition-name-store.ts';
import { recountStorage } from '../renditions/storage-store.ts';
import { retireChunk } from '../retired-object-store.ts';
import type { MediaMessage } from '../schema.ts';
import type { ScrubChunk, ScrubOriginal } from '../scrub/scrub-store.ts';
import { claimLost, endTask, lockClaim } from '../tasks/claim-store.ts';
import { type Claim, type EncodeTask, idxKeyOf, taskWeight } from '../tasks/encode-task.ts';
import { insertTasks } from '../tasks/task-row-store.ts';
import { fixInit, insertChunks, lockMedia, type RenditionOutput } from './chunk-store.ts';
import { addMessages } from './finalize-store.ts';
import {
  DAMAGED,
  damagedMessage,
  damagedOriginalMessage,
  damagedValue,
  REPAIRED_VALUE,
  repairedMessage,
} from './messages.ts';

/**
 * `sent`: the chunk will be created again. `reported`: the repair is impossible for this reason. `over`: the chunk is
 * no longer in use, or was already handled.
 */
export type RepairAnswer = { kind: 'sent' } | { kind: 'reported'; reason: string } | { kind: 'over' };

type DamagedRow = {
  timelineId: Guid;
  isComposed: boolean;
  hasOriginal: boolean;
  isUnderCenc: boolean;
  isKnown: boolean;
  isReported: boolean;
};

/** Lower than the priority of all work that someone waits for. */
const REPAIR_PRIORITY = 0;
/**
 * Maximum number of messages per video, including those about repaired damage. Otherwise a failing disk would flood the
 * list.
 */
const MAX_LINES = 40;

/**
 * Condition for a rendition that must not be encoded again. Under CENC, new samples that are encrypted with a used key
 * and counter would reveal both versions. Segments that are copied again are identical.
 */
const IS_UNDER_CENC = sql`(r.origin = 'encode' and exists (select from drm_package p
  where p.library_id = r.library_id and p.media_id = r.media_id and p.scheme = 'cenc'))`;

/** Returns the storage key of a video's original, or null if it has none. */
export async function findOriginal(db: Db, { libraryId, mediaId }: MediaKey): Promise<StorageKey | null> {
  const row = await db
    .selectFrom('media')
    .select('source_key')
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  return row?.source_key ?? null;
}

/**
 * Queues a damaged chunk to be encoded again from the original, or reports why that is impossible. `isLost`: the
 * original should exist but is missing in the store.
 */
export async function requestRepair(tx: Tx, chunk: ScrubChunk, isLost: boolean): Promise<RepairAnswer> {
  const { libraryId, mediaId } = chunk.key;
  const { rows } = await sql<DamagedRow>`
    select r.timeline_id as "timelineId", r.plan->'composedOf' is not null as "isComposed",
      m.source_key is not null and m.facts is not null as "hasOriginal",
      ${IS_UNDER_CENC} as "isUnderCenc",
      exists (select 1 from encode_task w where w.library_id = m.library_id and w.media_id = m.id
        and w.kind = 'repair' and w.from_segment = c.first_segment and r.id = any(w.rendition_ids)) as "isKnown",
      exists (select 1 from jsonb_array_elements(m.messages) line where line->>'value' = ${damagedValue(chunk)})
        as "isReported"
    from chunk c join rendition r on r.library_id = c.library_id and r.media_id = c.media_id and r.id = c.rendition_id
    join media m on m.library_id = c.library_id and m.id = c.media_id
    where c.library_id = ${libraryId} and c.media_id = ${mediaId} and c.rendition_id = ${chunk.renditionId}
      and c.storage_key = ${chunk.storageKey} and r.active and m.state = 'finished'
    for update of m
  `.execute(tx);
  const [row] = rows;
  if (row === undefined || row.isKnown || row.isReported) return { kind: 'over' };
  const obstacle = obstacleIn({ ...row, isLost });
  if (obstacle !== null) return { kind: 'reported', reason: obstacle };
  const task: EncodeTask = {
    key: chunk.key,
    id: newGuid(),
    timelineId: row.timelineId,
    kind: 'repair',
    renditionIds: [chunk.renditionId],
    fromSegment: chunk.firstSegment,
    toSegment: chunk.firstSegment + chunk.segmentCount,
    isFirst: false,
    queue: 'long',
    priority: REPAIR_PRIORITY,
    weight: taskWeight('repair', 0, chunk.segmentCount * 4),
  };
  await insertTasks(tx, [task]);
  return { kind: 'sent' };
}

function obstacleIn({ isComposed, hasOriginal, isUnderCenc, isLost }: DamagedRow & { isLost: boolean }): string | null {
  if (isComposed) return 'the video was composed from others: compose it again';
  if (!hasOriginal) return 'the video has no original file any more: upload it to another video';
  if (isLost) return 'the original file is missing in the store as well';
  if (isUnderCenc) return 'it is encrypted with counters that must not be reused: encode the video again';
  return null;
}

/**
 * Publishes the output of a repair for one rendition and ends the encode task. Replaces the damaged chunk in one step,
 * so that playlists never have a gap, and retires its objects. Throws LeaseLost (a new original also ends the task),
 * and an error if the times of the chunks differ from those that they replace. Returns objects that were not accepted
 * because the rendition is no longer active, or is now encrypted with counters. The caller deletes them.
 */
export async function replaceChunks(
  tx: Tx,
  claim: Claim,
  { outputs }: { outputs: readonly RenditionOutput[] },
): Promise<{ rejected: StorageKey[] }> {
  const { key, fromSegment, toSegment } = claim.task;
  const revision = await lockMedia(tx, key);
  if (revision === null) throw claimLost(claim);
  await lockClaim(tx, claim);
  await endTask(tx, claim, 'done', null);
  // If the same chunk is damaged again later, it counts as new damage.
  await tx.deleteFrom('encode_task').where('id', '=', claim.task.id).execute();
  const rejected: StorageKey[] = [];
  for (const output of outputs) {
    const { renditionId, chunks } = output;
    if (!(await isReplaceable(tx, renditionId)) || !(await fixInit(tx, key, output))) {
      rejected.push(...chunks.flatMap(({ storageKey }) => [storageKey, idxKeyOf(storageKey)]));
      continue;
    }
    expectSameTimes(await retireChunks(tx, key, renditionId, [fromSegment, toSegment]), output);
    await insertChunks(tx, { key, attempt: claim.attempt, revision }, output);
    await recountStorage(tx, key);
    await reportRepaired(tx, claim.task, renditionId);
  }
  return { rejected };
}

/** Repeats the check, because the video may have been packaged or re-encoded while the encode task waited. */
async function isReplaceable(tx: Tx, renditionId: Guid): Promise<boolean> {
  const { rows } = await sql`
    select 1 from rendition r join media m on m.library_id = r.library_id and m.id = r.media_id
    where r.id = ${renditionId} and r.active and not ${IS_UNDER_CENC} and m.state = 'finished'
  `.execute(tx);
  return rows.length > 0;
}

type Retired = {
  storageKey: StorageKey;
  sizeBytes: number;
  idxBytes: number;
  startTick: number;
  durationTicks: number;
};

async function retireChunks(
  tx: Tx,
  key: MediaKey,
  renditionId: Guid,
  [from, to]: [number, number],
): Promise<Retired[]> {
  const { rows } = await sql<Retired>`
    delete from chunk where library_id = ${key.libraryId} and media_id = ${key.mediaId}
      and rendition_id = ${renditionId} and first_segment >= ${from} and first_segment + segment_count <= ${to}
    returning storage_key as "storageKey", size_bytes as "sizeBytes", idx_bytes as "idxBytes",
      start_tick as "startTick", duration_ticks as "durationTicks"
  `.execute(tx);
  for (const chunk of rows) await retireChunk(tx, key, chunk);
  return rows;
}

function expectSameTimes(retired: readonly Retired[], { chunks }: RenditionOutput): void {
  const [was, received] = [extentOf(retired), extentOf(chunks.map(({ facts }) => facts))];
  if (was !== received) throw new Error(`Expected the new chunk to span ticks ${was}, got ${received}.`);
}

function extentOf(chunks: readonly { startTick: number; durationTicks: number }[]): string {
  const startTick = Math.min(...chunks.map((chunk) => chunk.startTick));
  return `${startTick} to ${startTick + chunks.reduce((sum, chunk) => sum + chunk.durationTicks, 0)}`;
}

async function reportRepaired(tx: Tx, { key, fromSegment, toSegment }: EncodeTask, renditionId: Guid): Promise<void> {
  const name = await nameRendition(tx, key, renditionId);
  await report(tx, key, repairedMessage(name, [fromSegment, toSegment - 1], new Date()));
}

/** Adds a message to the video about damage in a rendition, with the reason why it is not repaired. */
export async function reportDamage(
  tx: Tx,
  key: MediaKey,
  damage: { renditionId: Guid; segments: [number, number]; what: string; reason: string },
): Promise<void> {
  const name = await nameRendition(tx, key, damage.renditionId);
  await report(tx, key, damagedMessage({ ...damage, name }, new Date()));
}

/**
 * Adds a message to the video, only once, that its original is damaged. Ignores an original that the video no longer
 * uses.
 */
export async function reportDamagedOriginal(tx: Tx, original: ScrubOriginal, what: string): Promise<void> {
  const { key, storageKey } = original;
  const line = damagedOriginalMessage(what, new Date());
  const { rows } = await sql`
    select from media m where library_id = ${key.libraryId} and id = ${key.mediaId} and source_key = ${storageKey}
      and not exists (select from jsonb_array_elements(m.messages) line where line->>'value' = ${line.value})
    for update
  `.execute(tx);
  if (rows.length > 0) await report(tx, key, line);
}

async function report(tx: Tx, key: MediaKey, line: MediaMessage): Promise<void> {
  const { rows } = await sql<{ reported: number }>`
    select count(*) as reported from media m, jsonb_array_elements(m.messages) line
    where m.library_id = ${key.libraryId} and m.id = ${key.mediaId}
      and (line->>'value' = ${REPAIRED_VALUE} or line->>'value' like ${`${DAMAGED}%`})
  `.execute(tx);
  if ((rows[0]?.reported ?? 0) < MAX_LINES) await addMessages(tx, key, [line]);
}
