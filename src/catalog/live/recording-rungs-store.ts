import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, MediaKey } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { addToShown, type CodecPlan, loadShown, type ShownView } from '../lifecycle/codec-store.ts';

/** A recording of one period, its pictures as they were published, and the rungs that it has. */
export type RecordingView = ShownView & { sourceId: Guid; rungs: readonly number[] };

const RECORDINGS_AT_ONCE = 20;

/** Recordings of which nobody has seen yet whether rungs are missing: a bounded number, in any order. */
export async function findUnseenRecordings(db: Db): Promise<MediaKey[]> {
  const { rows } = await sql<{ libraryId: number; mediaId: Guid }>`
    select s.library_id as "libraryId", s.id as "mediaId" from live_stream s
    join media m on m.library_id = s.library_id and m.id = s.id and m.type = 'video' and m.state = 'finished'
    where s.rungs_due_at <= now() order by random() limit ${RECORDINGS_AT_ONCE}`.execute(db);
  return rows;
}

/**
 * Has the rungs made that a recording lacks, on the timeline that it has. One of several periods stays as it is: where a
 * rung is missing its playlist goes on with the source.
 */
export function completeRecording(db: Db, key: MediaKey, plan: (view: RecordingView) => CodecPlan): Promise<void> {
  return inTransaction(db, async (tx) => {
    // Of two workers that found it, the second finds it done.
    const due = await sql`
      select from live_stream where id = ${key.mediaId} and rungs_due_at is not null for update`.execute(tx);
    if (due.rows.length === 0) return;
    const shown = await loadShown(tx, key, { isRecorded: true });
    const { rows } = await sql<{ id: Guid; rung: number; isSource: boolean; periods: number }>`
      select r.id, r.rung, r.origin = 'pass-through' as "isSource", (select count(*)::int from live_period p
        where p.library_id = r.library_id and p.media_id = r.media_id and not p.is_preview) as periods
      from rendition r where r.library_id = ${key.libraryId} and r.media_id = ${key.mediaId}
        and r.timeline_id = ${shown.timelineId} and r.kind = 'video' and r.state <> 'failed' and r.retired_at is null`.execute(
      tx,
    );
    const source = rows.find(({ isSource }) => isSource);
    if (source?.periods === 1 && shown.facts.video !== null) {
      const rungs = rows.filter(({ isSource }) => !isSource).map(({ rung }) => rung);
      const view = { ...shown, sourceId: source.id, rungs };
      await addToShown(tx, view, plan(view));
    }
    await sql`update live_stream set rungs_due_at = null where id = ${key.mediaId}`.execute(tx);
  });
}
