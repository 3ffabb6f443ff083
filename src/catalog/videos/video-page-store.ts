import { type RawBuilder, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';
import { prepare } from '../prepared.ts';
import type { MediaState } from '../schema.ts';
import type { Visibility } from '../visibility.ts';
import { toVideoView, type VideoView, type VideoViewRow } from './video-view.ts';
import { VIEW } from './view-columns-store.ts';

export type VideoOrder = 'date' | 'title' | 'status' | 'views' | 'length' | 'size';

/**
 * A page of videos to read. The collection is `none` if the caller's filter is not the id of a collection; then nothing
 * matches.
 */
export type VideoQuery = {
  libraryId: number;
  page: number;
  itemsPerPage: number;
  search: string;
  collection: Guid | 'none' | null;
  /** Only videos that are finished but incomplete. */
  isIncomplete: boolean;
  /** Only videos in one of these states; null matches any state. */
  states: readonly MediaState[] | null;
  /** Only videos with this tag (see `hasTag`); empty matches any. */
  tag: string;
  /** Null matches any visibility. */
  visibility: Visibility | null;
  /** Only videos created at `madeFrom` or later, and before `madeBefore`; null sets no limit. */
  madeFrom: Date | null;
  madeBefore: Date | null;
  orderBy: VideoOrder;
  /** Reverses the usual direction of the order. */
  isReversed: boolean;
};

const FARTHEST_ITEM = 2_000_000_000;

/** Returns the offset of a page, limited to the array indexes that PostgreSQL supports. */
export function firstItem({ page, itemsPerPage }: VideoQuery): number {
  return Math.min((page - 1) * itemsPerPage, FARTHEST_ITEM);
}

type Order = { forwards: string; backwards: string };

/** Returns the order of a query, in its direction. */
export function orderOf({ orderBy, isReversed }: Pick<VideoQuery, 'orderBy' | 'isReversed'>): Order {
  const { forwards, backwards } = ORDERS[orderBy];
  return isReversed ? { forwards: backwards, backwards: forwards } : ORDERS[orderBy];
}

/** Orders and their opposites. The id breaks ties. */
const ORDERS: Record<VideoOrder, Order> = {
  date: { forwards: 'media.created_at desc, media.id desc', backwards: 'media.created_at, media.id' },
  // Compares the first 200 characters of titles, which fit in an index entry.
  title: {
    forwards: 'media.title_start, media.id',
    backwards: 'media.title_start desc, media.id desc',
  },
  status: {
    forwards: 'media.state, media.created_at desc, media.id desc',
    backwards: 'media.state desc, media.created_at, media.id',
  },
  views: { forwards: 'media.views desc, media.id desc', backwards: 'media.views, media.id' },
  length: { forwards: 'media.duration_ms desc, media.id desc', backwards: 'media.duration_ms, media.id' },
  size: { forwards: 'media.storage_bytes desc, media.id desc', backwards: 'media.storage_bytes, media.id' },
};

/** A row of a page with the total count; a single row without a video means an empty page. */
type PageRow = { total: number } & (VideoViewRow | { id: null });

/**
 * Returns the SQL of a page and the counter in one statement. Selects ids first: a far page is then found in the index
 * alone, from the nearer end of the order, and only its own rows are read. The counter is correct in the statement's
 * own snapshot.
 */
function pageOf(counter: string, condition: string, { forwards, backwards }: Order): string {
  const found = `select media.id from media where media.library_id = $1 and media.type = 'video'${condition}`;
  const total = '(select total from counted)';
  return `with counted as materialized (select coalesce((${counter}), 0) as total),
    page as materialized (select case when $3::bigint <= ${total} / 2
      then array(${found} order by ${forwards} limit $2::bigint offset $3::bigint)
      else array(${found} order by ${backwards} limit least($2::bigint, greatest(${total} - $3::bigint, 0))
        offset greatest(${total} - $3::bigint - $2::bigint, 0)) end as ids)
    select counted.total, ${VIEW} from counted
      left join media on media.library_id = $1 and media.id = any((select ids from page)::uuid[])
      order by ${forwards}`;
}

const IN_LIBRARY = preparePages('library_page', 'select count_videos($1)', '');
const IN_COLLECTION = preparePages(
  'collection_page',
  'select video_count from collection where library_id = $1 and id = $4',
  ' and media.collection_id = $4',
);

function preparePages(name: string, counter: string, condition: string) {
  const pagesBy = (isReversed: boolean) => {
    const pageBy = (orderBy: VideoOrder) => {
      const order = pageOf(counter, condition, orderOf({ orderBy, isReversed }));
      return prepare<PageRow>(`${name}_by_${orderBy}${isReversed ? '_reversed' : ''}`, order);
    };
    return {
      date: pageBy('date'),
      title: pageBy('title'),
      status: pageBy('status'),
      views: pageBy('views'),
      length: pageBy('length'),
      size: pageBy('size'),
    };
  };
  return { usual: pagesBy(false), reversed: pagesBy(true) };
}

/** Reads one page of a library's or a collection's videos, and the total number. */
export async function readPage(db: Db, query: VideoQuery): Promise<{ total: number; items: VideoView[] }> {
  const { libraryId, itemsPerPage, collection, orderBy } = query;
  const part = [libraryId, itemsPerPage, firstItem(query)];
  const direction = query.isReversed ? 'reversed' : 'usual';
  const rows =
    collection === null
      ? await IN_LIBRARY[direction][orderBy](db, part)
      : await IN_COLLECTION[direction][orderBy](db, [...part, collection]);
  return {
    total: rows[0]?.total ?? 0,
    items: rows.flatMap((row) => (row.id === null ? [] : toVideoView(row))),
  };
}

/**
 * Returns the condition that a video of a query over `media` has a tag: a meta tag with this property or this value or,
 * written `property=value`, with both. The index over meta tags supports each form.
 */
export function hasTag(tag: string): RawBuilder<boolean> {
  const split = tag.indexOf('=');
  const pair = [{ property: tag.slice(0, split), value: tag.slice(split + 1) }];
  if (split > 0) return sql<boolean>`media.meta_tags @> ${JSON.stringify(pair)}::jsonb`;
  const [property, value] = [[{ property: tag }], [{ value: tag }]].map((one) => JSON.stringify(one));
  return sql<boolean>`(media.meta_tags @> ${property}::jsonb or media.meta_tags @> ${value}::jsonb)`;
}
