import { sql } from 'kysely';
import type { Db, MediaKey, Tx } from '../../src/catalog/db.ts';
import { claimTask } from '../../src/catalog/tasks/claim-store.ts';
import type { Claim } from '../../src/catalog/tasks/encode-task.ts';
import type { TaskKind } from '../../src/catalog/tasks/task-kind.ts';
import { allTasks } from '../../src/jobs/all.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import { runTask } from '../../src/jobs/queue/run-task.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';

/** Performs a task of any kind as a worker would, unless the task is already finished. */
export async function performTask(deps: JobDeps, key: MediaKey, id: Guid): Promise<void> {
  const claim = await deps.db.transaction().execute((tx) => claimTask(tx, key, id, 'test'));
  if (claim !== null) await performClaim(deps, claim);
}

export async function performClaim(deps: JobDeps, claim: Claim): Promise<void> {
  const never = new AbortController().signal;
  const task = { perform: allTasks[claim.task.kind], deps };
  await runTask({ claim, report: () => undefined }, task, { lost: never, stopping: never });
}

/** Claims a video's only task of a kind, in the transaction that planned it, before any worker can. */
export async function claimOnly(tx: Tx, key: MediaKey, kind: TaskKind): Promise<Claim> {
  const rows = tx.selectFrom('encode_task').select('id').where('media_id', '=', key.mediaId).where('kind', '=', kind);
  const claim = await claimTask(tx, key, (await rows.executeTakeFirstOrThrow()).id, 'test');
  if (claim === null) throw new Error(`Expected a task of kind ${kind} to wait.`);
  return claim;
}

/** Inserts a task for the active timeline of a video. */
export async function addTask(db: Db, { mediaId }: MediaKey, kind: TaskKind, state: string): Promise<void> {
  await sql`
    insert into encode_task (library_id, media_id, id, timeline_id, kind, rendition_ids, from_segment, to_segment,
      queue,
      weight, state)
    select library_id, media_id, ${newGuid()}, id, ${kind}, '{}', 0, 1, 'long', 1, ${state}
    from timeline where media_id = ${mediaId} and active
  `.execute(db);
}
