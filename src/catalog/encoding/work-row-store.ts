import { sql } from 'kysely';
import type { Db, Tx } from '../db.ts';
import { WAITING_FOR_SLOT, type Work } from './work.ts';
import { FILL_DELAY_SEC } from './work-kind.ts';

const ROWS_AT_ONCE = 500;

/** Writes works that wait; the commit wakes workers for them. */
export async function insertWorks(tx: Db | Tx, works: readonly Work[]): Promise<void> {
  const rows = works.map(workRow);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await tx
      .insertInto('encode_work')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .execute();
  }
}

/** The row of a work that waits. */
export function workRow(work: Work) {
  return {
    library_id: work.key.libraryId,
    media_id: work.key.mediaId,
    id: work.id,
    timeline_id: work.timelineId,
    kind: work.kind,
    rendition_ids: [...work.renditionIds],
    from_segment: work.fromSegment,
    to_segment: work.toSegment,
    is_first: work.isFirst,
    lane: work.lane,
    priority: work.priority,
    weight: work.weight,
    state: 'waiting' as const,
    reason: WAITING_FOR_SLOT,
    is_ready: work.kind !== 'fill',
    ...(work.kind === 'fill' && { ready_at: sql<Date>`now() + make_interval(secs => ${FILL_DELAY_SEC})` }),
  };
}
