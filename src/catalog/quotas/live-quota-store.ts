import type { MediaKey, Tx } from '../db.ts';
import { quotaRefusal } from './quota.ts';
import { countLive } from './usage-store.ts';

/**
 * Throws `Refused` (`quota-reached`) if a hard limit does not permit another live stream. Call it in the transaction
 * that accepts the publisher: others wait until it commits. The stream itself does not count, so it may reconnect.
 */
export async function requireLiveQuota(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  const row = await tx
    .selectFrom('library_quota')
    .select('max_amount')
    .where('library_id', '=', libraryId)
    .where('resource', '=', 'concurrentLiveStreams')
    .where('mode', '=', 'hard')
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) return;
  const used = await countLive(tx, libraryId, mediaId);
  if (used < row.max_amount) return;
  throw quotaRefusal({
    ...{ libraryId, resource: 'concurrentLiveStreams', used, limit: row.max_amount },
    advice: 'End another stream, or raise the limit.',
  });
}
