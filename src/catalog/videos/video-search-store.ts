import { type RawBuilder, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { containing } from '../containing.ts';
import type { Db } from '../db.ts';
import { prepare } from '../prepared.ts';
import { firstItem, hasTag, orderOf, type VideoQuery } from './video-page-store.ts';
import type { VideoView } from './video-view.ts';
import { selectViews } from './view-columns-store.ts';

/** Limit up to which a search counts its matches, whatever page is requested. */
const EXACT_TOTAL = 5_000;
/** Number of newest titles that are sampled to estimate how frequent a short text is. */
const SAMPLE = 5_000;
/**
 * A row found by an index costs about 18 times as much as scanning one more title. So the index is better for up to
 * this many times the square root of a library's size in rows; above that, a scan until `EXACT_TOTAL` are found is
 * better.
 */
const INDEXED_PER_ROOT = 17;

/** Filter of a query, independent of its page. */
export type VideoFilter = Pick<
  VideoQuery,
  | 'libraryId'
  | 'search'
  | 'collection'
  | 'isIncomplete'
  | 'states'
  | 'tag'
  | 'visibility'
  | 'madeFrom'
  | 'madeBefore'
  | 'orderBy'
  | 'isReversed'
>;

/** Returns whether a query filters by more than a text and a collection. */
export function isFiltered({
  isIncomplete,
  states,
  tag,
  visibility,
  madeFrom,
  madeBefore,
}: Pick<VideoQuery, 'isIncomplete' | 'states' | 'tag' | 'visibility' | 'madeFrom' | 'madeBefore'>): boolean {
  const isDated = madeFrom !== null || madeBefore !== null;
  return isIncomplete || states !== null || tag !== '' || visibility !== null || isDated;
}

type Found = { total: number; ids: Guid[] | null };

/**
 * Reads one page of the videos whose titles contain a text (only incomplete ones, if requested), and the total as
 * counted by `VideoViewStore.list`.
 */
export async function searchPage(db: Db, query: VideoQuery): Promise<{ total: number; items: VideoView[] }> {
  if (isFiltered(query)) {
    const { total, ids } = await find(db, query);
    return { total, items: await selectViews(db, query.libraryId, ids ?? []) };
  }
  const found = await findByLetters(db, query);
  if (found === null && query.orderBy === 'date') return findAndCount(db, query);
  const { total, ids } = found ?? (await find(db, query));
  return { total, items: await selectViews(db, query.libraryId, ids ?? []) };
}

/**
 * Reads a page ordered by date, which is found in that order, while another connection counts: for a frequent text the
 * page is ready long before enough is counted.
 */
async function findAndCount(db: Db, query: VideoQuery): Promise<{ total: number; items: VideoView[] }> {
  const { libraryId, itemsPerPage } = query;
  const pick = async () => {
    const { rows } = await sql<{ id: Guid }>`${matches(query, sql`media`)}
      limit ${itemsPerPage} offset ${firstItem(query)}`.execute(db);
    const ids = rows.map(({ id }) => id);
    return selectViews(db, libraryId, ids);
  };
  const count = () =>
    sql<{ total: number }>`select count(*) as total from (${matches(query, sql`media`)}
      limit ${mostCounted(query)}) found`.execute(db);
  const [items, { rows }] = await Promise.all([pick(), count()]);
  return { total: rows[0]?.total ?? 0, items };
}

/** Finds and counts in one pass, by scanning titles or by trigrams, whichever the planner estimates to be cheaper. */
async function find(db: Db, query: VideoQuery): Promise<Found> {
  const { rows } = await sql<Found>`select ${countAndPick(query, sql`media`)}`.execute(db);
  return rows[0] ?? { total: 0, ids: null };
}

/**
 * Finds a text of one or two letters, for which trigrams are useless, by the index of letters and pairs. Null if it is
 * so frequent that a scan finds enough sooner. Reads a bounded number of rows, whatever other libraries contain.
 */
async function findByLetters(db: Db, query: VideoQuery): Promise<Found | null> {
  const { libraryId, collection, search } = query;
  if (collection !== null || [...search].length > 2) return null;
  const [sample] = await sampleTitles(db, [libraryId, containing(search)]);
  if (sample === undefined || sample.total <= SAMPLE) return null;
  const mostIndexed = Math.round(INDEXED_PER_ROOT * Math.sqrt(sample.total));
  if ((sample.matches / SAMPLE) * sample.total >= mostIndexed) return null;
  const folded = sql`lower(${search}::text)`;
  const { rows } = await sql<Found & { indexed: number }>`
    with near as materialized (
      select library_id, id, type, title_start, title_folded, created_at, state, views, duration_ms, storage_bytes
        from media
      where letters_and_pairs(title_folded)
        @> case when char_length(${folded}) <= 2 then array[${folded}] else letters_and_pairs(${folded}) end
      limit ${mostIndexed})
    select (select count(*) from near) as indexed, ${countAndPick(query, sql`near as media`)}`.execute(db);
  const [found] = rows;
  // At the limit, some matches may be missing.
  return found === undefined || found.indexed === mostIndexed ? null : found;
}

const sampleTitles = prepare<{ matches: number; total: number }>(
  'title_sample',
  `select count(*) filter (where title_folded like lower($2)) as matches,
    count_videos($1) as total
  from (select title_folded from media where library_id = $1 and type = 'video'
    order by created_at desc, id desc limit ${SAMPLE}) newest`,
);

/** Counts and picks the page in one pass over the matches: an aggregate processes them in the order of its subquery. */
function countAndPick(query: VideoQuery, from: RawBuilder<unknown>) {
  const offset = firstItem(query);
  return sql`count(*) as total, (array_agg(id))[${offset + 1}::int : ${offset + query.itemsPerPage}::int] as ids
    from (${matches(query, from)} limit ${mostCounted(query)}) found`;
}

function mostCounted(query: VideoQuery): number {
  return Math.max(EXACT_TOTAL, firstItem(query) + query.itemsPerPage + 1);
}

/** Selects the ids of all matches in the requested order; `from` is `media`, or a subset of it under that name. */
export function matches(query: VideoFilter, from: RawBuilder<unknown>, type: 'video' | 'trash' = 'video') {
  const { libraryId, collection, search, isIncomplete, states, tag, visibility, madeFrom, madeBefore } = query;
  const incomplete = isIncomplete ? sql` and media.is_incomplete` : sql``;
  const inState = states === null ? sql`` : sql` and media.state = any(${[...states]}::text[])`;
  const tagged = tag === '' ? sql`` : sql` and ${hasTag(tag)}`;
  const visible = visibility === null ? sql`` : sql` and media.visibility = ${visibility}`;
  // A video in the trash is in no collection: its row has the previous one.
  const place = type === 'trash' ? sql.ref('media.trashed_from') : sql.ref('media.collection_id');
  const inCollection = collection === null ? sql`` : sql` and ${place} = ${collection}`;
  const since = madeFrom === null ? sql`` : sql` and media.created_at >= ${madeFrom}`;
  const until = madeBefore === null ? sql`` : sql` and media.created_at < ${madeBefore}`;
  return sql`select media.id from ${from} where media.library_id = ${libraryId} and media.type = ${sql.lit(type)}
    ${inCollection}${incomplete}${inState}${tagged}${visible}${since}${until}
    and media.title_folded like lower(${containing(search)}) order by ${sql.raw(orderOf(query).forwards)}`;
}
