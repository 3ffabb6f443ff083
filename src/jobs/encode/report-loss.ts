import type { MediaKey } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { addMessages } from '../../catalog/lifecycle/finalize-store.ts';
import { lostAudioMessage } from '../../catalog/lifecycle/messages.ts';
import type { JobDeps } from '../job-deps.ts';

/** Adds a message to a video if a part of its audio could not be decoded. */
export async function reportLoss(
  deps: Pick<JobDeps, 'db'>,
  key: MediaKey,
  lost: { lostSec: number; durationSec: number },
): Promise<void> {
  if (lost.lostSec === 0) return;
  await inTransaction(deps.db, (tx) => addMessages(tx, key, [lostAudioMessage(lost, new Date())]));
}
