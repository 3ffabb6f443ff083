import { sql } from 'kysely';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import { retireObject } from '../retired-object-store.ts';

/** Seconds for which a finished video's original may still be read for its hash, thumbnail or captions. */
const FINISHED_SEC = 600;
const ROWS_AT_ONCE = 100;

/**
 * Retires the original of a video; its object is deleted ten minutes later. The caller must recalculate the storage.
 */
export async function retireOriginal(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  const row = await tx
    .selectFrom('media')
    .select(['source_key', 'source_bytes'])
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  if (row === undefined || row.source_key === null) return;
  await retireObject(tx, { libraryId, mediaId }, { key: row.source_key, sizeBytes: row.source_bytes ?? 0 });
  await tx
    .updateTable('media')
    .set({ source_key: null, source_bytes: null, leaves_original: false })
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .execute();
}

/**
 * Finds a bounded number of videos, in any order, that finished some time ago (`finishedSec`, default ten minutes),
 * have no open encode task and no failed rendition, and whose library kept no originals when they finished.
 */
export function findUnkeptOriginals(db: Db, finishedSec = FINISHED_SEC): Promise<MediaKey[]> {
  return findUnkept(db, finishedSec);
}

/** Retires the original of a video, if `findUnkeptOriginals` would still find it. */
export async function retireUnkeptOriginal(db: Db, key: MediaKey, finishedSec = FINISHED_SEC): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.selectFrom('media').select('id').where('id', '=', key.mediaId).forUpdate().execute();
    // Checks again under the lock, because the video may be re-encoding by now.
    if ((await findUnkept(tx, finishedSec, key)).length === 0) return;
    await retireOriginal(tx, key);
    await sumStorage(tx, key);
    await bumpPublication(tx, key);
  });
}

async function findUnkept(db: Db | Tx, finishedSec: number, only: MediaKey | null = null): Promise<MediaKey[]> {
  const { rows } = await sql<MediaKey>`
    select m.library_id as "libraryId", m.id as "mediaId" from media m
    where m.leaves_original and m.type = 'video' and m.state = 'finished'
      and m.source_key is not null and m.state_since <= now() - make_interval(secs => ${finishedSec})
      and (${only?.mediaId ?? null}::uuid is null or m.id = ${only?.mediaId ?? null}::uuid)
      and not exists (select 1 from rendition r where r.library_id = m.library_id and r.media_id = m.id
        and r.state = 'failed' and r.state_reason is distinct from 'left out')
      and not exists (select 1 from encode_task w where w.library_id = m.library_id and w.media_id = m.id
        and w.state in ('waiting', 'running'))
    order by random() limit ${ROWS_AT_ONCE}
  `.execute(db);
  return rows;
}

/** Returns whether this object is still the video's original and its SHA-256 is unknown. */
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

/** Stores the SHA-256 (32 raw bytes) of an original; ignored if it is no longer the video's. */
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
