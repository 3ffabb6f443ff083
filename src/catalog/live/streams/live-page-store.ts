import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import { containing } from '../../containing.ts';
import type { Db } from '../../db.ts';
import { viewsOf } from './live-view-store.ts';

export type LiveOrder = 'date' | 'title' | 'status' | 'started' | 'ended' | 'planned';

/**
 * Search for streams. If the collection filter is not the id of a collection, `collection` is `none`, which matches
 * nothing.
 */
export type LiveQuery = {
  libraryId: number;
  page: number;
  itemsPerPage: number;
  search: string;
  collection: Guid | 'none' | null;
  orderBy: LiveOrder;
};

const FARTHEST_ITEM = 2_000_000_000;

/**
 * `date`, `started` and `ended` sort newest first, `planned` sorts soonest first. Streams without that time are last.
 */
const ORDERS: Record<LiveOrder, string> = {
  date: 'created_at desc',
  title: 'title',
  status: `array_position(array['created','scheduled','preview','running','ended','vod-processing','error'], state)`,
  started: 'started_at desc nulls last',
  ended: 'ended_at desc nulls last',
  planned: 'scheduled_start_at nulls last',
};

/** Reads a page of streams and the number of matches. */
export async function readLivePage(db: Db, query: LiveQuery) {
  if (query.collection === 'none') return { total: 0, rows: [] };
  const { libraryId, page, itemsPerPage, orderBy, search, collection } = query;
  const rows = await viewsOf(db)
    .where('live_stream.library_id', '=', libraryId)
    .$if(search !== '', (all) => all.where('live_stream.title', 'ilike', containing(search)))
    .$if(collection !== null, (all) => all.where('live_stream.collection_id', '=', collection))
    .orderBy(sql.raw(ORDERS[orderBy]))
    .orderBy('live_stream.id', 'desc')
    .limit(itemsPerPage)
    .offset(Math.min((page - 1) * itemsPerPage, FARTHEST_ITEM))
    .execute();
  const { total } = await db
    .selectFrom('live_stream')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('library_id', '=', libraryId)
    .$if(search !== '', (all) => all.where('title', 'ilike', containing(search)))
    .$if(collection !== null, (all) => all.where('collection_id', '=', collection))
    .executeTakeFirstOrThrow();
  return { total, rows };
}
