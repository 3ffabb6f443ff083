import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { Db } from '../../db.ts';
import type { BitrateSample } from '../live-stream.ts';

/** Samples of at most ten seconds of a stream, oldest first. At least one sample. */
export type BitrateRow = { streamId: Guid; samples: readonly BitrateSample[] };

/** Writes samples of many streams in one statement. Skips streams that no longer exist. */
export async function recordBitrates(db: Db, rows: readonly BitrateRow[]): Promise<void> {
  await sql`
    insert into live_bitrate (stream_id, at, samples)
    select r."streamId", to_timestamp((r.samples->0->>'atMs')::float8 / 1000), r.samples
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r("streamId" uuid, samples jsonb)
    join live_stream s on s.id = r."streamId" for key share of s on conflict do nothing`.execute(db);
}

/** Current number of viewers of a stream at one edge, and the seconds that they watched since the last report. */
export type ViewerCount = { streamId: Guid; viewers: number; watchedSec: number };

/** Adds to the watch time of streams, and updates the maximum number of viewers at any one edge. */
export async function recordViewers(db: Db, counts: readonly ViewerCount[]): Promise<void> {
  await sql`
    update live_stream s set viewer_seconds = s.viewer_seconds + c."watchedSec",
      peak_viewers = greatest(s.peak_viewers, c.viewers)
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as c("streamId" uuid, viewers int, "watchedSec" bigint)
    where s.id = c."streamId"`.execute(db);
}
