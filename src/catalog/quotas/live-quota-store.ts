import type { MediaKey, Tx } from '../db.ts';
import { lockHardQuota } from './hard-quota-store.ts';
import { quotaRefusal } from './quota.ts';
import { countLive } from './usage-store.ts';

/**
 * Throws `Refused` (`quota-reached`) if a hard limit does not permit another live stream. Call it in the transaction
 * that accepts the publisher: others wait until it commits. The stream itself does not count, so it may reconnect.
 */
export async function requireLiveQuota(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  const limit = await lockHardQuota(tx, libraryId, 'concurrentLiveStreams');
  if (limit === null) return;
  const used = await countLive(tx, libraryId, mediaId);
  if (used < limit) return;
  throw quotaRefusal({
    ...{ libraryId, resource: 'concurrentLiveStreams', used, limit },
    advice: 'End another stream, or raise the limit.',
  });
}
