import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { inWholeSeconds, type SourceChapter } from '../../media/probe/parse-chapters.ts';
import { bumpPublication, type MediaKey, type Tx } from '../db.ts';
import { logOnCommit } from '../in-transaction.ts';
import { RELEASED } from '../leases/lease-store.ts';
import { enterState } from '../media-state-store.ts';
import { dropUnfinishedSets } from '../renditions/drop-unfinished-store.ts';
import { recountStorage } from '../renditions/storage-store.ts';
import { WAITING_FOR_SLOT } from '../tasks/encode-task.ts';
import { insertTasks } from '../tasks/task-row-store.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announce } from '../webhooks/webhook-store.ts';
import { type EncodePlan, keyGroupOf, type PlannedRendition, type PlannedTimeline } from './encode-plan.ts';
import type { ProcessClaim } from './process-store.ts';

/**
 * Stores a plan: timelines, renditions, tasks, and the probe's facts about the video, which becomes `transcoding`, or
 * `jit-segmenting` if it is encoded on demand. Drops earlier sets that are still being encoded, because the new plan
 * replaces them. Returns false and writes nothing if the claim was lost.
 */
export async function savePlan(tx: Tx, claim: ProcessClaim, plan: EncodePlan): Promise<boolean> {
  const { key } = claim;
  const video = plan.facts.video;
  const isEntered = await enterState(tx, key, plan.isOnDemand ? 'jit-segmenting' : 'transcoding', {
    reason: plan.isOnDemand ? 'preparing its playlists' : WAITING_FOR_SLOT,
    set: {
      ...RELEASED,
      process_tries: 0,
      facts: JSON.stringify(plan.facts),
      duration_ms: plan.durationMs,
      width_px: video?.displayWidthPx ?? 0,
      height_px: video?.displayHeightPx ?? 0,
      frame_rate: video === null ? 0 : video.rate.num / video.rate.den,
      rotation_deg: video?.rotationDeg ?? null,
      encode_progress: 0,
      is_incomplete: false,
      messages: JSON.stringify(plan.messages),
      ...(plan.facts.chapters !== undefined && { chapters: ownChapters(plan.facts.chapters) }),
    },
    where: sql<boolean>`state = 'processing' and process_attempt = ${claim.attempt}`,
  });
  if (!isEntered) return false;
  await dropUnfinishedSets(tx, key);
  for (const timeline of plan.timelines) await saveTimeline(tx, key, timeline);
  await recountStorage(tx, key);
  await bumpPublication(tx, key);
  await announce(key, WebhookStatus.encoding)(tx);
  const mediaSec = plan.durationMs / 1000;
  logOnCommit('video.planned', { videoGuid: key.mediaId, libraryId: key.libraryId, mediaSec });
  return true;
}

/** Returns the chapters in the file, unless the video already has chapters. */
function ownChapters(found: readonly SourceChapter[]): RawBuilder<string> {
  return sql<string>`case when chapters = '[]' then ${JSON.stringify(inWholeSeconds(found))}::jsonb else chapters end`;
}

/** Writes a timeline with its renditions and encode tasks. */
export async function saveTimeline(tx: Tx, key: MediaKey, timeline: PlannedTimeline): Promise<void> {
  const { cutList } = timeline;
  const grid = cutList.grid.kind === 'frames' ? cutList.grid : null;
  await tx
    .insertInto('timeline')
    .values({
      library_id: key.libraryId,
      media_id: key.mediaId,
      id: timeline.id,
      grid: cutList.grid.kind,
      timescale: cutList.timescale,
      start_ticks: [...cutList.startTicks],
      end_ticks: cutList.endTicks,
      rate_num: grid?.rate.num ?? null,
      rate_den: grid?.rate.den ?? null,
      segment_frames: grid?.segmentFrames ?? null,
      total_frames: grid?.totalFrames ?? null,
      active: timeline.isActive,
    })
    .execute();
  await insertRenditions(tx, key, timeline);
}

/** Writes renditions of an existing timeline, and the encode tasks that create them. */
export async function insertRenditions(
  tx: Tx,
  key: MediaKey,
  timeline: Pick<PlannedTimeline, 'id' | 'isActive' | 'renditions' | 'tasks'>,
): Promise<void> {
  if (timeline.renditions.length > 0) {
    const rows = timeline.renditions.map((rendition) => renditionRow(key, timeline, rendition));
    await tx.insertInto('rendition').values(rows).execute();
  }
  await insertTasks(tx, timeline.tasks);
}

function renditionRow(key: MediaKey, timeline: Pick<PlannedTimeline, 'id' | 'isActive'>, rendition: PlannedRendition) {
  return {
    library_id: key.libraryId,
    media_id: key.mediaId,
    id: rendition.id,
    timeline_id: timeline.id,
    kind: rendition.kind,
    origin: rendition.origin,
    codec: rendition.codec,
    rung: rendition.rung,
    language: rendition.language,
    name: rendition.name,
    is_default: rendition.isDefault,
    key_group: keyGroupOf(rendition.kind, rendition.rung),
    state: 'building' as const,
    active: timeline.isActive,
    plan: JSON.stringify(rendition.plan),
    timescale: rendition.timescale,
    width_px: rendition.widthPx,
    height_px: rendition.heightPx,
    codec_string: rendition.listed?.codecString ?? null,
    init: rendition.listed?.init ?? null,
    init_sha256: rendition.listed === null ? null : createHash('sha256').update(rendition.listed.init).digest(),
    planned_segments: rendition.plannedSegments,
    on_demand: rendition.isOnDemand,
  };
}
