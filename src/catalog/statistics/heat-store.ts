import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Tx } from '../db.ts';
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

/** Adds to the heat of media. Heat that was counted in buckets of another size was of another file: it gives way. */
export async function addToHeat(tx: Tx, gains: readonly HeatGain[]): Promise<void> {
  if (gains.length === 0) return;
  const keys = gains.map(({ libraryId, mediaId, bucketSec }) => ({ libraryId, mediaId, bucketSec }));
  const sent = sql`jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
    as sent ("libraryId" bigint, "mediaId" uuid, "bucketSec" integer)`;
  await sql`
    insert into media_heat (library_id, media_id, bucket_sec, sessions, counts)
    select "libraryId", "mediaId", min("bucketSec"), 0, '' from ${sent} group by 1, 2 order by 1, 2
    on conflict do nothing`.execute(tx);
  const { rows } = await sql<Held>`
    select held.* from media_heat held
    where (library_id, media_id) in (select "libraryId", "mediaId" from ${sent})
    order by library_id, media_id for update`.execute(tx);
  const held = new Map(rows.map((row) => [`${row.library_id}/${row.media_id}`, row]));
  for (const gain of gains) {
    const key = `${gain.libraryId}/${gain.mediaId}`;
    const row = held.get(key);
    if (row !== undefined) held.set(key, addGain(row, gain));
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

function addGain(row: Held, { bucketSec, sessions, counts, reached }: HeatGain): Held {
  const isSame = row.bucket_sec === bucketSec;
  const nothing = Buffer.alloc(0);
  return {
    ...row,
    bucket_sec: bucketSec,
    sessions: (isSame ? row.sessions : 0) + sessions,
    counts: addHeat(isSame ? row.counts : nothing, counts),
    reached: addHeat(isSame ? row.reached : nothing, reached),
    reached_sessions: (isSame ? row.reached_sessions : 0) + sessions,
  };
}
