import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { SourceFacts } from '../../../media/probe/source-facts.ts';
import type { Db, MediaKey, Tx } from '../../db.ts';
import { inTransaction } from '../../in-transaction.ts';
import { type ActiveView, addToTimelines, type CodecPlan, loadActive } from '../../lifecycle/codec-store.ts';
import type { PlannedTimeline } from '../../lifecycle/encode-plan.ts';
import { saveTimeline } from '../../lifecycle/plan-store.ts';
import { loadCutList } from '../../tasks/task-view-store.ts';
import { readPeriodFacts } from './recording-facts-store.ts';

/**
 * A period of a recording: its timeline, its published video, and its rungs. If it has only audio, the source is the
 * audio, and `blankLike` has the facts of another period's video. `frameRate` is the mean of its video, or null without
 * video.
 */
export type PeriodView = ActiveView & {
  kind: 'video' | 'audio';
  sourceId: Guid;
  audioId: Guid | null;
  frameRate: number | null;
  rungs: readonly number[];
  blankLike: SourceFacts | null;
};

/**
 * Plans the missing rungs of one period, and the renditions that join all periods of a recording. `join` returns null
 * if the library does not offer MP4 files, or if there is nothing to join.
 */
export type RecordingPlanner = {
  complete(view: PeriodView): CodecPlan;
  join(active: ActiveView, periods: readonly PeriodView[]): PlannedTimeline | null;
  offersMp4(active: ActiveView): boolean;
};

const RECORDINGS_AT_ONCE = 20;

/** Condition that the library `l` offers MP4 files, as `readDeliverySettings` has it. */
const OFFERS_MP4 = sql`(coalesce(l.settings#>>'{mp4,enabled}', 'true') = 'true'
  and coalesce(l.settings#>>'{drm,enabled}', 'false') = 'false')`;

/**
 * Finds a bounded number of recordings not yet checked for missing rungs, in any order. Those without an MP4 file are
 * checked again once their library offers MP4 files.
 */
export async function findUnseenRecordings(db: Db): Promise<MediaKey[]> {
  const { rows } = await sql<{ libraryId: number; mediaId: Guid }>`
    select s.library_id as "libraryId", s.id as "mediaId" from live_stream s
    join media m on m.library_id = s.library_id and m.id = s.id and m.type = 'video' and m.state = 'finished'
    join library l on l.id = s.library_id
    where s.rungs_due_at <= now() or s.rungs_due_at = 'infinity' and ${OFFERS_MP4}
    order by random() limit ${RECORDINGS_AT_ONCE}`.execute(db);
  return rows;
}

/**
 * Queues encode tasks for the missing rungs of a recording on its existing timelines. The rungs of a period are encoded
 * from its own video. Several periods are also joined on a timeline of their own, which is only used for MP4 files.
 */
export function completeRecording(db: Db, key: MediaKey, planner: RecordingPlanner): Promise<void> {
  return inTransaction(db, async (tx) => {
    // If two workers found the recording, the second one sees that it was already handled.
    const due = await sql`
      select from live_stream where id = ${key.mediaId} and rungs_due_at is not null for update`.execute(tx);
    if (due.rows.length === 0) return;
    const active = await loadActive(tx, key, { isRecorded: true });
    const periods = await loadPeriods(tx, active);
    const hasVideo = periods.some(({ kind }) => kind === 'video');
    const plans = hasVideo ? periods.map((view) => ({ ...planner.complete(view), timelineId: view.timelineId })) : [];
    const isSplit = periods.length > 1 && !(await hasJoined(tx, key));
    const joined = isSplit ? planner.join(active, periods) : null;
    if (joined !== null) {
      await retireJoined(tx, key);
      await saveTimeline(tx, key, { ...joined, renditions: [], tasks: [] });
      plans.push({ ...joined, timelineId: joined.id });
    }
    await addToTimelines(tx, active, plans);
    const nextAt = isSplit && !planner.offersMp4(active) ? sql`'infinity'` : sql`null`;
    await sql`update live_stream set rungs_due_at = ${nextAt} where id = ${key.mediaId}`.execute(tx);
  });
}

/** Returns whether a recording has joined renditions of which none failed. */
async function hasJoined(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const { rows } = await sql<{ isUsable: boolean | null }>`
    select bool_and(state <> 'failed') as "isUsable" from rendition
    where library_id = ${libraryId} and media_id = ${mediaId} and plan ? 'joined' and retired_at is null`.execute(tx);
  return rows[0]?.isUsable === true;
}

/** Retires joined renditions of which one failed. */
async function retireJoined(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  await sql`
    update rendition set active = false, retired_at = now()
    where library_id = ${libraryId} and media_id = ${mediaId} and plan ? 'joined' and retired_at is null`.execute(tx);
}

type PeriodRow = Pick<PeriodView, 'timelineId' | 'kind' | 'sourceId' | 'audioId' | 'frameRate'> & { rungs: number[] };

/** Loads the periods that viewers see, in the order of their encode tasks. */
async function loadPeriods(tx: Tx, active: ActiveView): Promise<PeriodView[]> {
  const { libraryId, mediaId } = active.key;
  const { rows } = await sql<PeriodRow>`
    select distinct on (p.number) source.kind, p.timeline_id as "timelineId", source.id as "sourceId", array(
      select r.rung from rendition r where r.library_id = p.library_id and r.media_id = p.media_id
        and r.timeline_id = p.timeline_id and r.kind = 'video' and r.origin = 'encode' and r.rung is not null
        and r.state <> 'failed' and r.retired_at is null) as rungs,
      (select r.id from rendition r where r.library_id = p.library_id and r.media_id = p.media_id
        and r.timeline_id = p.timeline_id and r.kind = 'audio' and r.state <> 'failed' and r.retired_at is null
        and r.init is not null and exists (select from chunk c where c.library_id = r.library_id
          and c.media_id = r.media_id and c.rendition_id = r.id) order by r.is_default desc, r.id limit 1) as "audioId",
      case when source.kind = 'video' then (select sum(c.samples) * source.timescale::float8 / sum(c.duration_ticks)
        from chunk c where c.library_id = p.library_id and c.media_id = p.media_id and c.rendition_id = source.id)
        end as "frameRate"
    from live_period p
    join timeline t on t.library_id = p.library_id and t.media_id = p.media_id and t.id = p.timeline_id
      and t.end_ticks > 0
    join rendition source on source.library_id = p.library_id and source.media_id = p.media_id
      and source.timeline_id = p.timeline_id and source.origin = 'pass-through'
      and source.state <> 'failed' and source.retired_at is null
    where p.library_id = ${libraryId} and p.media_id = ${mediaId} and not p.is_preview
    order by p.number, source.kind desc`.execute(tx);
  const periods: PeriodView[] = [];
  for (const row of rows) {
    const facts = await readPeriodFacts(tx, active.key, row.timelineId);
    const cutList = await loadCutList(tx, { key: active.key, timelineId: row.timelineId });
    if (facts !== null && cutList !== null) periods.push({ ...active, ...row, facts, cutList, blankLike: null });
  }
  const shown = periods.find(({ kind, facts }) => kind === 'video' && facts.video !== null);
  if (shown === undefined) return periods;
  return periods.map((period) => (period.kind === 'video' ? period : { ...period, blankLike: shown.facts }));
}
