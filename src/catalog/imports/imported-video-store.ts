import { sql } from 'kysely';
import { Refused } from '../../lib/refused.ts';
import { countInCollection } from '../collections/collection-store.ts';
import { insertThreads } from '../comments/insert-threads-store.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { countInLibrary } from '../libraries/count-in-library-store.ts';
import type { CaptionTrack } from '../schema.ts';
import { addToDays } from '../statistics/sums/sums-store.ts';
import { type OpenItem, ownTarget } from './import-item-store.ts';
import type { ImportedDay, ImportedVideo } from './listed-item.ts';

/** Maximum totals of a video. Sums of a library stay exact numbers. */
const MAX_VIEWS = 1e12;
const MAX_WATCH_SEC = 1e13;

/**
 * Creates the video of an item with its GUID, dates, texts and totals; it then waits for its file. A date in the future
 * becomes the current one. Returns false if the GUID is in use, in this library or another one.
 */
export async function insertImportedVideo(tx: Tx, item: OpenItem, video: ImportedVideo): Promise<boolean> {
  const { libraryId, targetId, title } = item;
  await lockGuid(tx, targetId);
  const { rows: taken } = await sql`select from media where id = ${targetId} limit 1`.execute(tx);
  if (taken.length > 0 || !(await ownTarget(tx, item))) return false;
  // A run that is in progress does not notice that its library is deleted.
  const { rows: open } = await sql`select from library where id = ${libraryId} and deleted_at is null`.execute(tx);
  if (open.length === 0) throw new Refused('not-found', `Library ${libraryId} was deleted during the import.`);
  const isShelved = video.collectionId !== null && (await countInCollection(tx, libraryId, video.collectionId, 1));
  await countInLibrary(tx, libraryId, 1);
  await tx
    .insertInto('media')
    .values({
      library_id: libraryId,
      id: targetId,
      type: 'video',
      title,
      description: video.description,
      category: video.category,
      collection_id: isShelved ? video.collectionId : null,
      is_public: video.isPublic,
      ...(video.visibility !== undefined && { visibility: video.visibility }),
      ...(video.uploadedAt !== null && { created_at: new Date(Math.min(Date.now(), Date.parse(video.uploadedAt))) }),
      state: 'created',
      thumbnail_time_ms: video.thumbnailTimeMs ?? null,
      chapters: JSON.stringify(video.chapters),
      moments: JSON.stringify(video.moments),
      meta_tags: JSON.stringify(video.metaTags),
      upload_options: JSON.stringify({ isImported: true }),
      views: Math.min(MAX_VIEWS, video.views),
      watch_sec_total: Math.min(MAX_WATCH_SEC, video.watchSec),
    })
    .execute();
  await insertDays(tx, item, video.days ?? []);
  await insertThreads(tx, { libraryId, mediaId: targetId }, video.comments ?? []);
  return true;
}

/** Adds the sums by day, unless an earlier import added them. Sums of a deleted video remain. */
async function insertDays(tx: Tx, { libraryId, targetId }: OpenItem, days: readonly ImportedDay[]): Promise<void> {
  if (days.length === 0) return;
  const { rows } = await sql`select from stat_day where library_id = ${libraryId} and media_id = ${targetId} limit 1
  `.execute(tx);
  if (rows.length > 0) return;
  const facts = { libraryId, mediaId: targetId, kind: 'country', value: '' } as const;
  const gains = days.map(({ dayMs, views, watchSec }) => ({ ...facts, dayMs, sessions: views, amount: watchSec }));
  await addToDays(tx, gains);
}

/**
 * Creates the collection of an item with its GUID and its order, in which videos that are never imported have no
 * effect. Returns false if the library has it already.
 */
export async function insertImportedCollection(tx: Tx, item: OpenItem): Promise<boolean> {
  const { libraryId, targetId, title, order } = item;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('collection')
    .values({
      library_id: libraryId,
      id: targetId,
      name: title,
      ...(order !== null && { video_order: order.order, manual_order: order.videoIds }),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Two libraries may import the same GUID at the same time. */
async function lockGuid(tx: Tx, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`import ${id}`}, 0))`.execute(tx);
}

/** Loads which captions a video has, and whether its owner set a thumbnail. Nothing for an unknown video. */
export async function loadAttached(
  db: Db,
  { libraryId, mediaId }: MediaKey,
): Promise<{ captions: readonly CaptionTrack[]; hasThumbnail: boolean }> {
  const row = await db
    .selectFrom('media')
    .select(['captions', 'thumbnail_width_px'])
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  return { captions: row?.captions ?? [], hasThumbnail: row !== undefined && row.thumbnail_width_px !== null };
}
