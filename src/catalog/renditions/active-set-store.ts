import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { countAudioSegments } from '../../media/cmaf/audio-grid.ts';
import { type ChunkRange, missingRanges, planEvenChunks } from '../../media/timeline/chunk-plan.ts';
import { type CutList, segmentStartTicks } from '../../media/timeline/cut-list.ts';
import { bumpPublication, type MediaKey, type Tx } from '../db.ts';
import { RELEASED } from '../leases/lease-store.ts';
import { enterState, mustEnterState } from '../media-state-store.ts';
import type { MediaMessage } from '../schema.ts';
import { BACKFILL_STEP, ENCODING_STATES, type EncodeTask, taskPriority, taskWeight } from '../tasks/encode-task.ts';
import type { TaskKind } from '../tasks/task-kind.ts';
import { insertTasks } from '../tasks/task-row-store.ts';
import { loadCutList } from '../tasks/task-view-store.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announce } from '../webhooks/webhook-store.ts';
import { dropUnfinishedSets } from './drop-unfinished-store.ts';
import { keptMessage } from './kept-message.ts';
import { recountStorage } from './storage-store.ts';

/** State reason of a video that is encoded on demand. */
const READY_REASON = 'every segment is encoded when it is asked for; the rest follows in the background';

/** An active rendition. `stored` contains its segments in ascending order. */
type ActiveRendition = {
  id: Guid;
  timelineId: Guid;
  kind: 'video' | 'audio';
  isCopied: boolean;
  isOnDemand: boolean;
  isListed: boolean;
  isWhole: boolean;
  pixels: number;
  durationSec: number;
  stored: number[];
};

/**
 * Restores a video whose re-encode failed, if its active set is complete or each segment is available on demand. Adds a
 * message with the reason, deletes the new set, and plans encode tasks for the missing parts of the old set. Returns
 * false, and does nothing, if the video shows no such set.
 */
export async function keepActiveRenditions(tx: Tx, key: MediaKey, why: MediaMessage): Promise<boolean> {
  const wanted = await findWanted(tx, key);
  const active = await loadActive(tx, key);
  if (wanted === null || !active.some(({ kind }) => kind === wanted)) return false;
  const isWhole = active.every((rendition) => rendition.isWhole);
  if (!isWhole && !canBeHadOnDemand(active)) return false;
  await dropUnfinishedSets(tx, key);
  if (!isWhole) await insertTasks(tx, await planRest(tx, key, active));
  const to = isWhole ? 'finished' : 'jit-ready';
  const line = keptMessage('Encoding it again failed', why);
  await mustEnterState(tx, key, to, {
    reason: isWhole ? null : READY_REASON,
    set: {
      encode_progress: isWhole ? 100 : 0,
      ...RELEASED,
      process_tries: 0,
      messages: sql<string>`messages || ${JSON.stringify([line])}::jsonb`,
    },
    orIsThere: true,
  });
  await recountStorage(tx, key);
  await bumpPublication(tx, key);
  await announce(key, isWhole ? WebhookStatus.finished : WebhookStatus.resolutionFinished)(tx);
  return true;
}

/**
 * Marks an on-demand video as ready once each video rendition can be listed, and the default audio can be listed or has
 * begun. From then on, every segment is available. Other videos are left unchanged.
 */
export async function readyOnDemand(tx: Tx, key: MediaKey): Promise<void> {
  const isReady = sql<boolean>`state = 'jit-segmenting'
      and not exists (select from rendition r where r.library_id = media.library_id and r.media_id = media.id
        and r.active
        and r.state = 'building' and r.on_demand and r.init is null and (r.kind = 'video' or r.is_default))
      and (select coalesce(bool_and(starts), false) from (
        select bool_or((r.on_demand and r.init is not null) or exists (select from chunk c
          where c.library_id = r.library_id and c.media_id = r.media_id and c.rendition_id = r.id
            and c.first_segment = 0)) as starts
        from rendition r where r.library_id = media.library_id and r.media_id = media.id and r.active
          and r.state <> 'failed'
        group by r.kind) kinds)`;
  if (await enterState(tx, key, 'jit-ready', { reason: READY_REASON, where: isReady }))
    await announce(key, WebhookStatus.resolutionFinished)(tx);
}

function canBeHadOnDemand(active: readonly ActiveRendition[]): boolean {
  const onDemand = active.filter(({ kind, isOnDemand, isWhole }) => kind === 'video' && isOnDemand && !isWhole);
  return onDemand.length > 0 && onDemand.every(({ isListed }) => isListed);
}

/**
 * Locks the row of a video, and returns the kind of rendition without which it is not playable. Returns null if the
 * video is not being processed.
 */
