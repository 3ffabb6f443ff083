import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { bumpPublication, type MediaKey, type Tx } from '../db.ts';
import { planImages } from '../images/plan-images-store.ts';
import { dropImages } from '../images/shown-images-store.ts';
import { logOnCommit } from '../in-transaction.ts';
import { mustEnterState } from '../media-state-store.ts';
import { RENDITION_NAME } from '../rendition-name-store.ts';
import { noteFailedTrack, offerTrack } from '../renditions/added-track-store.ts';
import { type Extent, findGap } from '../renditions/coverage.ts';
import { recountStorage } from '../renditions/storage-store.ts';
import type { MediaMessage, MediaState } from '../schema.ts';
import { ENCODING_STATES } from '../tasks/encode-task.ts';
import { BESIDE_KINDS } from '../tasks/task-kind.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announce } from '../webhooks/webhook-store.ts';
import { markIncomplete } from './incomplete-store.ts';
import { CANCELLED_REASON, failureKind, failureMessage, renditionMessage } from './messages.ts';
import { decideOutcome, type RenditionProgress } from './outcome.ts';
import { failMedia } from './process-store.ts';
import { forgetReplaced } from './replacement-store.ts';
import { replanJoined } from './replan-joined-store.ts';

/** Maximum difference between the ends of audio and video, in seconds. */
const AUDIO_TOLERANCE_SEC = 0.04;

/**
 * Finishes everything that has no open encode task. A rendition becomes `finished` if its chunks cover the whole
 * timeline, else `failed`. If the video has no open task at all, it ends too, and a set that was encoded in the
 * background replaces the active one; its images are created first, from the set that will be active. Call it in the
 * transaction that ended an encode task.
 */
export async function finalizeMedia(tx: Tx, key: MediaKey): Promise<void> {
  let renditions = await loadRenditionProgress(tx, key);
  for (const rendition of renditions) {
    // A rendition without tasks belongs to a set that was abandoned for a new plan. It is kept until the new set
    // replaces it.
    if (rendition.state !== 'building' || rendition.tasks === 0 || rendition.openTasks > 0) continue;
    const fault = rendition.failedReason ?? (await findFault(tx, key, rendition.id));
    if (fault === null) await finishRendition(tx, key, rendition);
    else await failRendition(tx, key, rendition, fault);
  }
  if (await hasOpenTask(tx, key)) return;
  renditions = await loadRenditionProgress(tx, key);
  const media = await tx
    .selectFrom('media')
    .select(['facts', 'state', sql<boolean>`replaced is not null`.as('isReplaced')])
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .executeTakeFirstOrThrow();
  if (!isEncoding(media.state)) return;
  const outcome = decideOutcome(renditions, media.facts?.video !== null);
  if (outcome.kind === 'failed') {
    await failMedia(tx, key, failureKind(outcome.reason), failureMessage(outcome.reason, new Date()));
    return;
  }
  if (media.isReplaced && outcome.activate === null) {
    const message = failureMessage('No rendition could be encoded.', new Date());
    await failMedia(tx, key, failureKind(message.message), message);
    return;
  }
  if (await planImages(tx, key, outcome.activate ?? (await findActive(tx, key)))) return;
  if (outcome.activate !== null) await activateTimeline(tx, key, outcome.activate, media.isReplaced);
  if (media.isReplaced && media.facts?.video === null) await dropImages(tx, key);
  await forgetReplaced(tx, key);
  await finishMedia(tx, key);
}

