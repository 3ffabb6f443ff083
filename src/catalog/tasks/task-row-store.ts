import { sql } from 'kysely';
import { currentRequestId } from '../../lib/log/log-context.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { BACKFILL_STEP, type EncodeTask, WAITING_FOR_SLOT } from './encode-task.ts';
import { BACKFILL_DELAY_SEC } from './task-kind.ts';

const ROWS_AT_ONCE = 500;

/**
 * Writes waiting encode tasks of one media item; the commit wakes workers for them. Tasks of an imported video have the
 * priority of backfill, so that imports do not delay new uploads.
 */
export async function insertTasks(tx: Db | Tx, tasks: readonly EncodeTask[]): Promise<void> {
  const [first] = tasks;
  if (first === undefined) return;
  const step = (await isImported(tx, first.key)) ? BACKFILL_STEP : 0;
  const rows = tasks.map((task) => taskRow({ ...task, priority: task.priority - step }));
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await tx
      .insertInto('encode_task')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .execute();
  }
}

async function isImported(tx: Db | Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const { rows } = await sql`select from media where library_id = ${libraryId} and id = ${mediaId}
    and upload_options->'isImported' = 'true'`.execute(tx);
  return rows.length > 0;
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
