import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { noteChange } from '../note-change.ts';
import { type CollectionKey, unknownCollection } from './collection-store.ts';
import { MAX_PLAYLIST_VIDEOS, type VideoOrder } from './video-order.ts';

/** A video in the order of its collection. Unlike a playlist, the order has videos that cannot be played yet. */
type OrderedVideo = { mediaId: Guid; title: string };
type Arrangement = { order: VideoOrder; videos: OrderedVideo[] };
/** `mediaIds` are the first videos of a manual order; undefined leaves them as they are. */
type OrderChange = { order: VideoOrder; mediaIds?: readonly Guid[] };

/** Orders of the videos in collections. */
export type VideoOrderStore = {
  /** Returns the order and its first 500 videos. Throws `Refused` (`not-found`) for an unknown collection. */
  find(key: CollectionKey): Promise<Arrangement>;
  /**
   * Changes the order. In a manual order, videos that are not arranged follow, oldest first. Throws `Refused`
   * (`invalid`) for an id that is not in the collection, and (`not-found`) for an unknown collection.
   */
  change(key: CollectionKey, change: OrderChange): Promise<Arrangement>;
};

export function createVideoOrderStore(db: Db): VideoOrderStore {
  return {
    find: (key) => findArrangement(db, key),
    change: (key, { order, mediaIds }) =>
      inTransaction(db, async (tx) => {
        if (mediaIds !== undefined) await requireMembers(tx, key, mediaIds);
        const before = await lockOrder(tx, key);
        await tx
          .updateTable('collection')
          .set({ video_order: order, ...(mediaIds !== undefined && { manual_order: [...mediaIds] }) })
          .where('library_id', '=', key.libraryId)
          .where('id', '=', key.collectionId)
          .execute();
        noteChange({ kind: 'fields', before, after: { order, videoIds: mediaIds ?? before.videoIds } });
        return findArrangement(tx, key);
      }),
  };
}

/** Locks the order of a collection and returns it. */
async function lockOrder(tx: Tx, key: CollectionKey): Promise<{ order: VideoOrder; videoIds: readonly Guid[] }> {
  const row = await tx
    .selectFrom('collection')
    .select(['video_order as order', 'manual_order as videoIds'])
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.collectionId)
    .forUpdate()
    .executeTakeFirst();
  return row ?? unknownCollection(key);
}

async function findArrangement(db: Db | Tx, key: CollectionKey): Promise<Arrangement> {
  const row = await db
    .selectFrom('collection')
    .select(['video_order as order', 'manual_order as manual'])
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.collectionId)
    .executeTakeFirst();
  if (row === undefined) return unknownCollection(key);
  return { order: row.order, videos: await selectInOrder(db, key, { ...row, columns: sql``, isListed: sql`true` }) };
}

const NEWEST = sql`m.created_at desc, m.id desc`;
const OLDEST = sql`m.created_at, m.id`;
const BY_TITLE = sql`m.title_start, m.id`;

/** `columns` are additional columns, each preceded by a comma. `isListed` is a condition on the row `m`. */
type Selected = {
  order: VideoOrder;
  manual: readonly Guid[];
  columns: ReturnType<typeof sql>;
  isListed: ReturnType<typeof sql>;
};

/** Returns the first 500 videos of a collection in the given order, with additional columns. */
export async function selectInOrder<Item extends OrderedVideo>(
  db: Db | Tx,
  { libraryId, collectionId }: CollectionKey,
  { order, manual, columns, isListed }: Selected,
): Promise<Item[]> {
  const isMember = sql`m.library_id = ${libraryId} and m.collection_id = ${collectionId} and m.type = 'video'
    and ${isListed}`;
  const ids = [...manual];
  const arranged: Item[] = [];
  if (order === 'manual' && ids.length > 0) {
    const { rows } = await sql<Item>`
      select m.id as "mediaId", m.title ${columns}
      from unnest(${ids}::uuid[]) with ordinality as a (id, place) join media m on m.id = a.id
      where ${isMember} order by a.place limit ${MAX_PLAYLIST_VIDEOS}`.execute(db);
    arranged.push(...rows);
  }
  const left = MAX_PLAYLIST_VIDEOS - arranged.length;
  if (left === 0) return arranged;
  // A separate query, so that the index returns the first ones instead of all videos of the collection.
  const isOther = order === 'manual' ? sql`and m.id <> all (${ids}::uuid[])` : sql``;
  const { rows } = await sql<Item>`
    select m.id as "mediaId", m.title ${columns}
    from media m where ${isMember} ${isOther} order by ${orderOf(order)} limit ${left}`.execute(db);
  return [...arranged, ...rows];
}

function orderOf(order: VideoOrder) {
  switch (order) {
    case 'oldest':
    case 'manual':
      return OLDEST;
    case 'newest':
      return NEWEST;
    case 'title':
      return BY_TITLE;
  }
}

async function requireMembers(tx: Tx, key: CollectionKey, mediaIds: readonly Guid[]): Promise<void> {
  if (mediaIds.length === 0) return;
  const rows = await tx
    .selectFrom('media')
    .select('id')
    .where('library_id', '=', key.libraryId)
    .where('collection_id', '=', key.collectionId)
    .where('type', '=', 'video')
    .where('id', 'in', [...mediaIds])
    .execute();
  const members = new Set(rows.map(({ id }) => id));
  const stranger = mediaIds.find((id) => !members.has(id));
  if (stranger === undefined) return;
  const message = `Expected the ids of videos in the collection, got ${stranger}. Reload the list and try again.`;
  throw new Refused('invalid', message, { field: 'videoIds' });
}
