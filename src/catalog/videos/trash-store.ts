import { type RawBuilder, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { countInCollection } from '../collections/collection-store.ts';
import { bumpPublication, type Db, type FollowUp, type MediaKey, PUBLICATION_CHANNEL, type Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { countInLibrary } from '../libraries/video-count-store.ts';

/** Days that a video stays in the trash. */
export const TRASH_DAYS = 7;
const EXPIRED_AT_ONCE = 500;
const IS_EXPIRED = sql<boolean>`trashed_at < now() - make_interval(days => ${TRASH_DAYS})`;

export type TrashedVideo = {
  id: Guid;
  title: string;
  durationMs: number;
  storageBytes: number;
  trashedAt: Date;
  /** When it is deleted for good. */
  expiresAt: Date;
};

/**
 * Videos in the trash: shown by nothing else, with all that is stored of them, until they are restored or their time is
 * over. Each method is one transaction, counters of library and collection included.
 */
export type TrashStore = {
  /** Puts a video into the trash and notifies the edges. Refuses (`not-found`) an unknown one. */
  put(key: MediaKey, ...followUps: FollowUp[]): Promise<void>;
  /**
   * Takes a video out of the trash, into the collection it was in where that still exists. Refuses (`not-found`) one
   * that is not there.
   */
  restore(key: MediaKey, ...followUps: FollowUp[]): Promise<void>;
  /**
   * Removes a video that is in the trash with all rows that refer to it. Refuses (`not-found`) one that is not there.
   */
  remove(key: MediaKey, ...followUps: FollowUp[]): Promise<void>;
  /** As `remove`, of a video whose time in the trash is over now; also refuses one that was trashed anew meanwhile. */
  removeExpired(key: MediaKey, ...followUps: FollowUp[]): Promise<void>;
  /** A page, the latest first, and how many there are in all. */
  list(libraryId: number, page: { offset: number; limit: number }): Promise<{ total: number; items: TrashedVideo[] }>;
  /**
   * A bounded number of videos whose time in the trash is over, of any library; in no order, so that some that fail
   * hide no others.
   */
  findExpired(): Promise<MediaKey[]>;
};

export function createTrashStore(db: Db): TrashStore {
  const changing = (change: (tx: Tx, key: MediaKey) => Promise<void>) => {
    return (key: MediaKey, ...followUps: FollowUp[]) =>
      inTransaction(db, async (tx) => {
        await change(tx, key);
        for (const followUp of followUps) await followUp(tx);
      });
  };
  return {
    put: changing(putIntoTrash),
    restore: changing(takeOutOfTrash),
    remove: changing((tx, key) => removeFromTrash(tx, key, sql`true`)),
    removeExpired: changing((tx, key) => removeFromTrash(tx, key, IS_EXPIRED)),
    list: (libraryId, page) => listTrash(db, libraryId, page),
    async findExpired() {
      const { rows } = await sql<MediaKey>`
        select library_id as "libraryId", id as "mediaId" from media
        where type = 'trash' and ${IS_EXPIRED}
        order by random() limit ${EXPIRED_AT_ONCE}`.execute(db);
      return rows;
    },
  };
}

// The media row first, then collection and library, as all that changes a video does.
async function putIntoTrash(tx: Tx, key: MediaKey): Promise<void> {
  const { libraryId, mediaId } = key;
  const { rows } = await sql<{ collection_id: Guid | null }>`
    with before as (select collection_id from media where library_id = ${libraryId} and id = ${mediaId} for update)
    update media set type = 'trash', trashed_at = now(), trashed_from = before.collection_id, collection_id = null
    from before where media.library_id = ${libraryId} and media.id = ${mediaId} and media.type = 'video'
    returning before.collection_id`.execute(tx);
  const [row] = rows;
  if (row === undefined)
    throw new Refused('not-found', `There is no video ${mediaId} in library ${libraryId}. Check the id.`);
  if (row.collection_id !== null) await countInCollection(tx, libraryId, row.collection_id, -1);
  await countInLibrary(tx, libraryId, -1);
  await sql`select pg_notify(${PUBLICATION_CHANNEL}, ${`${libraryId}:${mediaId}:deleted`})`.execute(tx);
}

async function takeOutOfTrash(tx: Tx, key: MediaKey): Promise<void> {
  const { libraryId, mediaId } = key;
  const { rows } = await sql<{ collection_id: Guid | null }>`
    with before as (select trashed_from from media where library_id = ${libraryId} and id = ${mediaId} for update)
    update media set type = 'video', trashed_at = null, trashed_from = null, collection_id =
      (select id from collection c where c.library_id = ${libraryId} and c.id = before.trashed_from)
    from before where media.library_id = ${libraryId} and media.id = ${mediaId} and type = 'trash'
    returning media.collection_id`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw notInTrash(key);
  if (row.collection_id !== null) await countInCollection(tx, libraryId, row.collection_id, 1);
  await countInLibrary(tx, libraryId, 1);
  await bumpPublication(tx, key);
}

async function removeFromTrash(tx: Tx, key: MediaKey, condition: RawBuilder<boolean>): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('media')
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('type', '=', 'trash')
    .where(condition)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notInTrash(key);
}

async function listTrash(
  db: Db,
  libraryId: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; items: TrashedVideo[] }> {
  const trash = sql`from media where library_id = ${libraryId} and type = 'trash'`;
  const [count, page] = await Promise.all([
    sql<{ total: number }>`select count(*) as total ${trash}`.execute(db),
    sql<TrashedVideo>`select id, title, duration_ms as "durationMs", storage_bytes as "storageBytes",
      trashed_at as "trashedAt", trashed_at + make_interval(days => ${TRASH_DAYS}) as "expiresAt"
      ${trash} order by trashed_at desc, id limit ${limit} offset ${offset}`.execute(db),
  ]);
  return { total: count.rows[0]?.total ?? 0, items: page.rows };
}

function notInTrash({ libraryId, mediaId }: MediaKey): Refused {
  return new Refused('not-found', `There is no video ${mediaId} in the trash of library ${libraryId}. Check the id.`);
}
