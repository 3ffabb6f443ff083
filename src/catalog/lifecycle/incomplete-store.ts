import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { RENDITION_NAME } from '../rendition-name-store.ts';
import { INCOMPLETE_VALUE, incompleteMessage } from './messages.ts';

/**
 * Marks a finishing video as complete, or as incomplete if its images or a rendition of the active timeline failed. A
 * message then lists the missing parts. Returns whether the video is incomplete.
 */
export async function markIncomplete(tx: Tx, key: MediaKey): Promise<boolean> {
  const missing = await findMissing(tx, key);
  const lines = missing.length === 0 ? [] : [incompleteMessage(missing, new Date())];
  await sql`
    update media set is_incomplete = ${missing.length > 0}, messages = coalesce(
      (select jsonb_agg(line order by place) from jsonb_array_elements(messages) with ordinality lines (line, place)
        where line->>'value' <> ${INCOMPLETE_VALUE}), '[]') || ${JSON.stringify(lines)}::jsonb
    where library_id = ${key.libraryId} and id = ${key.mediaId}
      and (is_incomplete or ${missing.length > 0})
  `.execute(tx);
  return missing.length > 0;
}

/** Returns whether the creation of a video's images failed. */
export async function haveImagesFailed(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const { rows } = await sql`
    select from encode_task where library_id = ${libraryId} and media_id = ${mediaId} and kind = 'images'
      and state = 'failed' limit 1
  `.execute(tx);
  return rows.length > 0;
}

/** Finds finished but incomplete videos of a library that still have their original, oldest first. */
export async function findIncomplete(db: Db, libraryId: number, limit: number): Promise<Guid[]> {
  const rows = await db
    .selectFrom('media')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('is_incomplete', '=', true)
    .where('state', '=', 'finished')
    .where('source_key', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

async function findMissing(tx: Tx, key: MediaKey): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select ${RENDITION_NAME} as name from rendition r
    join timeline t on t.library_id = r.library_id and t.media_id = r.media_id and t.id = r.timeline_id
    where r.library_id = ${key.libraryId} and r.media_id = ${key.mediaId} and r.state = 'failed'
      and r.retired_at is null
      and t.active order by r.kind desc, r.rung desc, 1, r.id
  `.execute(tx);
  const names = rows.map(({ name }) => name);
  return (await haveImagesFailed(tx, key)) ? [...names, 'Images'] : names;
}
