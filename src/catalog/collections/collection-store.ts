import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { containing } from '../containing.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { noteChange } from '../note-change.ts';
import { goneBytes } from '../retired-object-store.ts';
import type { Visibility } from '../visibility.ts';

/** Number of videos whose thumbnails represent a collection. */
const PREVIEWS = 4;

export type CollectionKey = { libraryId: number; collectionId: Guid };

/** A video that represents its collection. */
export type Preview = { id: Guid; visibility: Visibility; thumbnailFileName: string; hasThumbnail: boolean };

/** A collection with its counts. `totalBytes` is the storage used by its videos, including originals. */
export type CollectionView = {
  libraryId: number;
  id: Guid;
  name: string;
  videoCount: number;
  totalBytes: number;
  previews: Preview[];
};

export type CollectionQuery = {
  libraryId: number;
  page: number;
  itemsPerPage: number;
  search: string;
  orderBy: 'date' | 'name';
};

/** Collections of a library. */
export type CollectionStore = {
  create(libraryId: number, name: string): Promise<CollectionKey>;
  /** Throws `Refused` (`not-found`) for an unknown collection. */
  load(key: CollectionKey): Promise<CollectionView>;
  /** Returns a page of collections, newest first or by name, and their total number. */
  list(query: CollectionQuery): Promise<{ total: number; items: CollectionView[] }>;
  /** Throws `Refused` (`not-found`) for an unknown collection. */
  rename(key: CollectionKey, name: string): Promise<void>;
  /** Removes a collection but keeps its videos. Throws `Refused` (`not-found`) for an unknown collection. */
  remove(key: CollectionKey): Promise<void>;
};

export function createCollectionStore(db: Db): CollectionStore {
  return {
    async create(libraryId, name) {
      const collectionId = newGuid();
      await db.insertInto('collection').values({ library_id: libraryId, id: collectionId, name }).execute();
      noteChange({ kind: 'fields', before: null, after: { name } });
      return { libraryId, collectionId };
    },
    async load(key) {
      const [view] = await selectViews(db, key.libraryId).where('collection.id', '=', key.collectionId).execute();
      return view ?? unknownCollection(key);
    },
    async list(query) {
      const [items, total] = await Promise.all([selectPage(db, query).execute(), countMatches(db, query)]);
      return { total, items };
    },
    rename: (key, name) => inTransaction(db, (tx) => renameCollection(tx, key, name)),
    remove: (key) => inTransaction(db, (tx) => deleteCollection(tx, key)),
  };
}

/** Adds to (or subtracts from) a collection's video count. Returns false if the collection does not exist. */
export async function countInCollection(tx: Tx, libraryId: number, id: Guid, change: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('collection')
    .set((eb) => ({ video_count: eb('video_count', '+', change) }))
    .where('library_id', '=', libraryId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function renameCollection(tx: Tx, key: CollectionKey, name: string): Promise<void> {
  const { libraryId, collectionId } = key;
  const isIt = { library_id: libraryId, id: collectionId };
  const before = await tx
    .selectFrom('collection')
    .select('name')
    .where((eb) => eb.and(isIt))
    .forUpdate()
    .executeTakeFirst();
  if (before === undefined) unknownCollection(key);
  await tx
    .updateTable('collection')
    .set({ name })
    .where((eb) => eb.and(isIt))
    .execute();
  noteChange({ kind: 'fields', before, after: { name } });
}

// Deletes the row first: a concurrent addition of a video waits for the deletion and then finds no collection.
async function deleteCollection(tx: Tx, key: CollectionKey): Promise<void> {
  const before = await tx
    .deleteFrom('collection')
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.collectionId)
    .returning('name')
    .executeTakeFirst();
  if (before === undefined) unknownCollection(key);
  noteChange({ kind: 'fields', before, after: null });
  await tx
    .updateTable('media')
    .set({ collection_id: null })
    .where('library_id', '=', key.libraryId)
    .where('collection_id', '=', key.collectionId)
    .execute();
  await tx
    .updateTable('live_stream')
    .set({ collection_id: null })
    .where('library_id', '=', key.libraryId)
    .where('collection_id', '=', key.collectionId)
    .execute();
}

function selectPage(db: Db, query: CollectionQuery) {
  const { libraryId, page, itemsPerPage, search, orderBy } = query;
  return selectViews(db, libraryId)
    .$if(search !== '', (all) => all.where('collection.name', 'ilike', containing(search)))
    .$if(orderBy === 'name', (all) => all.orderBy('collection.name'))
    .orderBy('collection.created_at', 'desc')
    .orderBy('collection.id', 'desc')
    .limit(itemsPerPage)
    .offset((page - 1) * itemsPerPage);
}

async function countMatches(db: Db, { libraryId, search }: CollectionQuery): Promise<number> {
  const { total } = await db
    .selectFrom('collection')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('library_id', '=', libraryId)
    .$if(search !== '', (all) => all.where('name', 'ilike', containing(search)))
    .executeTakeFirstOrThrow();
  return total;
}

const OF_MEDIA = 'gone.library_id = media.library_id and gone.media_id = media.id';

function selectViews(db: Db, libraryId: number) {
  return db
    .selectFrom('collection')
    .select(['collection.library_id as libraryId', 'collection.id', 'collection.name'])
    .select('collection.video_count as videoCount')
    .select(
      sql<number>`greatest(0, (select coalesce(sum(media.storage_bytes - ${sql.raw(goneBytes(OF_MEDIA))}), 0) from media
        where media.library_id = collection.library_id and media.collection_id = collection.id))::bigint`.as(
        'totalBytes',
      ),
    )
    .select(
      sql<Preview[]>`(select coalesce(json_agg(json_build_object('id', id, 'visibility', visibility,
          'thumbnailFileName', thumbnail_file_name,
          'hasThumbnail', thumbnail_key is not null)), '[]'::json) from (
        select id, visibility, thumbnail_file_name, thumbnail_key from media
        where media.library_id = collection.library_id and media.collection_id = collection.id
        order by created_at desc, id desc limit ${PREVIEWS}) newest)`.as('previews'),
    )
    .where('collection.library_id', '=', libraryId);
}

/** Throws the refusal of an unknown collection. */
export function unknownCollection({ libraryId, collectionId }: CollectionKey): never {
  throw new Refused('not-found', `Collection ${collectionId} in library ${libraryId} not found. Check the id.`);
}