async function findWanted(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<ActiveRendition['kind'] | null> {
  const row = await tx
    .selectFrom('media')
    .select('facts')
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('state', 'in', ['uploaded', 'processing', ...ENCODING_STATES])
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return null;
  return row.facts?.video === null ? 'audio' : 'video';
}

async function loadActive(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<ActiveRendition[]> {
  const { rows } = await sql<ActiveRendition>`
    select r.id, r.timeline_id as "timelineId", r.kind, r.origin = 'pass-through' as "isCopied",
      r.on_demand as "isOnDemand", r.init is not null as "isListed", r.state = 'finished' as "isWhole",
      coalesce(r.width_px * r.height_px, 0) as pixels, (r.plan->>'durationSec')::float8 as "durationSec",
      array(select s from chunk c, generate_series(c.first_segment, c.first_segment + c.segment_count - 1) s
        where c.library_id = r.library_id and c.media_id = r.media_id and c.rendition_id = r.id order by s) as stored
    from rendition r where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.active
    order by r.rung desc nulls last, r.id
  `.execute(tx);
  return rows;
}

/** Plans encode tasks of incomplete renditions: the source's copy and the audio first, video last. */
async function planRest(tx: Tx, key: MediaKey, active: readonly ActiveRendition[]): Promise<EncodeTask[]> {
  const open = active.filter(({ isWhole }) => !isWhole);
  const [{ timelineId } = { timelineId: newGuid() }] = open;
  const cutList = await loadCutList(tx, { key, timelineId });
  if (cutList === null) throw new Error(`Expected timeline ${timelineId} of video ${key.mediaId} to exist, got none.`);
  return open.flatMap((rendition) => {
    if (rendition.kind === 'audio') return restOf(key, rendition, 'audio', countAudioSegments(rendition.durationSec));
    if (rendition.isCopied) return restOf(key, rendition, 'pass-through', cutList.startTicks.length);
    return backfillTasks(key, rendition, cutList);
  });
}

/** Returns the contiguous ranges to encode, each from the first missing segment of a gap to its last. */
function restOf(
  key: MediaKey,
  rendition: ActiveRendition,
  kind: 'audio' | 'pass-through',
  segments: number,
): EncodeTask[] {
  return rangesInOrder(rendition, kind, { fromSegment: 0, toSegment: segments }).map((range) => {
    const sec = (rendition.durationSec * (range.toSegment - range.fromSegment)) / segments;
    return {
      ...base(key, rendition, kind, range),
      queue: kind === 'audio' ? 'long' : 'quick',
      priority: taskPriority(true, rendition.durationSec, range.fromSegment),
      weight: taskWeight(kind, 0, sec),
    };
  });
}

function rangesInOrder(
  { stored, isOnDemand }: ActiveRendition,
  kind: 'audio' | 'pass-through',
  all: ChunkRange,
): ChunkRange[] {
  // A pass-through rendition without gaps has already ended with its last segment.
  if (kind === 'pass-through') return missingRanges(all, new Set(stored));
  const ranges = restRanges(stored, [all]);
  // Segments made for viewers are scattered, and each encode task encodes from the track's start, so a single task
  // makes the rest and skips them.
  return isOnDemand ? [{ fromSegment: ranges[0]?.fromSegment ?? 0, toSegment: all.toSegment }] : ranges;
}

function backfillTasks(key: MediaKey, rendition: ActiveRendition, cutList: CutList): EncodeTask[] {
  return restRanges(rendition.stored, planEvenChunks(cutList, 0)).map((range) => {
    const { fromSegment, toSegment } = range;
    const ticks = segmentStartTicks(cutList, toSegment) - segmentStartTicks(cutList, fromSegment);
    return {
      ...base(key, rendition, 'backfill', range),
      queue: 'long',
      priority: taskPriority(false, rendition.durationSec, fromSegment) - BACKFILL_STEP,
      weight: taskWeight('backfill', rendition.pixels, ticks / cutList.timescale),
    };
  });
}

/**
 * Returns at least one range, even if all of it was made for viewers, because the end of its task ends the rendition.
 */
function restRanges(stored: readonly number[], ranges: readonly ChunkRange[]): ChunkRange[] {
  const there = new Set(stored);
  const missing = ranges.flatMap((range) => missingRanges(range, there));
  return missing.length > 0 ? missing : ranges.slice(-1);
}

function base(key: MediaKey, { id, timelineId }: ActiveRendition, kind: TaskKind, range: ChunkRange) {
  return { key, id: newGuid(), timelineId, kind, renditionIds: [id], ...range, isFirst: false };
}
