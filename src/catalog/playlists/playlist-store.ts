import { sql } from 'kysely';
import type { CollectionKey } from '../collections/collection-store.ts';
import { selectInOrder } from '../collections/video-order-store.ts';
import type { Db } from '../db.ts';
import { readDeliverySettings } from '../publications/delivery-settings.ts';
import type { Playlist, PlaylistItem } from './playlist.ts';

/** Loads the playlist of a collection. Returns null for an unknown collection. */
export async function loadPlaylist(db: Db, key: CollectionKey): Promise<Playlist | null> {
  const row = await db
    .selectFrom('collection')
    .innerJoin('library', 'library.id', 'collection.library_id')
    .leftJoin('pull_zone', 'pull_zone.library_id', 'collection.library_id')
    .select(['collection.name', 'video_order as order', 'manual_order as manual', 'library.settings'])
    .select('pull_zone.name as pullZoneName')
    .where('collection.library_id', '=', key.libraryId)
    .where('collection.id', '=', key.collectionId)
    .where('library.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const items = await selectInOrder<PlaylistItem>(db, key, {
    ...row,
    columns: sql`, m.duration_ms as "durationMs",
      case when m.thumbnail_key is not null then m.thumbnail_file_name end as "thumbnailFileName"`,
    isListed: sql`m.visibility = 'public' and (m.state in ('finished', 'jit-ready') or exists (
      select from rendition r join chunk c
        on c.library_id = r.library_id and c.media_id = r.media_id and c.rendition_id = r.id
      where r.library_id = m.library_id and r.media_id = m.id and r.active))`,
  });
  const settings = readDeliverySettings(row.settings);
  return { ...key, name: row.name, settings, pullZoneName: row.pullZoneName ?? '', items };
}
