import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { SourceFacts } from '../../../media/probe/source-facts.ts';
import type { Db, MediaKey, Tx } from '../../db.ts';
import { inTransaction } from '../../in-transaction.ts';
import { type ActiveView, addToTimelines, type CodecPlan, loadActive } from '../../lifecycle/codec-store.ts';
import { loadCutList } from '../../tasks/task-view-store.ts';
import { readPeriodFacts } from './recording-facts-store.ts';

/**
 * A period of a recording: its timeline, its published video, and its rungs. If it has only audio, the source is the
 * audio, and `blankLike` has the facts of another period's video.
 */
export type PeriodView = ActiveView & { sourceId: Guid; rungs: readonly number[]; blankLike: SourceFacts | null };

const RECORDINGS_AT_ONCE = 20;

/** Finds a bounded number of recordings not yet checked for missing rungs, in any order. */
export async function findUnseenRecordings(db: Db): Promise<MediaKey[]> {
  const { rows } = await sql<{ libraryId: number; mediaId: Guid }>`
    select s.library_id as "libraryId", s.id as "mediaId" from live_stream s
    join media m on m.library_id = s.library_id and m.id = s.id and m.type = 'video' and m.state = 'finished'
    where s.rungs_due_at <= now() order by random() limit ${RECORDINGS_AT_ONCE}`.execute(db);
  return rows;
}

/**
 * Queues encode tasks for the missing rungs of a recording on its existing timelines. The rungs of a period are encoded
 * from its own video.
 */
export function completeRecording(db: Db, key: MediaKey, plan: (view: PeriodView) => CodecPlan): Promise<void> {
  return inTransaction(db, async (tx) => {
    // If two workers found the recording, the second one sees that it was already handled.
    const due = await sql`
      select from live_stream where id = ${key.mediaId} and rungs_due_at is not null for update`.execute(tx);
    if (due.rows.length === 0) return;
    const active = await loadActive(tx, key, { isRecorded: true });
    const periods = await loadPeriods(tx, active);
    const plans = periods.map((period) => ({ ...plan(period), timelineId: period.timelineId }));
    await addToTimelines(tx, active, plans);
    await sql`update live_stream set rungs_due_at = null where id = ${key.mediaId}`.execute(tx);
  });
}

/** Loads the periods that viewers see, in the order of their encode tasks. Without any video, there are none. */
async function loadPeriods(tx: Tx, active: ActiveView): Promise<PeriodView[]> {
  const { libraryId, mediaId } = active.key;
  const { rows } = await sql<{ timelineId: Guid; sourceId: Guid; kind: 'video' | 'audio'; rungs: number[] }>`
    select distinct on (p.number) source.kind, p.timeline_id as "timelineId", source.id as "sourceId", array(
      select r.rung from rendition r where r.library_id = p.library_id and r.media_id = p.media_id
        and r.timeline_id = p.timeline_id and r.kind = 'video' and r.origin = 'encode' and r.rung is not null
        and r.state <> 'failed' and r.retired_at is null) as rungs
    from live_period p
    join timeline t on t.library_id = p.library_id and t.media_id = p.media_id and t.id = p.timeline_id
      and t.end_ticks > 0
    join rendition source on source.library_id = p.library_id and source.media_id = p.media_id
      and source.timeline_id = p.timeline_id and source.origin = 'pass-through'
      and source.state <> 'failed' and source.retired_at is null
    where p.library_id = ${libraryId} and p.media_id = ${mediaId} and not p.is_preview
    order by p.number, source.kind desc`.execute(tx);
  const periods: (PeriodView & { kind: 'video' | 'audio' })[] = [];
  for (const row of rows) {
    const facts = await readPeriodFacts(tx, active.key, row.timelineId);
    const cutList = await loadCutList(tx, { key: active.key, timelineId: row.timelineId });
    if (facts !== null && cutList !== null) periods.push({ ...active, ...row, facts, cutList, blankLike: null });
  }
  const shown = periods.find(({ kind, facts }) => kind === 'video' && facts.video !== null);
  if (shown === undefined) return [];
  return periods.map((period) => (period.kind === 'video' ? period : { ...period, blankLike: shown.facts }));
}
