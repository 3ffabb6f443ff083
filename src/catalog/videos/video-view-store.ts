import { type Selectable, type SqlBool, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { containing } from '../containing.ts';
import type { Db, MediaKey } from '../db.ts';
import { prepare } from '../prepared.ts';
import type { MediaTable } from '../schema.ts';

/**
 * A video as it is shown: its row, and of its active video renditions that can be played from end to end the rungs
 * (heights in pixels, rising) and the codecs; `mp4_rungs` are the finished ones in H.264.
 */
export type VideoView = Selectable<MediaTable> & { rungs: number[]; mp4_rungs: number[]; codecs: string[] };

/** Up to here a search counts its matches whatever page is wanted. */
const EXACT_TOTAL = 5_000;
const FARTHEST_ITEM = 2_000_000_000;

export type VideoOrder = 'date' | 'title' | 'status' | 'views' | 'length' | 'size';

/** A collection of `none` (a filter that is no collection's id) matches nothing. */
export type VideoQuery = {
  libraryId: number;
  page: number;
  itemsPerPage: number;
  search: string;
  collection: Guid | 'none' | null;
  orderBy: VideoOrder;
};

/** Reads videos for showing: one question for one, two at once for a page. */
export type VideoViewStore = {
  /** Refuses (`not-found`) when there is none. */
  load(key: MediaKey): Promise<VideoView>;
  /**
   * A page and how many match in all. Without a search the total is a counter. Matches of a search are counted up
   * to `EXACT_TOTAL` and to one beyond the page, so a total above is too low as long as pages are left: who reads
   * page by page until the total is reached gets every video.
   */
  list(query: VideoQuery): Promise<{ total: number; items: VideoView[] }>;
  /** Whether the edge has a playlist: of every kind (picture, sound) that is shown, a rendition has its first segment or makes it on demand. */
  hasPlaylist(key: MediaKey): Promise<boolean>;
};

export function createVideoViewStore(db: Db): VideoViewStore {
  return {
    async load(key) {
      const { libraryId, mediaId } = key;
      const [row] = await selectView(db, [libraryId, mediaId]);
      if (row !== undefined) return row;
      throw new Refused('not-found', `There is no video ${mediaId} in library ${libraryId}. Check the id.`);
    },
    async list(query) {
      if (query.collection === 'none') return { total: 0, items: [] };
      if (query.search !== '') return searchPage(db, query);
      const [items, total] = await Promise.all([selectPage(db, query), readCounter(db, query)]);
      return { total, items };
    },
    hasPlaylist: (key) => findPlaylist(db, key),
  };
}

const SHOWN = `from rendition where rendition.library_id = media.library_id and rendition.media_id = media.id
  and rendition.kind = 'video' and rendition.active`;
/** Every segment of it can be had: it is finished, or the rest is made on demand. */
const WHOLE = `(rendition.state = 'finished' or (rendition.on_demand and rendition.state = 'building' and rendition.init is not null))`;
/** The rungs of active video renditions that can be played from end to end, of a query over `media`. */
export const RUNGS = sql<
  number[]
>`(select coalesce(array_agg(distinct rung order by rung), '{}') ${sql.raw(SHOWN)} and ${sql.raw(WHOLE)} and rung is not null)`.as(
  'rungs',
);
/** Views of all kinds, to which a condition is added. */
const VIEWS = `select media.*, shown.rungs, shown.mp4_rungs, shown.codecs from media, lateral (
  select coalesce(array_agg(distinct rung order by rung) filter (where ${WHOLE} and rung is not null), '{}') as rungs,
    coalesce(array_agg(distinct rung order by rung)
      filter (where state = 'finished' and rung is not null and codec = 'x264'), '{}') as mp4_rungs,
    coalesce(array_agg(distinct codec order by codec) filter (where ${WHOLE}), '{}') as codecs
  ${SHOWN}) shown where media.library_id = $1`;
const selectView = prepare<VideoView>('view', `${VIEWS} and media.id = $2 and media.type = 'video'`);
const selectViewsOf = prepare<VideoView>('views', `${VIEWS} and media.id = any($2)`);

const ORDERS = {
  date: sql`media.created_at desc, media.id desc`,
  title: sql`media.title, media.id`,
  status: sql`media.state, media.created_at desc, media.id desc`,
  views: sql`media.views desc, media.id desc`,
  length: sql`media.duration_ms desc, media.id desc`,
  size: sql`media.storage_bytes desc, media.id desc`,
} as const satisfies Record<VideoOrder, ReturnType<typeof sql>>;

// Ids first: a far page is then found in the index alone, and only its own rows are read.
async function selectPage(db: Db, query: VideoQuery): Promise<VideoView[]> {
  const { rows } = await sql<{ id: Guid }>`select media.id from media where ${matching(query)}
    order by ${ORDERS[query.orderBy]} limit ${query.itemsPerPage} offset ${firstItem(query)}`.execute(db);
  const ids = rows.map(({ id }) => id);
  return selectViews(db, query.libraryId, ids);
}

/** Finds a page and counts in one pass over the matches: an aggregate takes them in the order of its subquery. */
async function searchPage(db: Db, query: VideoQuery): Promise<{ total: number; items: VideoView[] }> {
  const offset = firstItem(query);
  const countedItems = Math.max(EXACT_TOTAL, offset + query.itemsPerPage + 1);
  const { rows } = await sql<{ total: number; ids: Guid[] | null }>`
    select count(*) as total, (array_agg(id))[${offset + 1}::int : ${offset + query.itemsPerPage}::int] as ids
    from (select media.id from media where ${matching(query)}
      order by ${ORDERS[query.orderBy]} limit ${countedItems}) found`.execute(db);
  const [found] = rows;
  return { total: found?.total ?? 0, items: await selectViews(db, query.libraryId, found?.ids ?? []) };
}

/** The views of videos, in the order of their ids; those that went meanwhile are left out. */
async function selectViews(db: Db, libraryId: number, ids: readonly Guid[]): Promise<VideoView[]> {
  if (ids.length === 0) return [];
  const views = new Map((await selectViewsOf(db, [libraryId, ids])).map((view) => [view.id, view]));
  return ids.flatMap((id) => views.get(id) ?? []);
}

async function readCounter(db: Db, { libraryId, collection }: VideoQuery): Promise<number> {
  const counted =
    collection === null
      ? db.selectFrom('library').select('video_count').where('id', '=', libraryId)
      : db
          .selectFrom('collection')
          .select('video_count')
          .where('library_id', '=', libraryId)
          .where('id', '=', collection === 'none' ? null : collection);
  return (await counted.executeTakeFirst())?.video_count ?? 0;
}

/** Where a page begins; no further than places in an array of PostgreSQL can be named. */
function firstItem({ page, itemsPerPage }: VideoQuery): number {
  return Math.min((page - 1) * itemsPerPage, FARTHEST_ITEM);
}

function matching({ libraryId, collection, search }: VideoQuery) {
  const inLibrary = sql<SqlBool>`media.library_id = ${libraryId} and media.type = 'video'`;
  const inCollection = collection === null ? sql`` : sql` and media.collection_id = ${collection}`;
  const titled = search === '' ? sql`` : sql` and media.title_folded like lower(${containing(search)})`;
  return sql<SqlBool>`${inLibrary}${inCollection}${titled}`;
}

async function findPlaylist(db: Db, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const { rows } = await sql<{ found: boolean | null }>`
    select bool_and(starts) as found from (
      select bool_or((r.on_demand and r.init is not null) or exists (select 1 from chunk c where c.library_id = r.library_id and c.media_id = r.media_id
        and c.rendition_id = r.id and c.first_segment = 0)) as starts
      from rendition r where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.active
        and r.state <> 'failed' group by r.kind) kinds`.execute(db);
  return rows[0]?.found === true;
}
