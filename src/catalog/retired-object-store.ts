import { sql } from 'kysely';
import type { StorageKey } from '../ports/storage.ts';
import type { Db, MediaKey, Tx } from './db.ts';

/** Edges know of a change within seconds; an answer that was begun before it may take minutes. */
const GRACE_SEC = 600;
const VIDEOS_AT_ONCE = 100;
const OBJECTS_OF_ONE = 500;

/**
 * Takes an object out of use, in the transaction that takes its name out of the rows: it stays for ten minutes,
 * for whoever still reads it, and counts as storage until the sweep deletes it. `readSec` keeps it for so much longer.
 */
export async function retireObject(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  object: { key: StorageKey; sizeBytes: number; readSec?: number },
): Promise<void> {
  const { key, sizeBytes, readSec = 0 } = object;
  const retired_at = sql<Date>`now() + make_interval(secs => ${readSec})`;
  await tx
    .insertInto('retired_object')
    .values({ storage_key: key, library_id: libraryId, media_id: mediaId, size_bytes: sizeBytes, retired_at })
    .onConflict((conflict) => conflict.column('storage_key').doNothing())
    .execute();
}

/** Objects of one video. */
export type RetiredObjects = { key: MediaKey; objects: StorageKey[] };

/**
 * Objects whose time is over, those of a video together: any videos, and of one with very many any of its objects, so
 * that none that cannot be deleted is in the way of the others; a bounded number. `graceSec` is ten minutes when left out.
 */
export async function findRetiredObjects(db: Db, graceSec = GRACE_SEC): Promise<RetiredObjects[]> {
  const isDue = sql`retired_at < now() - make_interval(secs => ${graceSec})`;
  const { rows } = await sql<MediaKey & { objects: StorageKey[] }>`
    select v.library_id as "libraryId", v.media_id as "mediaId", array(
      select storage_key from retired_object o
      where o.media_id = v.media_id and o.library_id = v.library_id and ${isDue}
      order by random() limit ${OBJECTS_OF_ONE}) as objects
    from (select library_id, media_id from retired_object where ${isDue}
      group by library_id, media_id order by random() limit ${VIDEOS_AT_ONCE}) v
  `.execute(db);
  return rows.map(({ objects, ...key }) => ({ key, objects }));
}

/** Forgets objects of one video that are deleted. The caller sums its storage anew. */
export async function forgetRetiredObjects(tx: Tx, key: MediaKey, objects: readonly StorageKey[]): Promise<void> {
  if (objects.length === 0) return;
  // The media row first, as in every transaction that takes it and what hangs on it.
  await tx.selectFrom('media').select('id').where('id', '=', key.mediaId).forUpdate().execute();
  await tx
    .deleteFrom('retired_object')
    .where('storage_key', 'in', [...objects])
    .execute();
}
