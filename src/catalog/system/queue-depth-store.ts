import { sql } from 'kysely';
import type { Db } from '../db.ts';
import { TASK_KINDS, type TaskKind } from '../tasks/task-kind.ts';

/** Encode tasks of one kind, and the age of the oldest waiting one in seconds; 0 if none waits. */
export type QueueDepth = { kind: TaskKind; waiting: number; running: number; failed: number; oldestSec: number };

/** Returns the depth of the queue for each kind, including kinds without tasks. */
export async function loadQueueDepths(db: Db): Promise<QueueDepth[]> {
  const { rows } = await sql<QueueDepth>`
    select kind, waiting, running, failed, oldest_age_sec as "oldestSec" from millrace_queue_depth`.execute(db);
  const known = new Map(rows.map((row) => [row.kind, row]));
  return TASK_KINDS.map((kind) => known.get(kind) ?? { kind, waiting: 0, running: 0, failed: 0, oldestSec: 0 });
}
