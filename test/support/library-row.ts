import type { Db } from '../../src/catalog/db.ts';
import { newGuid } from '../../src/lib/guid.ts';

/** Adds a library row with random data in place of its API keys. Returns its id. */
export async function addLibraryRow(db: Db, settings: Record<string, unknown> = {}): Promise<number> {
  const key = Buffer.from(newGuid());
  const keys = { api_key_sealed: key, api_key_hash: key, read_only_key_sealed: key, read_only_key_hash: key };
  const row = await db
    .insertInto('library')
    .values({ name: 'lab', ...keys, settings: JSON.stringify(settings) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}