async function findActive(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<Guid | null> {
  const row = await tx
    .selectFrom('timeline')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('active', '=', true)
    .executeTakeFirst();
  return row?.id ?? null;
}

function isEncoding(state: MediaState): boolean {
  return ENCODING_STATES.some((one) => one === state);
}

async function finishRendition(tx: Tx, key: MediaKey, { id, kind, isActive }: RenditionProgress): Promise<void> {
  await setRenditionState(tx, key, id, 'finished', null);
  if (kind === 'audio') await offerTrack(tx, key, id);
  if (kind === 'video' && isActive) await announce(key, WebhookStatus.resolutionFinished)(tx);
}

async function finishMedia(tx: Tx, key: MediaKey): Promise<void> {
  await mustEnterState(tx, key, 'finished', {
    reason: null,
    // Fixes the library's setting for originals, so that later changes do not affect this video.
    set: { encode_progress: 100, leaves_original: sql<boolean>`exists (${leavesOriginals(key.libraryId)})` },
  });
  await recountStorage(tx, key);
  const isIncomplete = await markIncomplete(tx, key);
  await pruneTasks(tx, key);
  // A recording is announced at the end of its stream. Its rungs follow later, and only a failure is announced again.
  if (isIncomplete || !(await isRecording(tx, key))) await announce(key, WebhookStatus.finished, { isIncomplete })(tx);
  logOnCommit('video.finished', { videoGuid: key.mediaId, libraryId: key.libraryId, isIncomplete });
}

async function isRecording(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const { rows } = await sql`
    select from live_stream s join media m on m.library_id = s.library_id and m.id = s.id and m.source_key is null
    where s.library_id = ${libraryId} and s.id = ${mediaId}`.execute(tx);
  return rows.length > 0;
}

/**
 * Deletes the encode tasks of a video except failed image tasks. Without these, the images would be planned again and
 * again.
 */
async function pruneTasks(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  await sql`
    delete from encode_task where library_id = ${libraryId} and media_id = ${mediaId}
      and (state = 'done' or (state = 'failed' and kind not in ('images', 'repair')))
  `.execute(tx);
}

function leavesOriginals(libraryId: number) {
  return sql`select from library where id = ${libraryId} and settings#>>'{originals,keep}' = 'false'`;
}

async function loadRenditionProgress(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<RenditionProgress[]> {
  const { rows } = await sql<RenditionProgress>`
    select r.id, r.timeline_id as "timelineId", r.kind, r.state, r.active as "isActive",
      r.retired_at is not null as "isRetired",
      not t.active and (r.plan ? 'joined' or exists (select from live_period p where p.library_id = r.library_id
        and p.media_id = r.media_id and p.timeline_id = r.timeline_id)) as "isOfFurtherPeriod",
      ${RENDITION_NAME} as name,
      w.tasks, w."openTasks",
      coalesce(r.state_reason, w.reason) as "failedReason"
    from rendition r
    join timeline t on t.library_id = r.library_id and t.media_id = r.media_id and t.id = r.timeline_id
    cross join lateral (
      select count(*) as tasks, count(*) filter (where state in ('waiting', 'running')) as "openTasks",
        max(reason) filter (where state = 'failed') as reason
      from encode_task w where w.library_id = r.library_id and w.media_id = r.media_id
        and r.id = any(w.rendition_ids) and w.kind not in ('thumbnail', 'images', 'repair', 'segment')) w
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} order by r.rung desc nulls last, r.id
  `.execute(tx);
  return rows;
}

/** Returns the reason why a rendition is incomplete, or null if it is complete. */
async function findFault(tx: Tx, { libraryId, mediaId }: MediaKey, renditionId: Guid): Promise<string | null> {
  const row = await tx
    .selectFrom('rendition as r')
    .innerJoin('timeline as t', (join) =>
      join
        .onRef('t.id', '=', 'r.timeline_id')
        .onRef('t.media_id', '=', 'r.media_id')
        .onRef('t.library_id', '=', 'r.library_id'),
    )
    .select(['r.kind', 'r.timescale', 'r.plan', 't.timescale as gridTimescale', 't.end_ticks', 't.start_ticks'])
    .select(['t.grid', 't.rate_num', 't.rate_den'])
    .where('r.library_id', '=', libraryId)
    .where('r.media_id', '=', mediaId)
    .where('r.id', '=', renditionId)
    .executeTakeFirstOrThrow();
  const chunks = await tx
    .selectFrom('chunk')
    .select([
      'first_segment as firstSegment',
      'segment_count as segmentCount',
      'start_tick as startTick',
      'duration_ticks as durationTicks',
    ])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('rendition_id', '=', renditionId)
    .orderBy('first_segment')
    .execute();
  const frameTicks =
    row.rate_num === null || row.rate_den === null ? 0 : (row.gridTimescale * row.rate_den) / row.rate_num;
  const extent: Extent =
    row.kind === 'video'
      ? { segments: row.start_ticks.length, endTick: row.end_ticks, toleranceTicks: frameTicks }
      : {
          segments: null,
          endTick: row.plan.durationSec * row.timescale,
          toleranceTicks: AUDIO_TOLERANCE_SEC * row.timescale,
        };
  return findGap(chunks, extent);
}

async function hasOpenTask(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const row = await tx
    .selectFrom('encode_task')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('state', 'in', ['waiting', 'running'])
    .where('kind', 'not in', BESIDE_KINDS)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function setRenditionState(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  renditionId: Guid,
  state: 'finished' | 'failed',
  reason: string | null,
): Promise<void> {
  await tx
    .updateTable('rendition')
    .set({ state, state_reason: reason, ...(state === 'failed' ? { active: false } : {}) })
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('id', '=', renditionId)
    .execute();
}

/** Fails a rendition: it is no longer listed, its chunks are deleted, and the sweep deletes their objects. */
async function failRendition(tx: Tx, key: MediaKey, rendition: RenditionProgress, reason: string): Promise<void> {
  await setRenditionState(tx, key, rendition.id, 'failed', reason);
  if (reason !== CANCELLED_REASON) await replanJoined(tx, key, rendition.id);
  if (rendition.kind === 'audio') await noteFailedTrack(tx, key, rendition.id, reason);
  await tx
    .deleteFrom('chunk')
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where('rendition_id', '=', rendition.id)
    .execute();
  await recountStorage(tx, key);
  await addMessages(tx, key, [renditionMessage(rendition.name, reason, new Date())]);
  await bumpPublication(tx, key);
}

/** Adds lines to a video's messages. A line with the same text as an earlier one replaces it. */
export async function addMessages(tx: Tx, { libraryId, mediaId }: MediaKey, lines: MediaMessage[]): Promise<void> {
  if (lines.length === 0) return;
  const added = sql`${JSON.stringify(lines)}::jsonb`;
  await sql`
    update media set messages = coalesce((select jsonb_agg(line order by place)
      from jsonb_array_elements(messages) with ordinality known(line, place)
      where not exists (select from jsonb_array_elements(${added}) fresh
        where fresh->'message' = line->'message' and fresh->'value' = line->'value')), '[]') || ${added}
    where library_id = ${libraryId} and id = ${mediaId}`.execute(tx);
}

/**
 * Activates a timeline with all its renditions in place of the active one. Retires the old images. Also retires the old
 * audio if the new set has its own audio or was encoded from a different file; otherwise the audio moves to the new
 * timeline.
 */
async function activateTimeline(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  timelineId: Guid,
  isOtherFile: boolean,
): Promise<void> {
  const here = sql`library_id = ${libraryId} and media_id = ${mediaId}`;
  await sql`
    update rendition set timeline_id = ${timelineId}
    where ${here} and active and kind = 'audio' and timeline_id <> ${timelineId} and not ${isOtherFile}
      and not exists (select 1 from rendition n where n.timeline_id = ${timelineId} and n.kind = 'audio'
        and n.state = 'finished')
  `.execute(tx);
  await sql`
    update rendition set active = false, retired_at = now() where ${here} and active and timeline_id <> ${timelineId}
  `.execute(tx);
  await sql`
    update rendition set active = true where ${here} and timeline_id = ${timelineId} and state = 'finished'
      and retired_at is null
  `.execute(tx);
  await sql`update timeline set active = (id = ${timelineId}) where ${here}`.execute(tx);
}
