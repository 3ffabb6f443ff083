import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { MediaKey, Tx } from '../db.ts';

/**
 * Lets a worker plan the joined renditions of a recording again after one of them failed. Does nothing for other
 * renditions, and if they failed before.
 */
export async function replanJoined(tx: Tx, { libraryId, mediaId }: MediaKey, renditionId: Guid): Promise<void> {
  await sql`
    update live_stream set rungs_due_at = now() where library_id = ${libraryId} and id = ${mediaId}
      and exists (select from rendition where library_id = ${libraryId} and media_id = ${mediaId}
        and id = ${renditionId} and plan ? 'joined' and retired_at is null)
      and not exists (select from rendition where library_id = ${libraryId} and media_id = ${mediaId}
        and plan ? 'joined' and state = 'failed' and retired_at is not null)`.execute(tx);
}
