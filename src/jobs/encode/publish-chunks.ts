import { inTransaction } from '../../catalog/in-transaction.ts';
import { commitChunks, type RenditionOutput } from '../../catalog/lifecycle/chunk-store.ts';
import { replaceChunks } from '../../catalog/lifecycle/repair-store.ts';
import type { Claim } from '../../catalog/tasks/encode-task.ts';
import type { JobDeps } from '../job-deps.ts';
import { throughPause } from '../queue/run-task.ts';
import { discardObjects } from './store-chunk.ts';

/**
 * Publishes chunks of an encode task with `commitChunks`. Chunks from a repair replace the damaged ones. Deletes
 * objects that were not committed.
 */
export async function publishChunks(
  { db, storage, report }: Pick<JobDeps, 'db' | 'storage' | 'report'>,
  claim: Claim,
  done: { outputs: readonly RenditionOutput[]; isLast: boolean },
): Promise<void> {
  const commit = claim.task.kind === 'repair' ? replaceChunks : commitChunks;
  const { rejected } = await throughPause(() => inTransaction(db, (tx) => commit(tx, claim, done)));
  await discardObjects(storage, rejected, report);
}
