import type { Db } from '../../catalog/db.ts';
import { hasTask } from '../../catalog/tasks/claim-store.ts';
import type { Claim } from '../../catalog/tasks/encode-task.ts';
import { mediaSecOf } from '../../catalog/tasks/task-view-store.ts';
import { logEvent } from '../../lib/log/log-event.ts';

/** Returns the fields that identify a claimed task in the log. */
export function taskFields({ task, attempt }: Claim) {
  const { id: taskId, kind, key } = task;
  return { taskId, kind, videoGuid: key.mediaId, libraryId: key.libraryId, attempt };
}

/** Logs a claim. Claims of requested segments are frequent, so they are logged at debug level. */
export function logClaim(claim: Claim): void {
  const { task, owner, deaths } = claim;
  const { fromSegment, toSegment } = task;
  if (task.kind === 'segment') logEvent('segments.claimed', taskFields(claim));
  else logEvent('task.claimed', { ...taskFields(claim), owner, fromSegment, toSegment, deaths });
}

/** Logs a finished task, with its speed if it encoded media. */
export async function logDone(db: Db, claim: Claim, durationSec: number): Promise<void> {
  const { task } = claim;
  if (task.kind === 'segment') return logEvent('segments.ended', { ...taskFields(claim), durationSec });
  // While the database is down, the line has no speed.
  const mediaSec = await mediaSecOf(db, task).catch(() => null);
  const speed = mediaSec === null ? null : mediaSec / durationSec;
  logEvent('task.finished', { ...taskFields(claim), durationSec, mediaSec, speed });
}

/** Logs why a claim ended without a result: its video was deleted or changed, or another worker has the task. */
export async function logLost(db: Db, claim: Claim): Promise<void> {
  // If the database is down, the lease could not be renewed.
  const isElsewhere = await hasTask(db, claim.task.id).catch(() => true);
  if (isElsewhere) logEvent('task.lease-lost', taskFields(claim));
  else logEvent('task.canceled', taskFields(claim));
}
