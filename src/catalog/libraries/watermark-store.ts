import { sql } from 'kysely';
import type { Db } from '../db.ts';

/** See `LibraryStore.usedWatermarks`. Ask after the change that took a version out of the settings: who plans later sees it. */
export async function findUsedWatermarks(db: Db, libraryId: number): Promise<ReadonlySet<number> | 'unknown'> {
  const planned = await db
    .selectFrom('media')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('state', '=', 'processing')
    .limit(1)
    .executeTakeFirst();
  if (planned !== undefined) return 'unknown';
  const { rows } = await sql<{ version: number }>`
    select distinct (plan->'watermark'->>'version')::int as version from rendition
    where library_id = ${libraryId} and plan->'watermark' is not null
  `.execute(db);
  return new Set(rows.map(({ version }) => version));
}
