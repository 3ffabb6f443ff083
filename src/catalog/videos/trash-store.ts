import { type RawBuilder, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { countInCollection } from '../collections/collection-store.ts';
import { bumpPublication, type Db, type FollowUp, type MediaKey, PUBLICATION_CHANNEL, type Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { countInLibrary } from '../libraries/count-in-library-store.ts';
import { noteChange } from '../note-change.ts';
import { unknownVideo } from '../unknown-video.ts';

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
  /** Time of its permanent deletion. */
  expiresAt: Date;
};

/**
 * Videos in the trash: shown nowhere else, with everything stored for them, until they are restored or expire. Each
 * method is one transaction, counters of library and collection included.
 */
export type TrashStore = {
  /** Moves a video to the trash and notifies the edges. Throws `Refused` (`not-found`) for an unknown one. */
  put(key: MediaKey, ...followUps: FollowUp[]): Promise<void>;
  /**
   * Restores a video from the trash, into its previous collection if that still exists. Throws `Refused` (`not-found`)
   * for one that is not in the trash.
   */
  restore(key: MediaKey, ...followUps: FollowUp[]): Promise<void>;
  /**
   * Removes a video in the trash with all rows that reference it. Throws `Refused` (`not-found`) for one that is not in
   * the trash.
   */
  remove(key: MediaKey, ...followUps: FollowUp[]): Promise<void>;
  /** Like `remove`, for a video that has expired; also refuses one that was restored and trashed again. */
  removeExpired(key: MediaKey, ...followUps: FollowUp[]): Promise<void>;
  /** Returns a page of the trash, latest first, and the total number. */
  list(libraryId: number, page: { offset: number; limit: number }): Promise<{ total: number; items: TrashedVideo[] }>;
  /**
   * Returns a bounded number of expired videos of any library, in any order, so that failing ones do not block others.
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

// Locks the media row first, then collection and library, as in every change of a video.
async function putIntoTrash(tx: Tx, key: MediaKey): Promise<void> {
  const { libraryId, mediaId } = key;
  const { rows } = await sql<{ collection_id: Guid | null }>`
    with before as (select collection_id from media where library_id = ${libraryId} and id = ${mediaId} for update)
    update media set type = 'trash', trashed_at = now(), trashed_from = before.collection_id, collection_id = null
    from before where media.library_id = ${libraryId} and media.id = ${mediaId} and media.type = 'video'
    returning before.collection_id`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw unknownVideo({ libraryId, mediaId });
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
  const before = await tx
    .deleteFrom('media')
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('type', '=', 'trash')
    .where(condition)
    .returning('title')
    .executeTakeFirst();
  if (before === undefined) throw notInTrash(key);
  noteChange({ kind: 'fields', before, after: null });
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
  return new Refused('not-found', `Video ${mediaId} in the trash of library ${libraryId} not found. Check the id.`);
}
