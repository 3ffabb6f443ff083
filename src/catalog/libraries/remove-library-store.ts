import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { type Db, PUBLICATION_CHANNEL, type Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { hashKey, newKey } from '../keys/access-key.ts';

const MEDIA_AT_ONCE = 100;

/**
 * Hides a removed library from everyone, in the caller's transaction: its keys become invalid, its pull zone,
 * collections and imports are deleted, and its media are no longer listed. The caller sends the job that deletes the
 * rows and objects. Throws `Refused` (`not-found`) for an unknown library.
 */
export async function markLibraryRemoved(tx: Tx, id: number): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('library')
    .set({ deleted_at: sql<Date>`now()`, settings: '{}' })
    // Hashes of random keys that nobody has, so that the old keys become invalid.
    .set({ api_key_hash: hashKey(newKey()), read_only_key_hash: hashKey(newKey()) })
    .set({ api_key_sealed: Buffer.alloc(0), read_only_key_sealed: Buffer.alloc(0) })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Refused('not-found', `Library ${id} not found. Check the id.`);
  await tx.deleteFrom('access_key').where('library_id', '=', id).execute();
  await tx.deleteFrom('pull_zone').where('library_id', '=', id).execute();
  await tx.deleteFrom('collection').where('library_id', '=', id).execute();
  await tx.deleteFrom('library_import').where('library_id', '=', id).execute();
  await tx.deleteFrom('library_export').where('library_id', '=', id).execute();
}

/** Returns whether a library was removed and its row still exists. */
export async function isRemovedLibrary(db: Db, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('library')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Finds at most 100 media of a library. */
export async function findMediaOf(db: Db, libraryId: number): Promise<Guid[]> {
  const rows = await db
    .selectFrom('media')
    .select('id')
    .where('library_id', '=', libraryId)
    .limit(MEDIA_AT_ONCE)
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes media of a removed library and all rows that reference them, and notifies the edges. */
export function dropMediaOf(db: Db, libraryId: number, ids: readonly Guid[]): Promise<void> {
  return inTransaction(db, async (tx) => {
    const dropped = await tx
      .deleteFrom('media')
      .where('library_id', '=', libraryId)
      .where('id', 'in', [...ids])
      .returning('id')
      .execute();
    for (const { id } of dropped) {
      await sql`select pg_notify(${PUBLICATION_CHANNEL}, ${`${libraryId}:${id}:deleted`})`.execute(tx);
    }
  });
}

const STATISTICS = [
  'stat_hour',
  'stat_library_hour',
  'stat_day',
  'media_heat',
  'viewer_sketch',
  'delivered_hour',
] as const;

/** Deletes a removed library and its history. Fails while it still has media. */
export async function dropLibraryRow(db: Db, id: number): Promise<void> {
  for (const table of STATISTICS) await db.deleteFrom(table).where('library_id', '=', id).execute();
  await db.deleteFrom('library').where('id', '=', id).where('deleted_at', 'is not', null).execute();
}
