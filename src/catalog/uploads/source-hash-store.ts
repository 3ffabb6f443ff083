import type { StorageKey } from '../../ports/storage.ts';
import type { Db, MediaKey } from '../db.ts';

/** Whether this object is still the video's original and its SHA-256 is not known. */
export async function lacksHash(db: Db, { libraryId, mediaId }: MediaKey, sourceKey: StorageKey): Promise<boolean> {
  const row = await db
    .selectFrom('media')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('source_key', '=', sourceKey)
    .where('source_sha256', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes the SHA-256 (32 raw bytes) of an original; one that is not the video's any more is passed over. */
export async function saveHash(
  db: Db,
  { libraryId, mediaId }: MediaKey,
  { sourceKey, sha256 }: { sourceKey: StorageKey; sha256: Buffer },
): Promise<void> {
  await db
    .updateTable('media')
    .set({ source_sha256: sha256 })
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('source_key', '=', sourceKey)
    .execute();
}
