import { type Selectable, type SqlBool, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { containing } from '../containing.ts';
import type { Db, MediaKey } from '../db.ts';
import type { MediaTable } from '../schema.ts';

/**
 * A video as it is shown: its row, and of its active finished video renditions the rungs (heights in
 * pixels, rising), those in H.264, and the codecs.
 */
export type VideoView = Selectable<MediaTable> & { rungs: number[]; h264_rungs: number[]; codecs: string[] };

/** Up to here a search counts its matches whatever page is wanted. */
const EXACT_TOTAL = 10_000;

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
  /** Whether a playlist would list anything: an active video rendition has a segment, or all are planned. */
  hasPlaylist(key: MediaKey): Promise<boolean>;
};

export function createVideoViewStore(db: Db): VideoViewStore {
  return {
    async load(key) {
      const { libraryId, mediaId } = key;
      const row = await db
        .selectFrom('media')
        .selectAll('media')
        .select([RUNGS, H264_RUNGS, CODECS])
        .where('media.library_id', '=', libraryId)
        .where('media.id', '=', mediaId)
        .where('media.type', '=', 'video')
        .executeTakeFirst();
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

const SHOWN = sql`from rendition where rendition.library_id = media.library_id and rendition.media_id = media.id
  and rendition.kind = 'video' and rendition.active and rendition.state = 'finished'`;
const RUNGS = sql<
  number[]
>`(select coalesce(array_agg(distinct rung order by rung), '{}') ${SHOWN} and rung is not null)`.as('rungs');
const H264_RUNGS = sql<
  number[]
>`(select coalesce(array_agg(distinct rung order by rung), '{}') ${SHOWN} and rung is not null and codec = 'x264')`.as(
  'h264_rungs',
);
const CODECS = sql<string[]>`(select coalesce(array_agg(distinct codec order by codec), '{}') ${SHOWN})`.as('codecs');

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
  return selectViews(
    db,
    query,
    rows.map(({ id }) => id),
  );
}

/** Finds a page and counts in one pass over the matches. */
async function searchPage(db: Db, query: VideoQuery): Promise<{ total: number; items: VideoView[] }> {
  const offset = firstItem(query);
  const countedItems = Math.max(EXACT_TOTAL, offset + query.itemsPerPage + 1);
  const { rows } = await sql<{ total: number; ids: Guid[] }>`
    with found as materialized (
      select id, row_number() over (order by ${ORDERS[query.orderBy]}) as place from media where ${matching(query)}
      order by ${ORDERS[query.orderBy]} limit ${countedItems})
    select (select count(*) from found) as total, array(select id from found
      where place > ${offset} and place <= ${offset + query.itemsPerPage} order by place) as ids`.execute(db);
  const [{ total, ids } = { total: 0, ids: [] }] = rows;
  return { total, items: await selectViews(db, query, ids) };
}

async function selectViews(db: Db, { libraryId, orderBy }: VideoQuery, ids: readonly Guid[]): Promise<VideoView[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('media')
    .selectAll('media')
    .select([RUNGS, H264_RUNGS, CODECS])
    .where('media.library_id', '=', libraryId)
    .where(sql<SqlBool>`media.id = any(${ids})`)
    .orderBy(ORDERS[orderBy])
    .execute();
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

function firstItem({ page, itemsPerPage }: VideoQuery): number {
  return (page - 1) * itemsPerPage;
}

function matching({ libraryId, collection, search }: VideoQuery) {
  const inLibrary = sql<SqlBool>`media.library_id = ${libraryId} and media.type = 'video'`;
  const inCollection = collection === null ? sql`` : sql` and media.collection_id = ${collection}`;
  const titled = search === '' ? sql`` : sql` and media.title_folded like lower(${containing(search)})`;
  return sql<SqlBool>`${inLibrary}${inCollection}${titled}`;
}

async function findPlaylist(db: Db, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (
    select 1 from rendition r where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.kind = 'video'
      and r.active and (r.planned_segments is not null or exists (select 1 from chunk c
        where c.library_id = r.library_id and c.media_id = r.media_id and c.rendition_id = r.id))) as found`.execute(
    db,
  );
  return rows[0]?.found === true;
}
