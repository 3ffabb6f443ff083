import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { Tx } from '../../db.ts';
import { bucketsOf } from '../sessions/viewing-ticket.ts';
import { addHeat } from './heat.ts';
import type { HeatGain } from './statistics-gain.ts';

type Held = {
  library_id: number;
  media_id: Guid;
  bucket_sec: number;
  sessions: number;
  counts: Buffer;
  reached: Buffer;
  reached_sessions: number;
};

/**
 * Adds gains to the heat maps of media. The duration of a media item determines its bucket size. Gains with a different
 * bucket size are ignored: they come from pages opened before the duration changed. A stored heat map with a different
 * bucket size is reset.
 */
export async function addToHeat(tx: Tx, gains: readonly HeatGain[]): Promise<void> {
  if (gains.length === 0) return;
  const keys = gains.map(({ libraryId, mediaId, bucketSec }) => ({ libraryId, mediaId, bucketSec }));
  const sent = sql`jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
    as sent ("libraryId" bigint, "mediaId" uuid, "bucketSec" integer)`;
  await sql`
    insert into media_heat (library_id, media_id, bucket_sec, sessions, counts)
    select "libraryId", "mediaId", min("bucketSec"), 0, '' from ${sent} group by 1, 2 order by 1, 2
    on conflict do nothing`.execute(tx);
  // While a replacement file is being prepared, viewers still play the previous one.
  const { rows } = await sql<Held & { duration_ms: number }>`
    select held.*, coalesce((media.replaced->>'durationMs')::float8, media.duration_ms) as duration_ms
    from media_heat held
    join media on media.library_id = held.library_id and media.id = held.media_id
    where (held.library_id, held.media_id) in (select "libraryId", "mediaId" from ${sent})
    order by held.library_id, held.media_id for update of held`.execute(tx);
  const held = new Map(
    rows.map(({ duration_ms, ...row }) => {
      const { bucketSec, bucketCount } = bucketsOf(duration_ms / 1000);
      return [`${row.library_id}/${row.media_id}`, extend(inBuckets(row, bucketSec), bucketCount)];
    }),
  );
  for (const gain of gains) {
    const key = `${gain.libraryId}/${gain.mediaId}`;
    const row = held.get(key);
    if (row?.bucket_sec === gain.bucketSec) held.set(key, addGain(row, gain));
  }
  const changed = [...held.values()].map((row) => ({
    ...row,
    counts: row.counts.toString('base64'),
    reached: row.reached.toString('base64'),
  }));
  await sql`
    update media_heat held set bucket_sec = sent.bucket_sec, sessions = sent.sessions,
      counts = decode(sent.counts, 'base64'), reached = decode(sent.reached, 'base64'),
      reached_sessions = sent.reached_sessions
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as sent (library_id bigint, media_id uuid,
      bucket_sec integer, sessions bigint, counts text, reached text, reached_sessions bigint)
    where held.library_id = sent.library_id and held.media_id = sent.media_id`.execute(tx);
}

function inBuckets(row: Held, bucketSec: number): Held {
  if (row.bucket_sec === bucketSec) return row;
  const nothing = Buffer.alloc(0);
  return { ...row, bucket_sec: bucketSec, sessions: 0, counts: nothing, reached: nothing, reached_sessions: 0 };
}

/** Extends the counts to the end of the media. Sessions end with the last bucket that they played. */
function extend(row: Held, bucketCount: number): Held {
  const zeros = Array.from({ length: bucketCount }, () => 0);
  return { ...row, counts: addHeat(row.counts, zeros), reached: addHeat(row.reached, zeros) };
}

function addGain(row: Held, { sessions, counts, reached }: HeatGain): Held {
  return {
    ...row,
    sessions: row.sessions + sessions,
    counts: addHeat(row.counts, counts),
    reached: addHeat(row.reached, reached),
    reached_sessions: row.reached_sessions + sessions,
  };
}
