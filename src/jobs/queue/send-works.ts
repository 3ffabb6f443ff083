import type { FollowUp } from '../../catalog/db.ts';
import type { Work } from '../../catalog/encoding/work.ts';
import { FILL_DELAY_SEC, type WorkKind } from '../../catalog/encoding/work-kind.ts';
import type { Guid } from '../../lib/guid.ts';
import type { JobName, Queue } from './define-job.ts';

/** A job's right to do one work, the one whose ticket is `workId`; the payload of every job that does one. */
export type WorkRef = { libraryId: number; mediaId: Guid; workId: Guid };

/** A queue retry is only for what lies outside the work (the database away, a dead worker): works count their own failures. */
const RETRY_LIMIT = 30;

/** The name of the job that does works of a kind in a lane. */
export function workJob(kind: WorkKind, lane: JobName['lane']): JobName {
  return { name: `${kind}-${lane}`, lane, retryLimit: RETRY_LIMIT };
}

/** Sends a job for each work; which of the works that wait it does is decided when it starts. One that waits or runs is not sent again. */
export function sendWorks(queue: Queue, works: readonly Work[]): FollowUp {
  return async (tx) => {
    for (const { kind, lane, key, id, priority, ticket = id } of works) {
      const ref: WorkRef = { ...key, workId: ticket };
      const delaySec = kind === 'fill' ? FILL_DELAY_SEC : 0;
      await queue.send(workJob(kind, lane), ref, { priority, delaySec, onlyOneNamed: ticket })(tx);
    }
  };
}
