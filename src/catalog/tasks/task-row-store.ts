import { sql } from 'kysely';
import { currentRequestId } from '../../lib/log/log-context.ts';
import type { Db, Tx } from '../db.ts';
import { type EncodeTask, WAITING_FOR_SLOT } from './encode-task.ts';
import { BACKFILL_DELAY_SEC } from './task-kind.ts';

const ROWS_AT_ONCE = 500;

/** Writes waiting encode tasks; the commit wakes workers for them. */
export async function insertTasks(tx: Db | Tx, tasks: readonly EncodeTask[]): Promise<void> {
  const rows = tasks.map(taskRow);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await tx
      .insertInto('encode_task')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .execute();
  }
}

/** Returns the row of a waiting encode task. */
export function taskRow(task: EncodeTask) {
  return {
    library_id: task.key.libraryId,
    media_id: task.key.mediaId,
    id: task.id,
    timeline_id: task.timelineId,
    kind: task.kind,
    rendition_ids: [...task.renditionIds],
    from_segment: task.fromSegment,
    to_segment: task.toSegment,
    is_first: task.isFirst,
    request_id: currentRequestId(),
    queue: task.queue,
    priority: task.priority,
    weight: task.weight,
    state: 'waiting' as const,
    reason: WAITING_FOR_SLOT,
    is_ready: task.kind !== 'backfill',
    ...(task.kind === 'backfill' && { ready_at: sql<Date>`now() + make_interval(secs => ${BACKFILL_DELAY_SEC})` }),
  };
}
