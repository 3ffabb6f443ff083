import { commitChunks, type RenditionOutput } from '../../catalog/encoding/chunk-store.ts';
import type { Claim } from '../../catalog/encoding/work.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import type { JobDeps } from '../job-deps.ts';
import { sendWorks } from '../queue/send-works.ts';
import { discardObjects } from './store-chunk.ts';

/**
 * Publishes chunks of a work (`commitChunks`), and sends in the same transaction what is to be done next. Objects that
 * were not taken in are deleted.
 */
export async function publishChunks(
  { db, queue, storage, report }: Pick<JobDeps, 'db' | 'queue' | 'storage' | 'report'>,
  claim: Claim,
  done: { outputs: readonly RenditionOutput[]; isLast: boolean },
): Promise<void> {
  const { unwanted } = await inTransaction(db, async (tx) => {
    const answer = await commitChunks(tx, claim, done);
    await sendWorks(queue, answer.works)(tx);
    return answer;
  });
  await discardObjects(storage, unwanted, report);
}
