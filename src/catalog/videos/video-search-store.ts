import { type SqlBool, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { containing } from '../containing.ts';
import type { Db } from '../db.ts';
import { firstItem, ORDERS, type VideoQuery } from './video-page-store.ts';
import type { VideoView } from './video-view.ts';
import { selectViews } from './view-columns-store.ts';

/** Up to here a search counts its matches whatever page is wanted. */
const EXACT_TOTAL = 5_000;

/** Finds a page and counts in one pass over the matches: an aggregate takes them in the order of its subquery. */
export async function searchPage(db: Db, query: VideoQuery): Promise<{ total: number; items: VideoView[] }> {
  const offset = firstItem(query);
  const countedItems = Math.max(EXACT_TOTAL, offset + query.itemsPerPage + 1);
  const { rows } = await sql<{ total: number; ids: Guid[] | null }>`
    select count(*) as total, (array_agg(id))[${offset + 1}::int : ${offset + query.itemsPerPage}::int] as ids
    from (select media.id from media where ${matching(query)}
      order by ${sql.raw(ORDERS[query.orderBy].forwards)} limit ${countedItems}) found`.execute(db);
  const [found] = rows;
  return { total: found?.total ?? 0, items: await selectViews(db, query.libraryId, found?.ids ?? []) };
}

function matching({ libraryId, collection, search }: VideoQuery) {
  const inLibrary = sql<SqlBool>`media.library_id = ${libraryId} and media.type = 'video'`;
  const inCollection = collection === null ? sql`` : sql` and media.collection_id = ${collection}`;
  const titled = search === '' ? sql`` : sql` and media.title_folded like lower(${containing(search)})`;
  return sql<SqlBool>`${inLibrary}${inCollection}${titled}`;
}
