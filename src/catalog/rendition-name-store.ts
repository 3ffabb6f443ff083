import { sql } from 'kysely';
import type { Guid } from '../lib/guid.ts';
import { BASE_CODEC } from '../media/encode/codecs/all.ts';
import type { MediaKey, Tx } from './db.ts';

/**
 * Name of a rendition `r` in messages: `720p`, `720p vp9`, `Audio (en)`, `Audio` without a known language, `Audio at 64
 * kbit/s` for low rungs, `Audio in 5.1`, `MP4` for those that join the periods of a recording.
 */
export const RENDITION_NAME = sql<string>`case
  when r.plan ? 'joined' then 'MP4'
  when r.kind = 'audio' then 'Audio' || case r.language when 'und' then '' else ' (' || r.language || ')' end
    || case r.plan->>'form' when 'low' then ' at 64 kbit/s' when 'surround' then ' in 5.1' else '' end
  else coalesce(r.rung || 'p', 'Video') ||
    case r.codec when ${sql.lit(BASE_CODEC)} then '' else ' ' || r.codec end end`;

/** Returns the name of one rendition. */
export async function nameRendition(tx: Tx, { libraryId, mediaId }: MediaKey, renditionId: Guid): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select ${RENDITION_NAME} as name from rendition r
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.id = ${renditionId}
  `.execute(tx);
  return rows[0]?.name ?? 'A rendition';
}
