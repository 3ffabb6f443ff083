import { sql } from 'kysely';
import type { StorageKey } from '../ports/storage.ts';
import type { Db, MediaKey, Tx } from './db.ts';

/** Edges know of a change within seconds; an answer that was begun before it may take minutes. */
const GRACE_SEC = 600;
const ROWS_AT_ONCE = 500;

/**
 * Takes an object out of use, in the transaction that takes its name out of the rows: it stays for ten minutes,
 * for whoever still reads it, and counts as storage until the sweep deletes it.
 */
export async function retireObject(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  object: { key: StorageKey; sizeBytes: number },
): Promise<void> {
  await tx
    .insertInto('retired_object')
    .values({ storage_key: object.key, library_id: libraryId, media_id: mediaId, size_bytes: object.sizeBytes })
    .onConflict((conflict) => conflict.column('storage_key').doNothing())
    .execute();
}

/** Objects of one video. */
export type RetiredObjects = { key: MediaKey; objects: StorageKey[] };

/**
 * Objects whose time is over, any of them, so that none that cannot be deleted is in the way of the others; a bounded
 * number. `graceSec` is ten minutes when left out.
 */
export async function findRetiredObjects(db: Db, graceSec = GRACE_SEC): Promise<RetiredObjects[]> {
  const { rows } = await sql<MediaKey & { objects: StorageKey[] }>`
    select library_id as "libraryId", media_id as "mediaId", array_agg(storage_key) as objects
    from (select * from retired_object where retired_at < now() - make_interval(secs => ${graceSec})
      order by random() limit ${ROWS_AT_ONCE}) due
    group by library_id, media_id
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
