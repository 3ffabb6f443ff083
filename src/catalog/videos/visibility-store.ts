import { type SqlBool, sql } from 'kysely';
import type { Db, MediaKey } from '../db.ts';
import type { Visibility } from '../visibility.ts';

/**
 * Returns the visibility of a video or live stream; `private` for a stream that is not public. Null for an unknown one.
 */
export async function loadVisibility(db: Db, { libraryId, mediaId }: MediaKey): Promise<Visibility | null> {
  const row = await db
    .selectFrom('media as m')
    .select('m.visibility')
    .select(
      sql<SqlBool>`(m.type = 'live' and exists (select from live_stream s where s.id = m.id and not s.is_public))`.as(
        'isClosedStream',
      ),
    )
    .where('m.library_id', '=', libraryId)
    .where('m.id', '=', mediaId)
    .where('m.type', '<>', 'trash')
    .executeTakeFirst();
  if (row === undefined) return null;
  return row.isClosedStream ? 'private' : row.visibility;
}
