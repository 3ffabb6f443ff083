import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';

/** Viewers of a stream at one edge now, and the seconds that they watched since the last report. */
export type ViewerCount = { streamId: Guid; viewers: number; watchedSec: number };

/** Adds to the watch time of streams, and raises the most viewers at once of any one edge. */
export async function recordViewers(db: Db, counts: readonly ViewerCount[]): Promise<void> {
  await sql`
    update live_stream s set viewer_seconds = s.viewer_seconds + c."watchedSec",
      peak_viewers = greatest(s.peak_viewers, c.viewers)
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as c("streamId" uuid, viewers int, "watchedSec" bigint)
    where s.id = c."streamId"`.execute(db);
}
