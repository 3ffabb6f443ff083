import { sql } from 'kysely';
import { findPacked, objectOf, splitPacked } from '../ports/packed-key.ts';
import type { StorageKey } from '../ports/storage.ts';
import type { Db, MediaKey, Tx } from './db.ts';
import { idxKeyOf } from './tasks/encode-task.ts';

/** Hours for which unlisted renditions stay readable, because open players still use their playlists. */
export const RETIRED_GRACE_HOURS = 24;
/**
 * Seconds before a retired object is deleted. Edges learn of a change within seconds; a response that began before may
 * take minutes.
 */
const GRACE_SEC = 600;
const VIDEOS_AT_ONCE = 100;
const OBJECTS_OF_ONE = 500;
/** Maximum pack ranges per video. Only their names are removed, which costs the store nothing. */
const RANGES_OF_ONE = 10_000;
const IS_RANGE = sql`storage_key like '%.pack.%'`;

/**
 * Retires an object, in the transaction that removes its name from the rows. It is kept for ten minutes for current
 * readers, and counts as storage until the sweep deletes it or, for a range of a pack, its name. `readSec` extends
 * these ten minutes.
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

/** The bytes of a chunk according to its row. */
export type RetiredChunk = { storageKey: StorageKey; sizeBytes: number; idxBytes: number };

/** Retires a chunk and its `.idx`; in a pack, they are one range. */
export async function retireChunk(tx: Tx, key: MediaKey, chunk: RetiredChunk, readSec = 0): Promise<void> {
  const { storageKey, sizeBytes, idxBytes } = chunk;
  const isPacked = findPacked(storageKey) !== null;
  await retireObject(tx, key, { key: storageKey, sizeBytes: sizeBytes + (isPacked ? idxBytes : 0), readSec });
  if (!isPacked) await retireObject(tx, key, { key: idxKeyOf(storageKey), sizeBytes: idxBytes, readSec });
}

/** Objects of one video, and keys that name ranges of its packs. */
export type RetiredObjects = { key: MediaKey; objects: StorageKey[]; packed: StorageKey[] };

/**
 * Finds a bounded number of expired objects, grouped by video. Videos, and the objects of a very large one, are
 * selected in any order, so that an object that cannot be deleted does not block the others. `graceSec` defaults to ten
 * minutes.
 */
export async function findRetiredObjects(db: Db, graceSec = GRACE_SEC): Promise<RetiredObjects[]> {
  const isDue = sql`retired_at < now() - make_interval(secs => ${graceSec})`;
  const { rows } = await sql<MediaKey & { objects: StorageKey[] }>`
    select v.library_id as "libraryId", v.media_id as "mediaId", array(
      select storage_key from retired_object o
      where o.media_id = v.media_id and o.library_id = v.library_id and ${isDue} and not ${IS_RANGE}
      order by random() limit ${OBJECTS_OF_ONE})
      || array(select storage_key from retired_object o
      where o.media_id = v.media_id and o.library_id = v.library_id and ${isDue} and ${IS_RANGE}
      order by storage_key limit ${RANGES_OF_ONE}) as objects
    from (select library_id, media_id from retired_object where ${isDue}
      group by library_id, media_id order by random() limit ${VIDEOS_AT_ONCE}) v
  `.execute(db);
  return rows.map(({ objects, ...key }) => ({ key, ...splitPacked(objects) }));
}

/**
 * Removes the rows of deleted objects, and of ranges of packs, of one video. A pack retires with its last range. The
 * caller must recalculate the storage of the video.
 */
export async function forgetRetiredObjects(tx: Tx, key: MediaKey, objects: readonly StorageKey[]): Promise<void> {
  if (objects.length === 0) return;
  // Locks the media row first, as in every transaction that locks it and its dependent rows.
  await tx.selectFrom('media').select('id').where('id', '=', key.mediaId).forUpdate().execute();
  await tx
    .deleteFrom('retired_object')
    .where('storage_key', 'in', [...objects])
    .execute();
  await retirePacks(tx, key, splitPacked(objects).packed);
}

/**
 * Retires packs that no row references any more, for immediate deletion, because the grace period of their ranges has
 * passed. The caller locks the media's row, so that the second of two concurrent removals notices that no name is left.
 */
export async function retirePacks(tx: Tx, key: MediaKey, packed: readonly StorageKey[]): Promise<void> {
  if (packed.length === 0) return;
  const { libraryId, mediaId } = key;
  const packs = [...new Set(packed.map(objectOf))];
  await sql`
    with named as (
      select storage_key from chunk where library_id = ${libraryId} and media_id = ${mediaId}
      union all
      select storage_key from retired_object where library_id = ${libraryId} and media_id = ${mediaId})
    insert into retired_object (storage_key, library_id, media_id, size_bytes, retired_at)
    select p.pack, m.library_id, m.id, 0, 'epoch' from unnest(${packs}::text[]) as p (pack)
    join media m on m.library_id = ${libraryId} and m.id = ${mediaId}
    where not exists (select from named n where split_part(n.storage_key, '.pack.', 1) || '.pack' = p.pack)
    on conflict (storage_key) do nothing`.execute(tx);
}

/**
 * SQL: bytes removed from videos and deleted within a day, which `storage_bytes` of a media item still counts.
 * `ofWhich` is a condition on the columns of `gone`.
 */
export function goneBytes(ofWhich: string): string {
  return `(select coalesce(sum(gone.size_bytes), 0) from (
    select library_id, media_id, storage_bytes as size_bytes from rendition where retired_at is not null
    union all
    select library_id, media_id, size_bytes from retired_object where retired_at < 'infinity'
  ) gone where ${ofWhich})`;
}
